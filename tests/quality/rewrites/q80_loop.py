"""One loop over channels; returns joined last."""

from pyspark.sql import functions as F


CHANNELS = [
    ("store", "store", "store_sales", "ss", "ss_ticket_number", "ss_store_sk", "store_returns", "sr", "sr_ticket_number",
     "sr_return_amt", "store", "s_store_sk", "s_store_id"),
    ("catalog", "catalog_page", "catalog_sales", "cs", "cs_order_number", "cs_catalog_page_sk", "catalog_returns", "cr",
     "cr_order_number", "cr_return_amount", "catalog_page", "cp_catalog_page_sk", "cp_catalog_page_id"),
    ("web", "web_site", "web_sales", "ws", "ws_order_number", "ws_web_site_sk", "web_returns", "wr", "wr_order_number",
     "wr_return_amt", "web_site", "web_site_sk", "web_site_id"),
]


def solve(spark, tables):
    days = tables["date_dim"].where("d_date >= '2002-08-04' and d_date <= '2002-09-03'")
    goods, quiet = tables["item"].where("i_current_price > 50"), tables["promotion"].where("p_channel_tv = 'N'")
    zero = F.lit(0).cast("decimal(10,0)")
    every = None
    for label, prefix, sales, s, number, outlet, returns, r, r_number, amount, dim, key, ident in CHANNELS:
        lines = (
            tables[sales]
            .join(days, F.col(f"{s}_sold_date_sk") == F.col("d_date_sk"), "leftsemi")
            .join(goods, F.col(f"{s}_item_sk") == F.col("i_item_sk"), "leftsemi")
            .join(quiet, F.col(f"{s}_promo_sk") == F.col("p_promo_sk"), "leftsemi")
            .join(tables[dim], F.col(outlet) == F.col(key))
            .join(tables[returns], (F.col(f"{s}_item_sk") == F.col(f"{r}_item_sk")) & (F.col(number) == F.col(r_number)), "left")
        )
        totals = lines.groupBy(F.concat(F.lit(prefix), F.col(ident)).alias("id")).agg(
            F.sum(f"{s}_ext_sales_price").alias("sales"),
            F.sum(F.coalesce(F.col(amount), zero)).alias("returns"),
            F.sum(F.col(f"{s}_net_profit") - F.coalesce(F.col(f"{r}_net_loss"), zero)).alias("profit"),
        ).select(F.lit(f"{label} channel").alias("channel"), "id", "sales", "returns", "profit")
        every = totals if every is None else every.unionByName(totals)
    sums = [F.sum(name).alias(name) for name in ("sales", "returns", "profit")]
    return every.rollup("channel", "id").agg(*sums).orderBy("channel", "id").limit(100)
