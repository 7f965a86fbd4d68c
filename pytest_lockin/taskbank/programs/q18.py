"""q18: averages of catalog orders in 1998 by item and the buyer's home, with subtotals.

An independent reading of TPC-DS query 18 in the DataFrame API. The dependants are those of the billing
profile; the customer's current profile only has to exist.

TIES: a county or country that is missing sorts with the subtotal over it, so such rows may change places,
also across the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

PLACE = ("ca_country", "ca_state", "ca_county")
AVERAGED = (
    "cs_quantity",
    "cs_list_price",
    "cs_coupon_amt",
    "cs_sales_price",
    "cs_net_profit",
    "c_birth_year",
    "cd_dep_count",
)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of item, country, state and county, and their subtotals."""
    profiles = tables["customer_demographics"]
    billed = profiles.where((F.col("cd_gender") == "M") & (F.col("cd_education_status") == "Primary")).select(
        F.col("cd_demo_sk").alias("cs_bill_cdemo_sk"), "cd_dep_count"
    )
    current = profiles.select(F.col("cd_demo_sk").alias("c_current_cdemo_sk"))
    homes = (
        tables["customer_address"]
        .where(F.col("ca_state").isin("MS", "NE", "IA", "MI", "GA", "NY", "CO"))
        .select(F.col("ca_address_sk").alias("c_current_addr_sk"), *PLACE)
    )
    customers = (
        tables["customer"]
        .where(F.col("c_birth_month").isin(1, 2, 3, 5, 9, 11))
        .select(
            F.col("c_customer_sk").alias("cs_bill_customer_sk"),
            "c_current_cdemo_sk",
            "c_current_addr_sk",
            "c_birth_year",
        )
        .join(current, "c_current_cdemo_sk")
        .join(homes, "c_current_addr_sk")
    )
    days = (
        tables["date_dim"].where(F.col("d_year") == 1998).select(F.col("d_date_sk").alias("cs_sold_date_sk"))
    )
    items = tables["item"].select(F.col("i_item_sk").alias("cs_item_sk"), "i_item_id")
    averages = [
        F.avg(F.col(column).cast("decimal(12,2)")).alias(f"agg{place}")
        for place, column in enumerate(AVERAGED, start=1)
    ]
    return (
        tables["catalog_sales"]
        .select(
            "cs_sold_date_sk",
            "cs_item_sk",
            "cs_bill_cdemo_sk",
            "cs_bill_customer_sk",
            *(column for column in AVERAGED if column.startswith("cs_")),
        )
        .join(days, "cs_sold_date_sk")
        .join(items, "cs_item_sk")
        .join(billed, "cs_bill_cdemo_sk")
        .join(customers, "cs_bill_customer_sk")
        .rollup("i_item_id", *PLACE)
        .agg(*averages)
        .orderBy(*PLACE, "i_item_id")
        .limit(100)
    )
