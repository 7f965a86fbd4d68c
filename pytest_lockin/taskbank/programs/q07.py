"""q07: average store sale figures per item in 2001, for one demographic under selected promotions.

An independent reading of TPC-DS query 7 in the DataFrame API. A promotion counts when it was not sent by
e-mail or not shown at an event; one with neither flag known does not count.

TIES: none. The item id is the group key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

AVERAGED = ("ss_quantity", "ss_list_price", "ss_coupon_amt", "ss_sales_price")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the averages of the first hundred item ids."""
    people = (
        tables["customer_demographics"]
        .where(F.col("cd_gender") == "M")
        .where(F.col("cd_marital_status") == "M")
        .where(F.col("cd_education_status") == "4 yr Degree")
        .select("cd_demo_sk")
    )
    promotions = (
        tables["promotion"]
        .where((F.col("p_channel_email") == "N") | (F.col("p_channel_event") == "N"))
        .select("p_promo_sk")
    )
    days = tables["date_dim"].where(F.col("d_year") == 2001).select("d_date_sk")
    items = tables["item"].select("i_item_sk", "i_item_id")
    averages = [F.avg(column).alias(f"agg{place}") for place, column in enumerate(AVERAGED, start=1)]
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_cdemo_sk", "ss_promo_sk", *AVERAGED)
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(people, F.col("ss_cdemo_sk") == F.col("cd_demo_sk"))
        .join(promotions, F.col("ss_promo_sk") == F.col("p_promo_sk"))
        .groupBy("i_item_id")
        .agg(*averages)
        .orderBy("i_item_id")
        .limit(100)
    )
