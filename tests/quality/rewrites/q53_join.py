"""The mean by a join instead of a window."""

from pyspark.sql import functions as F


FIRST = ["scholaramalgamalg #14", "scholaramalgamalg #7", "exportiunivamalg #9", "scholaramalgamalg #9"]
SECOND = ["amalgimporto #1", "edu packscholar #1", "exportiimporto #1", "importoamalg #1"]


def solve(spark, tables):
    kind, line, brand = F.col("i_category"), F.col("i_class"), F.col("i_brand")
    one = kind.isin("Books", "Children", "Electronics") & line.isin("personal", "portable", "reference", "self-help") & brand.isin(FIRST)
    two = kind.isin("Women", "Music", "Men") & line.isin("accessories", "classical", "fragrances", "pants") & brand.isin(SECOND)
    quarters = (
        tables["store_sales"]
        .join(tables["item"].where(one | two), F.expr("ss_item_sk = i_item_sk"))
        .join(tables["date_dim"].where("d_month_seq >= 1197 and d_month_seq <= 1208"), F.expr("ss_sold_date_sk = d_date_sk"))
        .join(tables["store"], F.expr("ss_store_sk = s_store_sk"), "leftsemi")
        .groupBy("i_manufact_id", "d_qoy")
        .agg(F.sum("ss_sales_price").alias("sum_sales"))
    )
    means = quarters.groupBy(F.col("i_manufact_id").alias("maker")).agg(F.avg("sum_sales").alias("avg_quarterly_sales"))
    rated = quarters.join(means, F.col("i_manufact_id").eqNullSafe(F.col("maker")))
    far = F.expr("case when avg_quarterly_sales > 0 then abs(sum_sales - avg_quarterly_sales) / avg_quarterly_sales end > 0.1")
    return rated.where(far).select("i_manufact_id", "sum_sales", "avg_quarterly_sales").sort(
        "avg_quarterly_sales", "sum_sales", "i_manufact_id").limit(100)
