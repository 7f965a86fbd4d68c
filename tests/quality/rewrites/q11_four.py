"""Four totals joined by name; guards as filters."""

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



AMOUNT = "sum(@_ext_list_price - @_ext_discount_amt)"


def solve(spark, tables):
    store = ("store_sales", "ss", "ss_customer_sk")
    web = ("web_sales", "ws", "ws_bill_customer_sk")
    ident = F.col("c_customer_id").alias("customer_id")
    s1 = total(tables, *store, AMOUNT, 1999).where("total > 0").select(ident, F.col("total").alias("s1"))
    w1 = total(tables, *web, AMOUNT, 1999).where("total > 0").select(ident, F.col("total").alias("w1"))
    w2 = total(tables, *web, AMOUNT, 2000).select(ident, F.col("total").alias("w2"))
    s2 = total(tables, *store, AMOUNT, 2000).select(
        ident, F.col("c_first_name").alias("customer_first_name"), F.col("c_last_name").alias("customer_last_name"),
        F.col("c_email_address").alias("customer_email_address"), F.col("total").alias("s2"),
    )
    joined = s2.join(s1, "customer_id").join(w1, "customer_id").join(w2, "customer_id")
    names = ["customer_id", "customer_first_name", "customer_last_name", "customer_email_address"]
    return joined.where(F.col("w2") / F.col("w1") > F.col("s2") / F.col("s1")).select(names).sort(names).limit(100)
