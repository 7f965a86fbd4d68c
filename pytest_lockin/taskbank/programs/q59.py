"""q59: weekday ratios of store sales, weeks of months 1206 to 1217 over the weeks 52 later.

An independent reading of TPC-DS query 59 in the DataFrame API. Weekly totals are per store record; they meet
the calendar once per day of the period, on both sides, and pair on the store's id alone, so records of one id
are paired with each other. A weekday without sales has a null total, so its ratio is null.

TIES: the order has name, id and week. Where records of one id sold in one week, their rows may change places,
also across the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred pairs by store name, store id and week."""
    calendar = tables["date_dim"].select("d_date_sk", "d_week_seq", "d_day_name", "d_month_seq")
    weekly = total_by_weekday(tables, calendar)
    earlier = in_months(weekly, calendar, 1206, 1217).select(
        F.col("s_store_name").alias("s_store_name1"),
        F.col("s_store_id").alias("s_store_id1"),
        F.col("d_week_seq").alias("d_week_seq1"),
        *(F.col(short(day)).alias(f"{short(day)}1") for day in DAYS),
    )
    later = in_months(weekly, calendar, 1218, 1229).select(
        F.col("s_store_id").alias("s_store_id2"),
        F.col("d_week_seq").alias("d_week_seq2"),
        *(F.col(short(day)).alias(f"{short(day)}2") for day in DAYS),
    )
    same_store = F.col("s_store_id1") == F.col("s_store_id2")
    a_year_on = F.col("d_week_seq1") == F.col("d_week_seq2") - 52
    key = ("s_store_name1", "s_store_id1", "d_week_seq1")
    return (
        earlier.join(later, same_store & a_year_on)
        .select(*key, *(ratio(day) for day in DAYS))
        .orderBy(*key)
        .limit(100)
    )


def total_by_weekday(tables: Mapping[str, DataFrame], calendar: DataFrame) -> DataFrame:
    """Total each store record's sales of each week, one column per weekday, with the store's id and name."""
    stores = tables["store"].select(F.col("s_store_sk").alias("ss_store_sk"), "s_store_id", "s_store_name")
    totals = [
        F.sum(F.when(F.col("d_day_name") == day, F.col("ss_sales_price"))).alias(short(day)) for day in DAYS
    ]
    return (
        tables["store_sales"]
        .select(F.col("ss_sold_date_sk").alias("d_date_sk"), "ss_store_sk", "ss_sales_price")
        .join(calendar, "d_date_sk")
        .groupBy("d_week_seq", "ss_store_sk")
        .agg(*totals)
        .join(stores, "ss_store_sk")
    )


def in_months(weekly: DataFrame, calendar: DataFrame, first: int, last: int) -> DataFrame:
    """Attach the weekly totals to every day of the months."""
    days = calendar.where(F.col("d_month_seq").between(first, last)).select("d_week_seq")
    return days.join(weekly, "d_week_seq")


def ratio(day: str) -> Column:
    """Divide the weekday's totals, under the name Spark gives the statement's expression."""
    upper, lower = f"{short(day)}1", f"{short(day)}2"
    return (F.col(upper) / F.col(lower)).alias(f"({upper} / {lower})")


def short(day: str) -> str:
    """Shorten a weekday to the column name of its total."""
    return f"{day[:3].lower()}_sales"
