"""Broadcast dimensions, renamed columns, a literal-free sort."""

from pyspark.sql import functions as F


def solve(spark, tables):
    november = tables["date_dim"].filter((F.col("d_moy") == 11) & (F.col("d_year") == 1998)).select("d_date_sk", "d_year")
    goods = tables["item"].filter(F.col("i_manager_id") == 1).select("i_item_sk", "i_category_id", "i_category")
    lines = tables["store_sales"].withColumnsRenamed({"ss_sold_date_sk": "d_date_sk", "ss_item_sk": "i_item_sk"})
    totals = (
        lines.join(F.broadcast(november), ["d_date_sk"]).join(F.broadcast(goods), ["i_item_sk"])
        .groupBy("d_year", "i_category_id", "i_category")
        .agg({"ss_ext_sales_price": "sum"})
    )
    return totals.orderBy(totals[3].desc(), "d_year", "i_category_id", "i_category").limit(100)
