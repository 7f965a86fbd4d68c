"""q35: household profiles of customers who bought in stores and elsewhere in the first quarters of 2000.

An independent reading of TPC-DS query 35 in the DataFrame API. A customer counts once, however often he or
she bought: in a store, and by web (as the billed) or catalog (as the one shipped to).

TIES: none. The order covers the group keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

PEOPLE = ("ca_state", "cd_gender", "cd_marital_status")
COUNTS = ("cd_dep_count", "cd_dep_employed_count", "cd_dep_college_count")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred profiles, each with the statistics of its three numbers of dependants."""
    days = tables["date_dim"].where((F.col("d_year") == 2000) & (F.col("d_qoy") < 4)).select("d_date_sk")
    in_stores = buyers(tables["store_sales"], "ss_customer_sk", "ss_sold_date_sk", days)
    by_web = buyers(tables["web_sales"], "ws_bill_customer_sk", "ws_sold_date_sk", days)
    by_catalog = buyers(tables["catalog_sales"], "cs_ship_customer_sk", "cs_sold_date_sk", days)
    addresses = tables["customer_address"].select("ca_address_sk", "ca_state")
    profiles = tables["customer_demographics"].select("cd_demo_sk", *PEOPLE[1:], *COUNTS)
    return (
        tables["customer"]
        .select("c_customer_sk", "c_current_addr_sk", "c_current_cdemo_sk")
        .join(in_stores, "c_customer_sk", "left_semi")
        .join(by_web.unionAll(by_catalog), "c_customer_sk", "left_semi")
        .join(addresses, F.col("c_current_addr_sk") == F.col("ca_address_sk"))
        .join(profiles, F.col("c_current_cdemo_sk") == F.col("cd_demo_sk"))
        .groupBy(*PEOPLE, *COUNTS)
        .agg(
            F.count(F.lit(1)).alias("customers"),
            *(F.max(name).alias(f"max_{name}") for name in COUNTS),
            *(F.stddev_samp(name).alias(f"deviation_{name}") for name in COUNTS),
        )
        .orderBy(*PEOPLE, *COUNTS)
        .limit(100)
        .select(*PEOPLE, *(column for place, name in enumerate(COUNTS, 1) for column in block(place, name)))
    )


def buyers(table: DataFrame, customer: str, day: str, days: DataFrame) -> DataFrame:
    """Give the customers with a line in the period."""
    return (
        table.select(F.col(customer).alias("c_customer_sk"), F.col(day).alias("d_date_sk"))
        .join(days, "d_date_sk", "left_semi")
        .select("c_customer_sk")
    )


def block(place: int, name: str) -> list[Column]:
    """Give the five columns of one number; the deviation comes twice, under Spark's name for both."""
    deviation = F.col(f"deviation_{name}").alias(f"stddev_samp({name})")
    return [
        F.col(name),
        F.col("customers").alias(f"cnt{place}"),
        F.col(f"max_{name}").alias(f"max({name})"),
        deviation,
        deviation,
    ]
