"""q19: November 1999 revenue by brand and maker, from store customers who live outside the store's area.

An independent reading of TPC-DS query 19 in the DataFrame API. An area is the first five characters of a zip
code; a missing zip code is outside of nothing.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred brands and makers with the highest revenue, for the items of manager 8."""
    november = (
        tables["date_dim"]
        .where((F.col("d_year") == 1999) & (F.col("d_moy") == 11))
        .select(F.col("d_date_sk").alias("ss_sold_date_sk"))
    )
    items = (
        tables["item"]
        .where(F.col("i_manager_id") == 8)
        .select(
            F.col("i_item_sk").alias("ss_item_sk"), "i_brand_id", "i_brand", "i_manufact_id", "i_manufact"
        )
    )
    homes = tables["customer_address"].select(
        F.col("ca_address_sk").alias("c_current_addr_sk"), F.substring("ca_zip", 1, 5).alias("home_area")
    )
    customers = (
        tables["customer"]
        .select(F.col("c_customer_sk").alias("ss_customer_sk"), "c_current_addr_sk")
        .join(homes, "c_current_addr_sk")
    )
    stores = tables["store"].select(
        F.col("s_store_sk").alias("ss_store_sk"), F.substring("s_zip", 1, 5).alias("store_area")
    )
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_customer_sk", "ss_store_sk", "ss_ext_sales_price")
        .join(november, "ss_sold_date_sk")
        .join(items, "ss_item_sk")
        .join(customers, "ss_customer_sk")
        .join(stores, "ss_store_sk")
        .where(F.col("home_area") != F.col("store_area"))
        .groupBy(
            F.col("i_brand_id").alias("brand_id"),
            F.col("i_brand").alias("brand"),
            "i_manufact_id",
            "i_manufact",
        )
        .agg(F.sum("ss_ext_sales_price").alias("ext_price"))
        .orderBy(F.desc("ext_price"), "brand", "brand_id", "i_manufact_id", "i_manufact")
        .limit(100)
    )
