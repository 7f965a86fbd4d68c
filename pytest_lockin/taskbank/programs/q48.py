"""q48: units sold in stores in 2001 that fit a profile with its price band and a region with its profit band.

An independent reading of TPC-DS query 48 in the DataFrame API. Every band needs the line's demographic, its
address, its store and its day, so these are plain joins; the bands are conditions on the joined line.

TIES: none. One row.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

# marital status, education, lowest and highest sales price
PROFILES = (
    ("W", "2 yr Degree", 100, 150),
    ("S", "Advanced Degree", 50, 100),
    ("D", "Primary", 150, 200),
)
# states, lowest and highest net profit
REGIONS = (
    (("IL", "KY", "OR"), 0, 2000),
    (("VA", "FL", "AL"), 150, 3000),
    (("OK", "IA", "TX"), 50, 25000),
)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return one row with the sum, null where no line qualifies."""
    days = tables["date_dim"].where(F.col("d_year") == 2001).select("d_date_sk")
    stores = tables["store"].select("s_store_sk")
    profiles = tables["customer_demographics"].select(
        "cd_demo_sk", "cd_marital_status", "cd_education_status"
    )
    addresses = tables["customer_address"].select("ca_address_sk", "ca_state", "ca_country")
    in_a_region = reduce(or_, [lies_in_region(*region) for region in REGIONS])
    return (
        tables["store_sales"]
        .select(
            "ss_sold_date_sk",
            "ss_store_sk",
            "ss_cdemo_sk",
            "ss_addr_sk",
            "ss_quantity",
            "ss_sales_price",
            "ss_net_profit",
        )
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .join(profiles, F.col("ss_cdemo_sk") == F.col("cd_demo_sk"))
        .where(reduce(or_, [fits_profile(*profile) for profile in PROFILES]))
        .join(addresses, F.col("ss_addr_sk") == F.col("ca_address_sk"))
        .where((F.col("ca_country") == "United States") & in_a_region)
        # The statement leaves its column unnamed; this is Spark's name for it.
        .agg(F.sum("ss_quantity").alias("sum(ss_quantity)"))
    )


def fits_profile(status: str, education: str, low: int, high: int) -> Column:
    """Ask whether such a person bought at such a price, bounds included."""
    return (
        (F.col("cd_marital_status") == status)
        & (F.col("cd_education_status") == education)
        & F.col("ss_sales_price").between(low, high)
    )


def lies_in_region(states: tuple[str, ...], low: int, high: int) -> Column:
    """Ask whether the line went to one of the states with such a profit, bounds included."""
    return F.col("ca_state").isin(*states) & F.col("ss_net_profit").between(low, high)
