"""Everything joined first, filtered last, with SQL text."""

from pyspark.sql import functions as F


def solve(spark, tables):
    return (
        tables["store_sales"]
        .join(tables["item"], F.expr("ss_item_sk = i_item_sk"))
        .join(tables["date_dim"], F.expr("ss_sold_date_sk = d_date_sk"))
        .filter("i_manufact_id = 445 and d_moy = 12")
        .groupBy("d_year", "i_brand", "i_brand_id")
        .agg(F.expr("sum(ss_net_profit) as sum_agg"))
        .selectExpr("d_year", "i_brand_id as brand_id", "i_brand as brand", "sum_agg")
        .orderBy(F.asc("d_year"), F.desc("sum_agg"), F.asc("brand_id"))
        .limit(100)
    )
