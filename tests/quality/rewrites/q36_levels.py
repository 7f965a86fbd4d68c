"""Three levels written out, each ranked by itself."""

from pyspark.sql import Window
from pyspark.sql import functions as F


def solve(spark, tables):
    lines = (
        tables["store_sales"]
        .join(tables["date_dim"].where("d_year = 2001"), F.expr("d_date_sk = ss_sold_date_sk"), "leftsemi")
        .join(tables["store"].where("s_state = 'TN'"), F.expr("s_store_sk = ss_store_sk"), "leftsemi")
        .join(tables["item"], F.expr("i_item_sk = ss_item_sk"))
    )
    margin = (F.sum("ss_net_profit") / F.sum("ss_ext_sales_price")).alias("gross_margin")
    best = F.rank().over(Window.partitionBy("parent").orderBy("gross_margin")).alias("rank_within_parent")
    none = F.lit(None).cast("string")
    levels = [
        (lines.groupBy("i_category", "i_class").agg(margin).withColumn("parent", F.col("i_category")), 0),
        (lines.groupBy("i_category").agg(margin).withColumn("i_class", none).withColumn("parent", none), 1),
        (lines.agg(F.count("*").alias("n"), margin).where("n > 0").withColumn("i_category", none)
         .withColumn("i_class", none).withColumn("parent", none), 2),
    ]
    every = None
    for frame, level in levels:
        hierarchy = F.lit(level).cast("tinyint").alias("lochierarchy")
        ranked = frame.select("gross_margin", "i_category", "i_class", hierarchy, best)
        every = ranked if every is None else every.union(ranked)
    return every.orderBy(
        F.desc("lochierarchy"), F.when(F.col("lochierarchy") == 0, F.col("i_category")), "rank_within_parent"
    ).limit(100)
