"""Left semi joins for every table that only filters."""

from pyspark.sql import functions as F


def solve(spark, tables):
    people = tables["customer_demographics"].where(
        "cd_gender = 'M' and cd_marital_status = 'M' and cd_education_status = '4 yr Degree'"
    )
    quiet = tables["promotion"].where((F.col("p_channel_email") == "N") | (F.col("p_channel_event") == "N"))
    year = tables["date_dim"].where(F.col("d_year").isin([2001]))
    lines = tables["store_sales"]
    for other, mine, yours in ((people, "ss_cdemo_sk", "cd_demo_sk"), (quiet, "ss_promo_sk", "p_promo_sk"),
                               (year, "ss_sold_date_sk", "d_date_sk")):
        lines = lines.join(other, F.col(mine) == F.col(yours), "leftsemi")
    measures = ["ss_quantity", "ss_list_price", "ss_coupon_amt", "ss_sales_price"]
    return (
        tables["item"].join(lines, F.col("i_item_sk") == F.col("ss_item_sk"))
        .groupBy("i_item_id")
        .agg(*[F.mean(name).alias(f"agg{place}") for place, name in enumerate(measures, 1)])
        .sort(F.col("i_item_id").asc_nulls_first())
        .limit(100)
    )
