"""q69: profiles of customers of three states who bought in stores only, February to April 2002.

An independent reading of TPC-DS query 69 in the DataFrame API. A customer counts once; one billed by web or
shipped to by catalog in the period is left out.

TIES: none. The order covers the group keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

PROFILE = (
    "cd_gender",
    "cd_marital_status",
    "cd_education_status",
    "cd_purchase_estimate",
    "cd_credit_rating",
)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred profiles with their number of customers, three times as asked."""
    days = (
        tables["date_dim"].where((F.col("d_year") == 2002) & F.col("d_moy").between(2, 4)).select("d_date_sk")
    )
    in_stores = buyers(tables["store_sales"], "ss_customer_sk", "ss_sold_date_sk", days)
    by_web = buyers(tables["web_sales"], "ws_bill_customer_sk", "ws_sold_date_sk", days)
    by_catalog = buyers(tables["catalog_sales"], "cs_ship_customer_sk", "cs_sold_date_sk", days)
    addresses = (
        tables["customer_address"].where(F.col("ca_state").isin("IN", "VA", "MS")).select("ca_address_sk")
    )
    profiles = tables["customer_demographics"].select("cd_demo_sk", *PROFILE)
    return (
        tables["customer"]
        .select("c_customer_sk", "c_current_addr_sk", "c_current_cdemo_sk")
        .join(in_stores, "c_customer_sk", "left_semi")
        .join(by_web, "c_customer_sk", "left_anti")
        .join(by_catalog, "c_customer_sk", "left_anti")
        .join(addresses, F.col("c_current_addr_sk") == F.col("ca_address_sk"))
        .join(profiles, F.col("c_current_cdemo_sk") == F.col("cd_demo_sk"))
        .groupBy(*PROFILE)
        .agg(F.count(F.lit(1)).alias("customers"))
        .orderBy(*PROFILE)
        .limit(100)
        .select(
            "cd_gender",
            "cd_marital_status",
            "cd_education_status",
            F.col("customers").alias("cnt1"),
            "cd_purchase_estimate",
            F.col("customers").alias("cnt2"),
            "cd_credit_rating",
            F.col("customers").alias("cnt3"),
        )
    )


def buyers(table: DataFrame, customer: str, day: str, days: DataFrame) -> DataFrame:
    """Give the customers with a line in the period."""
    return (
        table.select(F.col(customer).alias("c_customer_sk"), F.col(day).alias("d_date_sk"))
        .join(days, "d_date_sk", "left_semi")
        .select("c_customer_sk")
    )
