"""q72: catalog lines of 1999 whose item was short in some warehouse in the week of sale, by promotion.

An independent reading of TPC-DS query 72 in the DataFrame API. A line meets every stock count of its item in
the week it was sold; it counts where the stock was below its quantity and it was shipped more than five days
later. Promotions and returns filter nothing, but several returns of one line repeat it.

TIES: none. The order covers the group keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred item descriptions, warehouses and weeks with the most such lines."""
    days = tables["date_dim"].select("d_date_sk", "d_date", "d_week_seq", "d_year")
    lines = late_lines(tables, days)
    stock = weekly_stock(tables, days)
    promotions = tables["promotion"].select("p_promo_sk")
    returns = tables["catalog_returns"].select(
        F.col("cr_item_sk").alias("cs_item_sk"), F.col("cr_order_number").alias("cs_order_number")
    )
    items = tables["item"].select(F.col("i_item_sk").alias("cs_item_sk"), "i_item_desc")
    promoted = F.col("p_promo_sk").isNotNull()
    return (
        lines.join(stock, ["cs_item_sk", "d_week_seq"])
        .where(F.col("inv_quantity_on_hand") < F.col("cs_quantity"))
        .join(items, "cs_item_sk")
        .join(promotions, F.col("cs_promo_sk") == F.col("p_promo_sk"), "left")
        .join(returns, ["cs_item_sk", "cs_order_number"], "left")
        .groupBy("i_item_desc", "w_warehouse_name", "d_week_seq")
        .agg(
            F.count(F.when(~promoted, 1)).alias("no_promo"),
            F.count(F.when(promoted, 1)).alias("promo"),
            F.count(F.lit(1)).alias("total_cnt"),
        )
        .orderBy(F.desc("total_cnt"), "i_item_desc", "w_warehouse_name", "d_week_seq")
        .limit(100)
    )


def late_lines(tables: Mapping[str, DataFrame], days: DataFrame) -> DataFrame:
    """Give the lines sold in 1999 to the wanted buyers and shipped more than five days later."""
    sold = days.where(F.col("d_year") == 1999).select(
        F.col("d_date_sk").alias("cs_sold_date_sk"), F.col("d_date").alias("sold_on"), "d_week_seq"
    )
    shipped = days.select(F.col("d_date_sk").alias("cs_ship_date_sk"), F.col("d_date").alias("shipped_on"))
    single = (
        tables["customer_demographics"]
        .where(F.col("cd_marital_status") == "S")
        .select(F.col("cd_demo_sk").alias("cs_bill_cdemo_sk"))
    )
    potential = (
        tables["household_demographics"]
        .where(F.col("hd_buy_potential") == "501-1000")
        .select(F.col("hd_demo_sk").alias("cs_bill_hdemo_sk"))
    )
    return (
        tables["catalog_sales"]
        .select(
            "cs_sold_date_sk",
            "cs_ship_date_sk",
            "cs_bill_cdemo_sk",
            "cs_bill_hdemo_sk",
            "cs_item_sk",
            "cs_order_number",
            "cs_promo_sk",
            "cs_quantity",
        )
        .join(sold, "cs_sold_date_sk")
        .join(shipped, "cs_ship_date_sk")
        .where(F.col("shipped_on") > F.date_add("sold_on", 5))
        .join(single, "cs_bill_cdemo_sk")
        .join(potential, "cs_bill_hdemo_sk")
        .select("cs_item_sk", "cs_order_number", "cs_promo_sk", "cs_quantity", "d_week_seq")
    )


def weekly_stock(tables: Mapping[str, DataFrame], days: DataFrame) -> DataFrame:
    """Give every stock count with its week and the warehouse's name."""
    counted = days.select(F.col("d_date_sk").alias("inv_date_sk"), "d_week_seq")
    warehouses = tables["warehouse"].select(
        F.col("w_warehouse_sk").alias("inv_warehouse_sk"), "w_warehouse_name"
    )
    return (
        tables["inventory"]
        .select(
            "inv_date_sk",
            F.col("inv_item_sk").alias("cs_item_sk"),
            "inv_warehouse_sk",
            "inv_quantity_on_hand",
        )
        .join(counted, "inv_date_sk")
        .join(warehouses, "inv_warehouse_sk")
        .select("cs_item_sk", "d_week_seq", "w_warehouse_name", "inv_quantity_on_hand")
    )
