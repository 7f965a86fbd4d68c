"""q13: averages over the store sales of 2001 that fit a household profile and a regional profit band.

An independent reading of TPC-DS query 13 in the DataFrame API. Every profile needs the line's household, its
demographic, its address, its store and its day, so these are plain joins; the alternatives are conditions on
the joined line.

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

# marital status, education, lowest and highest sales price, dependants
PROFILES = (
    ("U", "4 yr Degree", 100, 150, 3),
    ("S", "Unknown", 50, 100, 1),
    ("D", "2 yr Degree", 150, 200, 1),
)
# states, lowest and highest net profit
REGIONS = (
    (("CO", "MI", "MN"), 100, 200),
    (("NC", "NY", "TX"), 150, 300),
    (("CA", "NE", "TN"), 50, 250),
)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return one row: three averages and a total, null where no line qualifies."""
    lines = tables["store_sales"].select(
        "ss_store_sk",
        "ss_sold_date_sk",
        "ss_hdemo_sk",
        "ss_cdemo_sk",
        "ss_addr_sk",
        "ss_quantity",
        "ss_sales_price",
        "ss_ext_sales_price",
        "ss_ext_wholesale_cost",
        "ss_net_profit",
    )
    demographics = tables["customer_demographics"].select(
        "cd_demo_sk", "cd_marital_status", "cd_education_status"
    )
    households = tables["household_demographics"].select("hd_demo_sk", "hd_dep_count")
    addresses = (
        tables["customer_address"]
        .where(F.col("ca_country") == "United States")
        .select("ca_address_sk", "ca_state")
    )
    days = tables["date_dim"].where(F.col("d_year") == 2001).select("d_date_sk")
    return (
        lines.join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(tables["store"].select("s_store_sk"), F.col("ss_store_sk") == F.col("s_store_sk"))
        .join(households, F.col("ss_hdemo_sk") == F.col("hd_demo_sk"))
        .join(demographics, F.col("ss_cdemo_sk") == F.col("cd_demo_sk"))
        .join(addresses, F.col("ss_addr_sk") == F.col("ca_address_sk"))
        .where(reduce(or_, [fits_profile(*profile) for profile in PROFILES]))
        .where(reduce(or_, [lies_in_region(*region) for region in REGIONS]))
        # The statement leaves its columns unnamed; these are Spark's names for them.
        .agg(
            F.avg("ss_quantity").alias("avg(ss_quantity)"),
            F.avg("ss_ext_sales_price").alias("avg(ss_ext_sales_price)"),
            F.avg("ss_ext_wholesale_cost").alias("avg(ss_ext_wholesale_cost)"),
            F.sum("ss_ext_wholesale_cost").alias("sum(ss_ext_wholesale_cost)"),
        )
    )


def fits_profile(status: str, education: str, low: int, high: int, dependants: int) -> Column:
    """Ask whether a line was bought by such a household at such a price, bounds included."""
    return (
        (F.col("cd_marital_status") == status)
        & (F.col("cd_education_status") == education)
        & F.col("ss_sales_price").between(low, high)
        & (F.col("hd_dep_count") == dependants)
    )


def lies_in_region(states: tuple[str, ...], low: int, high: int) -> Column:
    """Ask whether a line went to one of the states with such a profit, bounds included."""
    return F.col("ca_state").isin(*states) & F.col("ss_net_profit").between(low, high)
