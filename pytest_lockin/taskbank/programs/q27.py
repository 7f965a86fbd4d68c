"""q27: average store sale figures by item and state with subtotals, one demographic in Tennessee, 2000.

An independent reading of TPC-DS query 27 in the DataFrame API.

TIES: none, as long as no item id is missing: a null id would equal the overall row in the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

AVERAGED = ("ss_quantity", "ss_list_price", "ss_coupon_amt", "ss_sales_price")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of item and state, with a mark where the state is rolled up."""
    people = (
        tables["customer_demographics"]
        .where(F.col("cd_gender") == "M")
        .where(F.col("cd_marital_status") == "U")
        .where(F.col("cd_education_status") == "Secondary")
        .select("cd_demo_sk")
    )
    days = tables["date_dim"].where(F.col("d_year") == 2000).select("d_date_sk")
    stores = tables["store"].where(F.col("s_state") == "TN").select("s_store_sk", "s_state")
    items = tables["item"].select("i_item_sk", "i_item_id")
    averages = [F.avg(column).alias(f"agg{place}") for place, column in enumerate(AVERAGED, start=1)]
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", "ss_cdemo_sk", *AVERAGED)
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .join(people, F.col("ss_cdemo_sk") == F.col("cd_demo_sk"))
        .rollup("i_item_id", "s_state")
        .agg(F.grouping("s_state").alias("g_state"), *averages)
        # The mark puts the subtotals first, as a null state would. All states are TN, and an optimiser that
        # takes the column for a constant (pysail 0.7.2 does) drops it from the order.
        .orderBy("i_item_id", F.desc("g_state"), "s_state")
        .limit(100)
    )
