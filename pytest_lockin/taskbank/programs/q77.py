"""q77: sales, returns and profit by channel and outlet from 11 August to 10 September 2001, with subtotals.

An independent reading of TPC-DS query 77 in the DataFrame API. Stores and web pages keep their sales where
nothing was returned. Call centres are not matched: every centre's sales meet every centre's returns.

TIES: sales without a call centre have a null id, which equals the catalog subtotal in the order, so these
rows may change places, also across the limit.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

FIRST_DAY = dt.date(2001, 8, 11)
LAST_DAY = dt.date(2001, 9, 10)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of channel, outlet and their subtotals."""
    days = tables["date_dim"].where(F.col("d_date").between(FIRST_DAY, LAST_DAY)).select("d_date_sk")
    stores = tables["store"].select(F.col("s_store_sk").alias("id"))
    pages = tables["web_page"].select(F.col("wp_web_page_sk").alias("id"))

    store_sales = sales_by(tables["store_sales"], "ss", "ss_store_sk", days)
    store_returns = returns_by(tables["store_returns"], "sr", "sr_store_sk", "sr_return_amt", days)
    catalog_sales = sales_by(tables["catalog_sales"], "cs", "cs_call_center_sk", days)
    catalog_returns = returns_by(
        tables["catalog_returns"], "cr", "cr_call_center_sk", "cr_return_amount", days
    )
    web_sales = sales_by(tables["web_sales"], "ws", "ws_web_page_sk", days)
    web_returns = returns_by(tables["web_returns"], "wr", "wr_web_page_sk", "wr_return_amt", days)

    outlets = (
        with_returns("store channel", store_sales.join(stores, "id"), store_returns)
        .unionByName(
            catalog_sales.crossJoin(catalog_returns.drop("id")).select(
                F.lit("catalog channel").alias("channel"),
                "id",
                "sales",
                "returns",
                (F.col("profit") - F.col("loss")).alias("profit"),
            )
        )
        .unionByName(with_returns("web channel", web_sales.join(pages, "id"), web_returns))
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


def sales_by(table: DataFrame, prefix: str, outlet: str, days: DataFrame) -> DataFrame:
    """Total sales and profit per outlet over the period; lines without an outlet are a group."""
    return (
        table.select(
            F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
            F.col(outlet).alias("id"),
            F.col(f"{prefix}_ext_sales_price").alias("sales"),
            F.col(f"{prefix}_net_profit").alias("profit"),
        )
        .join(days, "d_date_sk")
        .groupBy("id")
        .agg(F.sum("sales").alias("sales"), F.sum("profit").alias("profit"))
    )


def returns_by(table: DataFrame, prefix: str, outlet: str, amount: str, days: DataFrame) -> DataFrame:
    """Total returned amount and loss per outlet over the period; lines without an outlet are a group."""
    return (
        table.select(
            F.col(f"{prefix}_returned_date_sk").alias("d_date_sk"),
            F.col(outlet).alias("id"),
            F.col(amount).alias("returns"),
            F.col(f"{prefix}_net_loss").alias("loss"),
        )
        .join(days, "d_date_sk")
        .groupBy("id")
        .agg(F.sum("returns").alias("returns"), F.sum("loss").alias("loss"))
    )


def with_returns(channel: str, sales: DataFrame, returns: DataFrame) -> DataFrame:
    """Set the returns of the same outlet beside its sales, zero where there are none."""
    return sales.join(returns, "id", "left").select(
        F.lit(channel).alias("channel"),
        "id",
        "sales",
        F.coalesce("returns", F.lit(0)).alias("returns"),
        (F.col("profit") - F.coalesce("loss", F.lit(0))).alias("profit"),
    )
