"""q93: what each customer kept of the store lines returned because they came too late.

An independent reading of TPC-DS query 93 in the DataFrame API. Only returned lines count, since the reason is
the return's; a return without a quantity takes nothing back. Lines without a customer are one row.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred customers with the lowest kept sales, missing totals first."""
    too_late = (
        tables["reason"].where(F.col("r_reason_desc") == "Did not get it on time").select("r_reason_sk")
    )
    returned = (
        tables["store_returns"]
        .select(
            F.col("sr_item_sk").alias("ss_item_sk"),
            F.col("sr_ticket_number").alias("ss_ticket_number"),
            F.col("sr_reason_sk").alias("r_reason_sk"),
            "sr_return_quantity",
        )
        .join(too_late, "r_reason_sk")
    )
    kept = F.col("ss_quantity") - F.coalesce("sr_return_quantity", F.lit(0))
    return (
        tables["store_sales"]
        .select("ss_item_sk", "ss_ticket_number", "ss_customer_sk", "ss_quantity", "ss_sales_price")
        .join(returned, ["ss_item_sk", "ss_ticket_number"])
        .groupBy("ss_customer_sk")
        .agg(F.sum(kept * F.col("ss_sales_price")).alias("sumsales"))
        .orderBy("sumsales", "ss_customer_sk")
        .limit(100)
    )
