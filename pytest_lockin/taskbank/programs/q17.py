"""q17: quantity statistics of store purchases that were returned and bought again by catalog, 1999.

An independent reading of TPC-DS query 17 in the DataFrame API. A store line of the first quarter is followed
to its return (same customer, item and ticket) and to every catalog line of that customer and item, both
within the first three quarters.

TIES: none. The order covers the group keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

QUANTITIES = {
    "store_sales": "ss_quantity",
    "store_returns": "sr_return_quantity",
    "catalog_sales": "cs_quantity",
}


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return count, mean, deviation and coefficient of variation of three quantities per item and state."""
    days = tables["date_dim"].select("d_date_sk", "d_quarter_name")
    first_quarter = days.where(F.col("d_quarter_name") == "1999Q1").select("d_date_sk")
    three_quarters = days.where(F.col("d_quarter_name").isin("1999Q1", "1999Q2", "1999Q3")).select(
        "d_date_sk"
    )
    sold = (
        tables["store_sales"]
        .select(
            F.col("ss_sold_date_sk").alias("d_date_sk"),
            F.col("ss_customer_sk").alias("customer_sk"),
            F.col("ss_item_sk").alias("item_sk"),
            F.col("ss_ticket_number").alias("ticket"),
            "ss_store_sk",
            "ss_quantity",
        )
        .join(first_quarter, "d_date_sk", "left_semi")
        .drop("d_date_sk")
    )
    returned = (
        tables["store_returns"]
        .select(
            F.col("sr_returned_date_sk").alias("d_date_sk"),
            F.col("sr_customer_sk").alias("customer_sk"),
            F.col("sr_item_sk").alias("item_sk"),
            F.col("sr_ticket_number").alias("ticket"),
            "sr_return_quantity",
        )
        .join(three_quarters, "d_date_sk", "left_semi")
        .drop("d_date_sk")
    )
    bought_again = (
        tables["catalog_sales"]
        .select(
            F.col("cs_sold_date_sk").alias("d_date_sk"),
            F.col("cs_bill_customer_sk").alias("customer_sk"),
            F.col("cs_item_sk").alias("item_sk"),
            "cs_quantity",
        )
        .join(three_quarters, "d_date_sk", "left_semi")
        .drop("d_date_sk")
    )
    stores = tables["store"].select(F.col("s_store_sk").alias("ss_store_sk"), "s_state")
    items = tables["item"].select(F.col("i_item_sk").alias("item_sk"), "i_item_id", "i_item_desc")
    statistics = [column for table, quantity in QUANTITIES.items() for column in describe(table, quantity)]
    return (
        sold.join(returned, ["customer_sk", "item_sk", "ticket"])
        .join(bought_again, ["customer_sk", "item_sk"])
        .join(stores, "ss_store_sk")
        .join(items, "item_sk")
        .groupBy("i_item_id", "i_item_desc", "s_state")
        .agg(*statistics)
        .orderBy("i_item_id", "i_item_desc", "s_state")
        .limit(100)
    )


def describe(table: str, quantity: str) -> list[Column]:
    """Give the four statistics of one quantity; the deviation of a single value is null."""
    mean, deviation = F.avg(quantity), F.stddev_samp(quantity)
    return [
        F.count(quantity).alias(f"{table}_quantitycount"),
        mean.alias(f"{table}_quantityave"),
        deviation.alias(f"{table}_quantitystdev"),
        (deviation / mean).alias(f"{table}_quantitycov"),
    ]
