"""The share by a join with totals per class instead of a window."""

from pyspark.sql import functions as F


def solve(spark, tables):
    days = tables["date_dim"].where("d_date >= '2002-03-22' and d_date <= '2002-04-21'")
    keys = ["i_item_id", "i_item_desc", "i_category", "i_class", "i_current_price"]
    goods = (
        tables["item"].where("i_category in ('Women', 'Jewelry', 'Books')")
        .join(tables["web_sales"], F.expr("ws_item_sk = i_item_sk"))
        .join(days, F.expr("ws_sold_date_sk = d_date_sk"))
        .groupBy(keys)
        .agg(F.sum("ws_ext_sales_price").alias("itemrevenue"))
    )
    classes = goods.groupBy(F.col("i_class").alias("class")).agg(F.sum("itemrevenue").alias("of_class"))
    return (
        goods.join(classes, F.col("i_class").eqNullSafe(F.col("class")))
        .select(*keys, "itemrevenue", (F.col("itemrevenue") * 100 / F.col("of_class")).alias("revenueratio"))
        .orderBy("i_category", "i_class", "i_item_id", "i_item_desc", "revenueratio")
        .limit(100)
    )
