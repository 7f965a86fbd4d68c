"""One loop over channels; sales and returns totalled together from long rows."""

from pyspark.sql import functions as F


ZERO = "cast(0 as decimal(7,2))"
PLAN = [
    ("store", "store_sales", "ss", "ss_store_sk", "store_returns", "sr", "sr_store_sk", "sr_return_amt",
     "store", "s_store_sk", "s_store_id"),
    ("catalog", "catalog_sales", "cs", "cs_catalog_page_sk", "catalog_returns", "cr", "cr_catalog_page_sk",
     "cr_return_amount", "catalog_page", "cp_catalog_page_sk", "cp_catalog_page_id"),
    ("web", "web_sales", "ws", "ws_web_site_sk", "web_returns", "wr", "ws_web_site_sk", "wr_return_amt",
     "web_site", "web_site_sk", "web_site_id"),
]


def solve(spark, tables):
    days = tables["date_dim"].where("d_date between date'2001-08-04' and date'2001-08-18'").select("d_date_sk")
    found = []
    for name, sales, s, outlet, returns, r, back_to, amount, dim, key, ident in PLAN:
        back = tables[returns]
        if name == "web":
            sold = tables["web_sales"].select("ws_item_sk", "ws_order_number", "ws_web_site_sk")
            back = back.join(sold, F.expr("wr_item_sk = ws_item_sk and wr_order_number = ws_order_number"), "left")
        lines = tables[sales].selectExpr(
            f"{outlet} as outlet", f"{s}_sold_date_sk as day", f"{s}_ext_sales_price as a",
            f"{s}_net_profit as b", f"{ZERO} as c", f"{ZERO} as d",
        ).unionAll(back.selectExpr(
            f"{back_to} as outlet", f"{r}_returned_date_sk as day", ZERO, ZERO, amount, f"{r}_net_loss",
        ))
        found.append(
            lines.join(days, lines.day == days.d_date_sk, "left_semi")
            .join(tables[dim], F.col("outlet") == F.col(key))
            .groupBy(ident)
            .agg(F.sum("a").alias("sales"), F.sum("c").alias("returns"), (F.sum("b") - F.sum("d")).alias("profit"))
            .select(F.lit(f"{name} channel").alias("channel"), F.concat(F.lit(dim), F.col(ident)).alias("id"),
                    "sales", "returns", "profit")
        )
    every = found[0].union(found[1]).union(found[2])
    sums = [F.sum(name).alias(name) for name in ("sales", "returns", "profit")]
    return every.rollup("channel", "id").agg(*sums).orderBy("channel", "id").limit(100)
