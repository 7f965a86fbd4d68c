"""q11: customers whose web spending grew faster from 1999 to 2000 than their store spending.

An independent reading of TPC-DS query 11 in the DataFrame API. Spending of a channel and a year is summed per
customer with all the customer's attributes, the years are then matched by customer id alone.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

OUTPUT = ("customer_id", "customer_first_name", "customer_last_name", "customer_email_address")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred customers by id, with name and e-mail as of their store purchases in 2000."""
    customers = tables["customer"].select(
        "c_customer_sk",
        F.col("c_customer_id").alias("customer_id"),
        F.col("c_first_name").alias("customer_first_name"),
        F.col("c_last_name").alias("customer_last_name"),
        F.col("c_email_address").alias("customer_email_address"),
        # Two rows of one customer id that differ in these alone stay two rows.
        "c_preferred_cust_flag",
        "c_birth_country",
        "c_login",
    )
    days = tables["date_dim"].select("d_date_sk", "d_year")
    store = tables["store_sales"].select(
        F.col("ss_customer_sk").alias("c_customer_sk"),
        F.col("ss_sold_date_sk").alias("d_date_sk"),
        (F.col("ss_ext_list_price") - F.col("ss_ext_discount_amt")).alias("paid"),
    )
    web = tables["web_sales"].select(
        F.col("ws_bill_customer_sk").alias("c_customer_sk"),
        F.col("ws_sold_date_sk").alias("d_date_sk"),
        (F.col("ws_ext_list_price") - F.col("ws_ext_discount_amt")).alias("paid"),
    )
    in_stores = growth(yearly(store, customers, days), "store_growth")
    on_the_web = growth(yearly(web, customers, days), "web_growth").select("customer_id", "web_growth")
    return (
        in_stores.join(on_the_web, "customer_id")
        .where(F.col("web_growth") > F.col("store_growth"))
        .select(*OUTPUT)
        .orderBy(*OUTPUT)
        .limit(100)
    )


def yearly(lines: DataFrame, customers: DataFrame, days: DataFrame) -> DataFrame:
    """Sum what each customer paid in each year."""
    attributes = [name for name in customers.columns if name != "c_customer_sk"]
    return (
        lines.join(customers, "c_customer_sk")
        .join(days, "d_date_sk")
        .groupBy(*attributes, "d_year")
        .agg(F.sum("paid").alias("paid"))
    )


def growth(totals: DataFrame, name: str) -> DataFrame:
    """Divide what was paid in 2000 by what was paid in 1999, for customers who paid something in 1999."""
    first = totals.where((F.col("d_year") == 1999) & (F.col("paid") > 0))
    second = totals.where(F.col("d_year") == 2000)
    return second.join(first.select("customer_id", F.col("paid").alias("paid_first")), "customer_id").select(
        *OUTPUT, (F.col("paid") / F.col("paid_first")).alias(name)
    )
