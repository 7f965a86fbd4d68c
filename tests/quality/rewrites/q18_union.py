"""ROLLUP as a union of five groupings."""

from pyspark.sql import functions as F


KEYS = ["i_item_id", "ca_country", "ca_state", "ca_county"]
MEASURES = ["cs_quantity", "cs_list_price", "cs_coupon_amt", "cs_sales_price", "cs_net_profit", "c_birth_year", "cd_dep_count"]


def solve(spark, tables):
    buyers = (
        tables["customer"].where("c_birth_month in (1, 2, 3, 5, 9, 11)")
        .join(tables["customer_demographics"], F.expr("c_current_cdemo_sk = cd_demo_sk"), "leftsemi")
        .join(tables["customer_address"].where("ca_state in ('MS', 'NE', 'IA', 'MI', 'GA', 'NY', 'CO')"),
              F.expr("c_current_addr_sk = ca_address_sk"))
    )
    lines = (
        tables["catalog_sales"]
        .join(tables["date_dim"].where("d_year = 1998"), F.expr("cs_sold_date_sk = d_date_sk"), "leftsemi")
        .join(tables["item"], F.expr("cs_item_sk = i_item_sk"))
        .join(tables["customer_demographics"].where("cd_gender = 'M' and cd_education_status = 'Primary'"),
              F.expr("cs_bill_cdemo_sk = cd_demo_sk"))
        .join(buyers, F.expr("cs_bill_customer_sk = c_customer_sk"))
        .select(*KEYS, *[F.col(m).cast("decimal(12,2)").alias(m) for m in MEASURES])
    )
    means = [F.avg(m).alias(f"agg{n}") for n, m in enumerate(MEASURES, 1)]
    every = None
    for depth in range(5):
        level = lines.groupBy(KEYS[:depth]).agg(F.count("*").alias("rows"), *means).where("rows > 0").drop("rows")
        for key in KEYS[depth:]:
            level = level.withColumn(key, F.lit(None).cast("string"))
        every = level if every is None else every.unionByName(level)
    order = ["ca_country", "ca_state", "ca_county", "i_item_id"]
    return every.select(*KEYS, *[f"agg{n}" for n in range(1, 8)]).orderBy(order).limit(100)
