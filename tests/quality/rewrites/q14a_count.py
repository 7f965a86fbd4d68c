"""Channels counted instead of intersected; the mean cross joined."""

from pyspark.sql import functions as F


GROUP = ["i_brand_id", "i_class_id", "i_category_id"]


def stack(tables):
    parts = []
    for name, table, p in (("store", "store_sales", "ss"), ("catalog", "catalog_sales", "cs"), ("web", "web_sales", "ws")):
        parts.append(tables[table].selectExpr(
            f"'{name}' as channel", f"{p}_item_sk as i_item_sk", f"{p}_sold_date_sk as d_date_sk",
            f"{p}_quantity * {p}_list_price as amount",
        ))
    return parts[0].union(parts[1]).union(parts[2])


def prepare(tables):
    lines = stack(tables)
    recent = lines.join(tables["date_dim"].where("d_year in (1999, 2000, 2001)"), "d_date_sk", "leftsemi")
    sold = recent.join(tables["item"], "i_item_sk").select("channel", *GROUP).distinct()
    everywhere = sold.groupBy(GROUP).count().where("count = 3")
    wanted = tables["item"].join(everywhere, GROUP, "leftsemi").select("i_item_sk", *GROUP)
    return lines, wanted, recent.agg(F.avg("amount").alias("mean"))



def solve(spark, tables):
    lines, wanted, mean = prepare(tables)
    month = tables["date_dim"].where("d_year = 2001").where("d_moy = 11").select("d_date_sk")
    groups = (
        lines.join(month, "d_date_sk").join(wanted, "i_item_sk")
        .groupBy("channel", *GROUP)
        .agg(F.sum("amount").alias("sales"), F.count("*").alias("n"))
        .join(F.broadcast(mean), F.expr("sales > mean"))
    )
    sums = [F.sum("sales").alias("sum(sales)"), F.sum("n").alias("sum(number_sales)")]
    return groups.rollup("channel", *GROUP).agg(*sums).orderBy("channel", *GROUP).limit(100)
