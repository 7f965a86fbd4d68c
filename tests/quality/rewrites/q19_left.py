"""Zip codes cut beforehand and compared as columns; filters on the joined rows."""

from pyspark.sql import functions as F


def solve(spark, tables):
    homes = tables["customer"].join(tables["customer_address"], F.expr("c_current_addr_sk = ca_address_sk")).select(
        "c_customer_sk", F.substring("ca_zip", 1, 5).alias("home")
    )
    shops = tables["store"].select("s_store_sk", F.expr("left(s_zip, 5)").alias("shop"))
    return (
        tables["date_dim"].join(tables["store_sales"], F.col("d_date_sk") == F.col("ss_sold_date_sk"))
        .join(tables["item"], F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(homes, F.col("ss_customer_sk") == F.col("c_customer_sk"))
        .join(shops, F.col("ss_store_sk") == F.col("s_store_sk"))
        .where((F.col("i_manager_id") == 8) & (F.col("d_moy") == 11) & (F.col("d_year") == 1999))
        .where(~(F.col("home") == F.col("shop")))
        .groupBy(F.col("i_brand_id").alias("brand_id"), F.col("i_brand").alias("brand"), "i_manufact_id", "i_manufact")
        .agg(F.sum("ss_ext_sales_price").alias("ext_price"))
        .orderBy(F.desc("ext_price"), "brand", "brand_id", "i_manufact_id", "i_manufact")
        .limit(100)
    )
