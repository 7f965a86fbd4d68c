"""Flags from outer joins with distinct buyers instead of EXISTS."""

from pyspark.sql import functions as F


NUMBERS = ["cd_dep_count", "cd_dep_employed_count", "cd_dep_college_count"]


def solve(spark, tables):
    days = tables["date_dim"].filter("d_year = 2000 and d_qoy < 4")

    def buyers(table, customer, day, flag):
        sold = tables[table].join(days, F.col(day) == F.col("d_date_sk"), "leftsemi")
        return sold.select(F.col(customer).alias("c_customer_sk"), F.lit(True).alias(flag)).distinct()

    people = (
        tables["customer"]
        .join(buyers("store_sales", "ss_customer_sk", "ss_sold_date_sk", "shop"), "c_customer_sk", "left")
        .join(buyers("web_sales", "ws_bill_customer_sk", "ws_sold_date_sk", "web"), "c_customer_sk", "left")
        .join(buyers("catalog_sales", "cs_ship_customer_sk", "cs_sold_date_sk", "mail"), "c_customer_sk", "left")
        .where("shop and coalesce(web, mail)")
        .join(tables["customer_address"], F.expr("c_current_addr_sk = ca_address_sk"))
        .join(tables["customer_demographics"], F.expr("c_current_cdemo_sk = cd_demo_sk"))
    )
    keys = ["ca_state", "cd_gender", "cd_marital_status", *NUMBERS]
    made = people.groupBy(keys).agg(
        F.count("*").alias("n"), *[F.max(x).alias(f"m{i}") for i, x in enumerate(NUMBERS)],
        *[F.stddev_samp(x).alias(f"d{i}") for i, x in enumerate(NUMBERS)],
    ).orderBy(keys).limit(100)
    columns = [F.col(key) for key in keys[:3]]
    for i, x in enumerate(NUMBERS):
        spread = F.col(f"d{i}").alias(f"stddev_samp({x})")
        columns += [F.col(x), F.col("n").alias(f"cnt{i + 1}"), F.col(f"m{i}").alias(f"max({x})"), spread, spread]
    return made.select(columns)
