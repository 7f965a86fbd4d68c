"""q04: customers whose catalog spending grew faster from 2001 to 2002 than store and web spending.

An independent reading of TPC-DS query 4 in the DataFrame API. Spending of a channel and a year is summed per
customer with all the customer's attributes, the years are then matched by customer id alone.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

NAMES = {
    "c_customer_id": "customer_id",
    "c_first_name": "customer_first_name",
    "c_last_name": "customer_last_name",
    "c_email_address": "customer_email_address",
}
# Two rows of one customer id that differ in these alone stay two rows.
ALSO_GROUPED = ("c_preferred_cust_flag", "c_birth_country", "c_login")
CHANNELS = {
    "store": ("store_sales", "ss", "ss_customer_sk"),
    "catalog": ("catalog_sales", "cs", "cs_bill_customer_sk"),
    "web": ("web_sales", "ws", "ws_bill_customer_sk"),
}
FIRST_YEAR = 2001


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred customers by id, with name and e-mail as of their 2002 store purchases."""
    growth = {channel: grown(tables, channel) for channel in CHANNELS}
    chosen = (
        growth["store"]
        .join(growth["catalog"].select("customer_id", "catalog_growth"), "customer_id")
        .join(growth["web"].select("customer_id", "web_growth"), "customer_id")
        .where(F.col("catalog_growth") > F.col("store_growth"))
        .where(F.col("catalog_growth") > F.col("web_growth"))
    )
    return chosen.select(*NAMES.values()).orderBy(*NAMES.values()).limit(100)


def grown(tables: Mapping[str, DataFrame], channel: str) -> DataFrame:
    """Divide a customer's second-year spending in the channel by a positive first-year spending."""
    spent = spending(tables, channel)
    before = spent.where((F.col("d_year") == FIRST_YEAR) & (F.col("spent") > 0)).select(
        "customer_id", F.col("spent").alias("spent_before")
    )
    after = spent.where(F.col("d_year") == FIRST_YEAR + 1)
    return before.join(after, "customer_id").select(
        *NAMES.values(), (F.col("spent") / F.col("spent_before")).alias(f"{channel}_growth")
    )


def spending(tables: Mapping[str, DataFrame], channel: str) -> DataFrame:
    """Sum half of (list price - wholesale cost - discount + sales price) per customer and year."""
    table, prefix, customer_key = CHANNELS[channel]
    amount = {
        part: F.col(f"{prefix}_ext_{part}")
        for part in ("list_price", "wholesale_cost", "discount_amt", "sales_price")
    }
    value = (
        amount["list_price"] - amount["wholesale_cost"] - amount["discount_amt"] + amount["sales_price"]
    ) / 2
    lines = tables[table].select(
        F.col(customer_key).alias("c_customer_sk"),
        F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
        value.alias("value"),
    )
    years = (
        tables["date_dim"]
        .where(F.col("d_year").isin(FIRST_YEAR, FIRST_YEAR + 1))
        .select("d_date_sk", "d_year")
    )
    customers = tables["customer"].select("c_customer_sk", *NAMES, *ALSO_GROUPED)
    return (
        lines.join(years, "d_date_sk")
        .join(customers, "c_customer_sk")
        .groupBy(*(F.col(name).alias(new) for name, new in NAMES.items()), *ALSO_GROUPED, "d_year")
        .agg(F.sum("value").alias("spent"))
    )
