"""Buyers of the other channels subtracted from those of the stores."""

from pyspark.sql import functions as F


def solve(spark, tables):
    spring = tables["date_dim"].where("d_year = 2002").where(F.col("d_moy").isin(2, 3, 4)).select("d_date_sk")

    def buyers(table, customer, day):
        return tables[table].join(spring, F.col(day) == F.col("d_date_sk"), "leftsemi").select(customer)

    wanted = buyers("store_sales", "ss_customer_sk", "ss_sold_date_sk").subtract(
        buyers("web_sales", "ws_bill_customer_sk", "ws_sold_date_sk")
    ).subtract(buyers("catalog_sales", "cs_ship_customer_sk", "cs_sold_date_sk"))
    keys = ["cd_gender", "cd_marital_status", "cd_education_status", "cd_purchase_estimate", "cd_credit_rating"]
    counted = (
        wanted.join(tables["customer"], F.expr("ss_customer_sk = c_customer_sk"))
        .join(tables["customer_address"].where("ca_state in ('IN', 'VA', 'MS')"), F.expr("c_current_addr_sk = ca_address_sk"))
        .join(tables["customer_demographics"], F.expr("c_current_cdemo_sk = cd_demo_sk"))
        .groupBy(keys).agg(F.count(F.lit(1)).alias("n"))
        .orderBy(keys).limit(100)
    )
    return counted.selectExpr("cd_gender", "cd_marital_status", "cd_education_status", "n as cnt1",
                              "cd_purchase_estimate", "n as cnt2", "cd_credit_rating", "n as cnt3")
