"""The three blocks of statistics by one loop; calendars joined by name."""

from pyspark.sql import functions as F


def solve(spark, tables):
    quarters = tables["date_dim"].selectExpr("d_date_sk", "d_quarter_name as quarter")
    first = quarters.where("quarter = '1999Q1'").select(F.col("d_date_sk").alias("ss_sold_date_sk"))
    three = quarters.where(F.col("quarter").isin("1999Q1", "1999Q2", "1999Q3")).select("d_date_sk")
    lines = (
        tables["store_sales"].join(first, "ss_sold_date_sk")
        .join(tables["store_returns"].join(three.withColumnRenamed("d_date_sk", "sr_returned_date_sk"), "sr_returned_date_sk"),
              F.expr("ss_customer_sk = sr_customer_sk and ss_item_sk = sr_item_sk and ss_ticket_number = sr_ticket_number"))
        .join(tables["catalog_sales"].join(three.withColumnRenamed("d_date_sk", "cs_sold_date_sk"), "cs_sold_date_sk"),
              F.expr("sr_customer_sk = cs_bill_customer_sk and sr_item_sk = cs_item_sk"))
        .join(tables["store"], F.expr("s_store_sk = ss_store_sk"))
        .join(tables["item"], F.expr("i_item_sk = ss_item_sk"))
    )
    measures = []
    for name, column in (("store_sales", "ss_quantity"), ("store_returns", "sr_return_quantity"), ("catalog_sales", "cs_quantity")):
        measures += [
            F.count(column).alias(f"{name}_quantitycount"), F.avg(column).alias(f"{name}_quantityave"),
            F.stddev(column).alias(f"{name}_quantitystdev"),
            (F.stddev(column) / F.avg(column)).alias(f"{name}_quantitycov"),
        ]
    keys = ["i_item_id", "i_item_desc", "s_state"]
    return lines.groupBy(keys).agg(*measures).sort(*keys).limit(100)
