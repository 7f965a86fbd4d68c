"""The mean by a null-safe join; the condition as a guarded ratio."""

from pyspark.sql import functions as F


def solve(spark, tables):
    one = F.expr("i_category in ('Children', 'Jewelry', 'Home') and i_class in ('infants', 'birdal', 'flatware')")
    two = F.expr("i_category in ('Electronics', 'Music', 'Books') and i_class in ('audio', 'classical', 'science')")
    group = ["i_category", "i_class", "i_brand", "s_store_name", "s_company_name", "d_moy"]
    of = ["i_category", "i_brand", "s_store_name", "s_company_name"]
    months = (
        tables["item"].where(one | two)
        .join(tables["store_sales"], F.expr("ss_item_sk = i_item_sk"))
        .join(tables["store"], F.expr("ss_store_sk = s_store_sk"))
        .join(tables["date_dim"].where("d_year = 2001"), F.expr("ss_sold_date_sk = d_date_sk"))
        .groupBy(group).agg(F.sum("ss_sales_price").alias("sum_sales"))
    )
    means = months.groupBy([F.col(name).alias(f"of_{name}") for name in of]).agg(F.avg("sum_sales").alias("avg_monthly_sales"))
    same = F.lit(True)
    for name in of:
        same = same & F.col(name).eqNullSafe(F.col(f"of_{name}"))
    distance = F.col("sum_sales") - F.col("avg_monthly_sales")
    ratio = F.when(F.col("avg_monthly_sales") != 0, F.abs(distance) / F.col("avg_monthly_sales"))
    return (
        months.join(means, same).where(ratio > 0.1)
        .select(*group, "sum_sales", "avg_monthly_sales")
        .orderBy(distance, "s_store_name")
        .limit(100)
    )
