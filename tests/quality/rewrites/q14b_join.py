"""The two weeks found by joins with their December days."""

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
    dates = tables["date_dim"]

    def week(year, side):
        day = dates.where(f"d_year = {year} and d_moy = 12 and d_dom = 14").select("d_week_seq")
        days = dates.join(day, "d_week_seq", "leftsemi").select("d_date_sk")
        return (
            lines.where("channel = 'store'").join(days, "d_date_sk").join(wanted, "i_item_sk")
            .groupBy("channel", *GROUP)
            .agg(F.sum("amount").alias("sales"), F.count(F.lit(1)).alias("number_sales"))
            .join(mean, F.expr("sales > mean")).drop("mean")
            .alias(side)
        )

    same = " and ".join(f"ty.{name} = ly.{name}" for name in GROUP)
    found = week(2000, "ty").join(week(1999, "ly"), F.expr(same))
    columns = [
        F.col(f"{side}.{old}").alias(f"{side}_{new}")
        for side in ("ty", "ly")
        for old, new in (("channel", "channel"), ("i_brand_id", "brand"), ("i_class_id", "class"),
                         ("i_category_id", "category"), ("sales", "sales"), ("number_sales", "number_sales"))
    ]
    return found.select(columns).orderBy("ty_channel", "ty_brand", "ty_class", "ty_category").limit(100)
