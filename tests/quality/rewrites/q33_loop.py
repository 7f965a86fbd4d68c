"""The makers collected once; one loop over channels."""

from pyspark.sql import functions as F


def solve(spark, tables):
    makers = tables["item"].where("i_category = 'Books'").select("i_manufact_id").distinct()
    goods = tables["item"].join(makers, "i_manufact_id").select("i_item_sk", "i_manufact_id")
    april = tables["date_dim"].where("d_year = 1999 and d_moy = 4").select("d_date_sk")
    zone = tables["customer_address"].where(F.col("ca_gmt_offset") == -5).select("ca_address_sk")
    totals = None
    for table, p, address in (("store_sales", "ss", "ss_addr_sk"), ("catalog_sales", "cs", "cs_bill_addr_sk"),
                              ("web_sales", "ws", "ws_bill_addr_sk")):
        channel = (
            tables[table]
            .join(april, F.col(f"{p}_sold_date_sk") == F.col("d_date_sk"), "leftsemi")
            .join(zone, F.col(address) == F.col("ca_address_sk"), "leftsemi")
            .join(goods, F.col(f"{p}_item_sk") == F.col("i_item_sk"))
            .groupBy("i_manufact_id").agg(F.sum(f"{p}_ext_sales_price").alias("total_sales"))
        )
        totals = channel if totals is None else totals.union(channel)
    return totals.groupBy("i_manufact_id").agg(F.sum("total_sales").alias("total_sales")).orderBy("total_sales").limit(100)
