"""q22: average quantity on hand by product, brand, class and category, with subtotals, lowest first.

An independent reading of TPC-DS query 22 in the DataFrame API. Months are numbered; 1201 to 1212 are twelve.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

PRODUCT = ("i_product_name", "i_brand", "i_class", "i_category")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred rows with the lowest average stock, missing averages first."""
    days = tables["date_dim"].where(F.col("d_month_seq").between(1201, 1212)).select("d_date_sk")
    items = tables["item"].select("i_item_sk", *PRODUCT)
    return (
        tables["inventory"]
        .select("inv_date_sk", "inv_item_sk", "inv_quantity_on_hand")
        .join(days, F.col("inv_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("inv_item_sk") == F.col("i_item_sk"))
        .rollup(*PRODUCT)
        .agg(F.avg("inv_quantity_on_hand").alias("qoh"))
        .orderBy("qoh", *PRODUCT)
        .limit(100)
    )
