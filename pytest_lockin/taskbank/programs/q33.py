"""q33: April 1999 revenue over three channels of the makers of books, from buyers five hours behind UTC.

An independent reading of TPC-DS query 33 in the DataFrame API. A maker of books is one with any item in the
category Books; its other items count too. Each channel is totalled before the totals are added.

TIES: the order has the revenue alone. Makers with equal revenue may change places, also across the limit.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

# table -> its columns of day, item, buyer's address and amount
CHANNELS = {
    "store_sales": ("ss_sold_date_sk", "ss_item_sk", "ss_addr_sk", "ss_ext_sales_price"),
    "catalog_sales": ("cs_sold_date_sk", "cs_item_sk", "cs_bill_addr_sk", "cs_ext_sales_price"),
    "web_sales": ("ws_sold_date_sk", "ws_item_sk", "ws_bill_addr_sk", "ws_ext_sales_price"),
}


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred makers with the lowest revenue, missing revenue first."""
    april = tables["date_dim"].where((F.col("d_year") == 1999) & (F.col("d_moy") == 4)).select("d_date_sk")
    addresses = tables["customer_address"].where(F.col("ca_gmt_offset") == -5).select("ca_address_sk")
    book_makers = tables["item"].where(F.col("i_category") == "Books").select("i_manufact_id")
    items = (
        tables["item"].select("i_item_sk", "i_manufact_id").join(book_makers, "i_manufact_id", "left_semi")
    )
    totals = [
        tables[table]
        .select(
            F.col(day).alias("d_date_sk"),
            F.col(item).alias("i_item_sk"),
            F.col(address).alias("ca_address_sk"),
            F.col(amount).alias("amount"),
        )
        .join(april, "d_date_sk")
        .join(addresses, "ca_address_sk")
        .join(items, "i_item_sk")
        .groupBy("i_manufact_id")
        .agg(F.sum("amount").alias("total_sales"))
        for table, (day, item, address, amount) in CHANNELS.items()
    ]
    return (
        reduce(lambda stack, more: stack.unionByName(more), totals)
        .groupBy("i_manufact_id")
        .agg(F.sum("total_sales").alias("total_sales"))
        .orderBy("total_sales")
        .limit(100)
    )
