"""Two kinds of lines, with and without a returned quantity, totalled together."""

from pyspark.sql import functions as F


def solve(spark, tables):
    late = tables["reason"].where("r_reason_desc = 'Did not get it on time'")
    back = tables["store_returns"].join(late, F.expr("sr_reason_sk = r_reason_sk"), "leftsemi")
    lines = tables["store_sales"].join(
        back, [F.expr("ss_item_sk = sr_item_sk"), F.expr("ss_ticket_number = sr_ticket_number")]
    )
    known, unknown = lines.where("sr_return_quantity is not null"), lines.where("sr_return_quantity is null")
    sales = known.selectExpr("ss_customer_sk", "(ss_quantity - sr_return_quantity) * ss_sales_price as act_sales").union(
        unknown.selectExpr("ss_customer_sk", "ss_quantity * ss_sales_price as act_sales")
    )
    return sales.groupBy("ss_customer_sk").agg(F.sum("act_sales").alias("sumsales")).orderBy("sumsales", "ss_customer_sk").limit(100)
