"""A pivot over weekdays; the two halves by one function."""

from pyspark.sql import functions as F


DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]



def solve(spark, tables):
    dates = tables["date_dim"]
    weeks = (
        tables["store_sales"].join(dates, F.expr("ss_sold_date_sk = d_date_sk"))
        .groupBy("ss_store_sk", "d_week_seq").pivot("d_day_name", DAYS).agg(F.sum("ss_sales_price"))
        .join(tables["store"], F.expr("ss_store_sk = s_store_sk"))
        .select("s_store_name", "s_store_id", "d_week_seq", *DAYS)
    )

    def half(first, last, side):
        days = dates.where(f"d_month_seq between {first} and {last}").select("d_week_seq")
        return weeks.join(days, "d_week_seq").alias(side)

    y, x = half(1206, 1217, "y"), half(1218, 1229, "x")
    ratios = [
        (F.col(f"y.{day}") / F.col(f"x.{day}")).alias("({0}_sales1 / {0}_sales2)".format(day[:3].lower())) for day in DAYS
    ]
    keys = [F.col(f"y.{name}").alias(f"{name}1") for name in ("s_store_name", "s_store_id", "d_week_seq")]
    return (
        y.join(x, F.expr("y.s_store_id = x.s_store_id and y.d_week_seq = x.d_week_seq - 52"))
        .select(*keys, *ratios)
        .orderBy("s_store_name1", "s_store_id1", "d_week_seq1")
        .limit(100)
    )
