"""Months numbered by row_number and joined with themselves."""

from pyspark.sql import Window
from pyspark.sql import functions as F


SERIES = ["i_category", "i_brand", "s_store_name", "s_company_name"]


def solve(spark, tables):
    days = tables["date_dim"].where("d_year = 2001 or (d_year = 2000 and d_moy = 12) or (d_year = 2002 and d_moy = 1)")
    monthly = (
        tables["store_sales"]
        .join(days, F.expr("ss_sold_date_sk = d_date_sk"))
        .join(tables["item"], F.expr("ss_item_sk = i_item_sk"))
        .join(tables["store"], F.expr("ss_store_sk = s_store_sk"))
        .groupBy(*SERIES, "d_year", "d_moy")
        .agg(F.sum("ss_sales_price").alias("sum_sales"))
        .withColumn("place", F.row_number().over(Window.partitionBy(SERIES).orderBy("d_year", "d_moy")))
    )
    yearly = monthly.groupBy(*SERIES, "d_year").agg(F.avg("sum_sales").alias("avg_monthly_sales"))
    before = monthly.select(*SERIES, (F.col("place") + 1).alias("place"), F.col("sum_sales").alias("psum"))
    after = monthly.select(*SERIES, (F.col("place") - 1).alias("place"), F.col("sum_sales").alias("nsum"))
    return (
        monthly.where("d_year = 2001")
        .join(yearly, [*SERIES, "d_year"])
        .join(before, [*SERIES, "place"])
        .join(after, [*SERIES, "place"])
        .where("case when avg_monthly_sales > 0 then abs(sum_sales - avg_monthly_sales) / avg_monthly_sales end > 0.1")
        .select(*SERIES, "d_year", "avg_monthly_sales", "sum_sales", "psum", "nsum")
        .orderBy(F.expr("sum_sales - avg_monthly_sales"), "nsum")
        .limit(100)
    )
