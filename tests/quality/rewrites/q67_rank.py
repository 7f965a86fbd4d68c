"""The rank by window text; cube dimensions from a list."""

from pyspark.sql import functions as F


KEYS = ["i_category", "i_class", "i_brand", "i_product_name", "d_year", "d_qoy", "d_moy", "s_store_id"]


def solve(spark, tables):
    value = F.when(F.expr("ss_sales_price * ss_quantity").isNotNull(), F.expr("ss_sales_price * ss_quantity")).otherwise(
        F.lit(0).cast("decimal(10,0)"))
    totals = (
        tables["item"].join(tables["store_sales"], F.expr("i_item_sk = ss_item_sk"))
        .join(tables["store"], F.expr("s_store_sk = ss_store_sk"))
        .join(tables["date_dim"].where("d_month_seq > 1193 and d_month_seq < 1206"), F.expr("d_date_sk = ss_sold_date_sk"))
        .rollup(KEYS)
        .agg(F.sum(value).alias("sumsales"))
    )
    ranked = totals.withColumn("rk", F.expr("rank() over (partition by i_category order by sumsales desc)"))
    return ranked.where("rk < 101").orderBy(*KEYS, "sumsales", "rk").limit(100)
