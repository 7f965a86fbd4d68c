"""Bounds chosen by CASE instead of three alternatives."""

from pyspark.sql import functions as F


def solve(spark, tables):
    band = F.expr("""case when cd_marital_status = 'W' and cd_education_status = '2 yr Degree' then 100
                          when cd_marital_status = 'S' and cd_education_status = 'Advanced Degree' then 50
                          when cd_marital_status = 'D' and cd_education_status = 'Primary' then 150 end""")
    least = F.expr("""case when ca_state in ('IL', 'KY', 'OR') then 0 when ca_state in ('VA', 'FL', 'AL') then 150
                           when ca_state in ('OK', 'IA', 'TX') then 50 end""")
    most = F.expr("""case when ca_state in ('IL', 'KY', 'OR') then 2000 when ca_state in ('VA', 'FL', 'AL') then 3000
                          when ca_state in ('OK', 'IA', 'TX') then 25000 end""")
    return (
        tables["store_sales"]
        .join(tables["store"], F.expr("s_store_sk = ss_store_sk"))
        .join(tables["date_dim"].where("d_year = 2001"), F.expr("ss_sold_date_sk = d_date_sk"))
        .join(tables["customer_demographics"], F.expr("cd_demo_sk = ss_cdemo_sk"))
        .join(tables["customer_address"].where("ca_country = 'United States'"), F.expr("ss_addr_sk = ca_address_sk"))
        .where(F.col("ss_sales_price").between(band, band + 50))
        .where(F.col("ss_net_profit").between(least, most))
        .agg(F.sum("ss_quantity").alias("sum(ss_quantity)"))
    )
