"""q02: weekday ratios of web and catalog revenue, weeks of 2000 over the weeks 53 later.

An independent reading of TPC-DS query 2 in the DataFrame API. A weekday without sales has a null total, so
its ratio is null. The weekly totals meet the calendar once per day of the year, on both sides, so a full
pair of weeks gives 49 equal rows.

TIES: none. There is no limit, and rows of one week are equal.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return one row per pair of calendar days whose weeks are 53 apart."""
    calendar = tables["date_dim"].select("d_date_sk", "d_week_seq", "d_day_name", "d_year")
    weekly = total_by_weekday(tables, calendar)
    earlier = weeks_of(calendar, 2000).join(weekly, "d_week_seq").select(*renamed("1"))
    later = weeks_of(calendar, 2001).join(weekly, "d_week_seq").select(*renamed("2"))
    pairs = earlier.join(later, F.col("d_week_seq1") == F.col("d_week_seq2") - 53)
    return pairs.select("d_week_seq1", *(ratio(day) for day in DAYS)).orderBy("d_week_seq1")


def total_by_weekday(tables: Mapping[str, DataFrame], calendar: DataFrame) -> DataFrame:
    """Total the stacked sales lines of each week, one column per weekday."""
    channels = [("web_sales", "ws"), ("catalog_sales", "cs")]
    lines = reduce(
        lambda stack, more: stack.unionByName(more),
        [
            tables[table].select(
                F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
                F.col(f"{prefix}_ext_sales_price").alias("price"),
            )
            for table, prefix in channels
        ],
    )
    totals = [F.sum(F.when(F.col("d_day_name") == day, F.col("price"))).alias(short(day)) for day in DAYS]
    return lines.join(calendar, "d_date_sk").groupBy("d_week_seq").agg(*totals)


def weeks_of(calendar: DataFrame, year: int) -> DataFrame:
    """Give the week number of every day of the year: a week comes once per day."""
    return calendar.where(F.col("d_year") == year).select("d_week_seq")


def renamed(side: str) -> list[Column]:
    """Mark the columns of one side of the pair."""
    return [F.col(name).alias(f"{name}{side}") for name in ("d_week_seq", *(short(day) for day in DAYS))]


def ratio(day: str) -> Column:
    """Divide the weekday's totals, under the name Spark gives the statement's expression."""
    upper, lower = f"{short(day)}1", f"{short(day)}2"
    return F.round(F.col(upper) / F.col(lower), 2).alias(f"round(({upper} / {lower}), 2)")


def short(day: str) -> str:
    """Shorten a weekday to the column name of its total."""
    return f"{day[:3].lower()}_sales"
