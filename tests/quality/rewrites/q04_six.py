"""Six totals joined one after the other; guards as filters."""

from pyspark.sql import functions as F


KEYS = [
    "c_customer_id", "c_first_name", "c_last_name", "c_preferred_cust_flag",
    "c_birth_country", "c_login", "c_email_address",
]


def total(tables, table, prefix, customer, amount, year):
    return (
        tables[table]
        .join(tables["customer"], F.col(customer) == F.col("c_customer_sk"))
        .join(tables["date_dim"].where(f"d_year = {year}"), F.col(f"{prefix}_sold_date_sk") == F.col("d_date_sk"))
        .groupBy(*KEYS)
        .agg(F.expr(amount.replace("@", prefix)).alias("total"))
    )



AMOUNT = "sum(((@_ext_list_price - @_ext_wholesale_cost - @_ext_discount_amt) + @_ext_sales_price) / 2)"
CHANNELS = {"s": ("store_sales", "ss", "ss_customer_sk"), "c": ("catalog_sales", "cs", "cs_bill_customer_sk"),
            "w": ("web_sales", "ws", "ws_bill_customer_sk")}


def solve(spark, tables):
    made = None
    for name, channel in CHANNELS.items():
        first = total(tables, *channel, AMOUNT, 2001).where("total > 0")
        first = first.select(F.col("c_customer_id").alias("id"), F.col("total").alias(f"{name}1"))
        second = total(tables, *channel, AMOUNT, 2002).withColumnRenamed("total", f"{name}2")
        second = second.withColumnRenamed("c_customer_id", "id")
        if name != "s":
            second = second.select("id", f"{name}2")
        pair = first.join(second, "id")
        made = pair if made is None else made.join(pair, "id")
    return (
        made.where("c2 / c1 > s2 / s1").where("c2 / c1 > w2 / w1")
        .selectExpr("id as customer_id", "c_first_name as customer_first_name",
                    "c_last_name as customer_last_name", "c_email_address as customer_email_address")
        .orderBy("customer_id", "customer_first_name", "customer_last_name", "customer_email_address")
        .limit(100)
    )
