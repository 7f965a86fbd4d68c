"""The alternatives as small tables to join with."""

from pyspark.sql import functions as F


def solve(spark, tables):
    people = spark.createDataFrame(
        [("U", "4 yr Degree", 100, 150, 3), ("S", "Unknown", 50, 100, 1), ("D", "2 yr Degree", 150, 200, 1)],
        "status string, degree string, low int, high int, dep int",
    )
    places = spark.createDataFrame(
        [(state, *band) for states, band in (("CO MI MN", (100, 200)), ("NC NY TX", (150, 300)), ("CA NE TN", (50, 250)))
         for state in states.split()],
        "state string, least int, most int",
    )
    lines = (
        tables["store_sales"]
        .join(tables["store"], F.expr("ss_store_sk = s_store_sk"), "leftsemi")
        .join(tables["date_dim"].where("d_year = 2001"), F.expr("ss_sold_date_sk = d_date_sk"), "leftsemi")
        .join(tables["customer_demographics"], F.expr("ss_cdemo_sk = cd_demo_sk"))
        .join(tables["household_demographics"], F.expr("ss_hdemo_sk = hd_demo_sk"))
        .join(people, F.expr("cd_marital_status = status and cd_education_status = degree and hd_dep_count = dep "
                             "and ss_sales_price >= low and ss_sales_price <= high"))
        .join(tables["customer_address"].where("ca_country = 'United States'"), F.expr("ss_addr_sk = ca_address_sk"))
        .join(places, F.expr("ca_state = state and ss_net_profit >= least and ss_net_profit <= most"))
    )
    asked = ["avg(ss_quantity)", "avg(ss_ext_sales_price)", "avg(ss_ext_wholesale_cost)", "sum(ss_ext_wholesale_cost)"]
    return lines.select(*[F.expr(text).alias(text) for text in asked])
