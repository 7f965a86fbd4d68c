"""A pivot over weekdays instead of seven conditional sums."""

from pyspark.sql import functions as F


DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]



def solve(spark, tables):
    web = tables["web_sales"].selectExpr("ws_sold_date_sk as day", "ws_ext_sales_price as price")
    lines = web.union(tables["catalog_sales"].selectExpr("cs_sold_date_sk", "cs_ext_sales_price"))
    dates = tables["date_dim"]
    weeks = (
        lines.join(dates, F.col("day") == dates.d_date_sk)
        .groupBy("d_week_seq")
        .pivot("d_day_name", DAYS)
        .agg(F.sum("price"))
    )
    y = dates.filter("d_year = 2000").select("d_week_seq").join(weeks, "d_week_seq").alias("y")
    z = dates.filter("d_year = 2001").select("d_week_seq").join(weeks, "d_week_seq").alias("z")
    names = [day[:3].lower() + "_sales" for day in DAYS]
    return (
        y.join(z, F.expr("y.d_week_seq + 53 = z.d_week_seq"))
        .select(
            F.col("y.d_week_seq").alias("d_week_seq1"),
            *[
                F.round(F.col(f"y.{day}") / F.col(f"z.{day}"), 2).alias(f"round(({n}1 / {n}2), 2)")
                for day, n in zip(DAYS, names)
            ],
        )
        .sort("d_week_seq1")
    )
