"""Sum and count by item first, the mean of the rollup from them."""

from pyspark.sql import functions as F


def solve(spark, tables):
    months = tables["date_dim"].where(F.col("d_month_seq").between(1201, 1212))
    stock = tables["inventory"].join(months, F.col("inv_date_sk") == F.col("d_date_sk"), "left_semi")
    by_item = stock.groupBy("inv_item_sk").agg(
        F.sum("inv_quantity_on_hand").alias("total"), F.count("inv_quantity_on_hand").alias("n")
    )
    keys = ["i_product_name", "i_brand", "i_class", "i_category"]
    return (
        by_item.join(tables["item"], F.col("inv_item_sk") == F.col("i_item_sk"))
        .rollup(*keys)
        .agg(F.expr("case when sum(n) > 0 then cast(sum(total) as double) / cast(sum(n) as double) end").alias("qoh"))
        .orderBy("qoh", *keys)
        .limit(100)
    )
