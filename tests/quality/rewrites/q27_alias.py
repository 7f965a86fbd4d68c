"""Aliased tables; one filter at the end."""

from pyspark.sql import functions as F


def solve(spark, tables):
    ss, d = tables["store_sales"].alias("ss"), tables["date_dim"].alias("d")
    i, s, cd = tables["item"].alias("i"), tables["store"].alias("s"), tables["customer_demographics"].alias("cd")
    joined = (
        ss.join(d, F.col("ss.ss_sold_date_sk") == F.col("d.d_date_sk"))
        .join(i, F.col("ss.ss_item_sk") == F.col("i.i_item_sk"))
        .join(s, F.col("ss.ss_store_sk") == F.col("s.s_store_sk"))
        .join(cd, F.col("ss.ss_cdemo_sk") == F.col("cd.cd_demo_sk"))
        .filter("cd_gender = 'M' and cd_marital_status = 'U' and cd_education_status = 'Secondary'")
        .filter("d_year = 2000 and s_state in ('TN', 'TN', 'TN', 'TN')")
    )
    return (
        joined.rollup("i_item_id", "s_state")
        .agg(
            F.grouping("s_state").alias("g_state"), F.avg("ss_quantity").alias("agg1"),
            F.avg("ss_list_price").alias("agg2"), F.avg("ss_coupon_amt").alias("agg3"), F.avg("ss_sales_price").alias("agg4"),
        )
        .orderBy("i_item_id", "s_state")
        .limit(100)
    )
