"""q05: sales, returns and profit by channel and outlet from 4 to 18 August 2001, with subtotals.

An independent reading of TPC-DS query 5 in the DataFrame API. Sales and returns are stacked as lines of four
amounts, a sale with zero returns and a return with zero sales. A web return belongs to the site of the sale
with its item and order number.

TIES: none, as long as no outlet id is missing: a null id would equal a channel's subtotal in the order.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

FIRST_DAY = dt.date(2001, 8, 4)
LAST_DAY = dt.date(2001, 8, 18)
AMOUNTS = ("sales", "profit", "returned", "loss")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of channel, outlet and their subtotals."""
    outlets = (
        channel_totals(tables, store_lines(tables), "store", ("s_store_sk", "s_store_id"), "store")
        .unionByName(
            channel_totals(
                tables,
                catalog_lines(tables),
                "catalog_page",
                ("cp_catalog_page_sk", "cp_catalog_page_id"),
                "catalog",
            )
        )
        .unionByName(
            channel_totals(tables, web_lines(tables), "web_site", ("web_site_sk", "web_site_id"), "web")
        )
    )
    return (
        outlets.rollup("channel", "id")
        .agg(
            F.sum("sales").alias("sales"),
            F.sum("returns").alias("returns"),
            F.sum("profit").alias("profit"),
        )
        .orderBy("channel", "id")
        .limit(100)
    )


def store_lines(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Stack store sales and store returns."""
    sold = as_sales(tables["store_sales"], "ss_store_sk", "ss")
    back = as_returns(tables["store_returns"], "sr_store_sk", "sr", "sr_return_amt")
    return sold.unionByName(back)


def catalog_lines(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Stack catalog sales and catalog returns."""
    sold = as_sales(tables["catalog_sales"], "cs_catalog_page_sk", "cs")
    back = as_returns(tables["catalog_returns"], "cr_catalog_page_sk", "cr", "cr_return_amount")
    return sold.unionByName(back)


def web_lines(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Stack web sales and web returns, the latter with the site of their sale."""
    sales = tables["web_sales"]
    sites = sales.select(
        F.col("ws_item_sk").alias("wr_item_sk"),
        F.col("ws_order_number").alias("wr_order_number"),
        "ws_web_site_sk",
    )
    returns = (
        tables["web_returns"]
        .select("wr_item_sk", "wr_order_number", "wr_returned_date_sk", "wr_return_amt", "wr_net_loss")
        .join(sites, ["wr_item_sk", "wr_order_number"])
    )
    sold = as_sales(sales, "ws_web_site_sk", "ws")
    return sold.unionByName(as_returns(returns, "ws_web_site_sk", "wr", "wr_return_amt"))


def as_sales(table: DataFrame, outlet: str, prefix: str) -> DataFrame:
    """Give sales as lines with nothing returned."""
    return table.select(
        F.col(outlet).alias("outlet_sk"),
        F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
        F.col(f"{prefix}_ext_sales_price").alias("sales"),
        F.col(f"{prefix}_net_profit").alias("profit"),
        nothing().alias("returned"),
        nothing().alias("loss"),
    )


def as_returns(table: DataFrame, outlet: str, prefix: str, amount: str) -> DataFrame:
    """Give returns as lines with nothing sold."""
    return table.select(
        F.col(outlet).alias("outlet_sk"),
        F.col(f"{prefix}_returned_date_sk").alias("d_date_sk"),
        nothing().alias("sales"),
        nothing().alias("profit"),
        F.col(amount).alias("returned"),
        F.col(f"{prefix}_net_loss").alias("loss"),
    )


def nothing() -> Column:
    """Give an amount of zero, typed like the money columns."""
    return F.lit(0).cast("decimal(7,2)")


def channel_totals(
    tables: Mapping[str, DataFrame],
    lines: DataFrame,
    dimension: str,
    key_and_id: tuple[str, str],
    channel: str,
) -> DataFrame:
    """Total one channel's lines of the period per outlet id."""
    key, outlet_id = key_and_id
    days = tables["date_dim"].where(F.col("d_date").between(FIRST_DAY, LAST_DAY)).select("d_date_sk")
    outlets = tables[dimension].select(F.col(key).alias("outlet_sk"), outlet_id)
    totals = (
        lines.join(days, "d_date_sk")
        .join(outlets, "outlet_sk")
        .groupBy(outlet_id)
        .agg(*(F.sum(amount).alias(amount) for amount in AMOUNTS))
    )
    return totals.select(
        F.lit(f"{channel} channel").alias("channel"),
        F.concat(F.lit(dimension), F.col(outlet_id)).alias("id"),
        "sales",
        F.col("returned").alias("returns"),
        (F.col("profit") - F.col("loss")).alias("profit"),
    )
