"""Promotions found by an outer join with keys only; counts instead of sums."""

from pyspark.sql import functions as F


def solve(spark, tables):
    d = tables["date_dim"]
    sold = d.where("d_year = 1999").selectExpr("d_date_sk as cs_sold_date_sk", "d_date as sold_on", "d_week_seq")
    sent = d.selectExpr("d_date_sk as cs_ship_date_sk", "d_date as sent_on")
    lines = (
        tables["catalog_sales"].join(sold, "cs_sold_date_sk").join(sent, "cs_ship_date_sk")
        .where("datediff(sent_on, sold_on) > 5")
        .join(tables["customer_demographics"].where("cd_marital_status = 'S'"), F.expr("cs_bill_cdemo_sk = cd_demo_sk"), "leftsemi")
        .join(tables["household_demographics"].where("hd_buy_potential = '501-1000'"), F.expr("cs_bill_hdemo_sk = hd_demo_sk"), "leftsemi")
        .join(tables["promotion"].select("p_promo_sk"), F.expr("cs_promo_sk = p_promo_sk"), "left")
        .join(tables["item"], F.expr("cs_item_sk = i_item_sk"))
    )
    stock = (
        tables["inventory"]
        .join(d.selectExpr("d_date_sk as inv_date_sk", "d_week_seq"), "inv_date_sk")
        .join(tables["warehouse"], F.expr("inv_warehouse_sk = w_warehouse_sk"))
        .select("inv_item_sk", "inv_quantity_on_hand", "d_week_seq", "w_warehouse_name")
    )
    return (
        lines.join(stock, "d_week_seq").where("inv_item_sk = cs_item_sk and inv_quantity_on_hand < cs_quantity")
        .groupBy("i_item_desc", "w_warehouse_name", "d_week_seq")
        .agg(F.expr("count_if(p_promo_sk is null)").alias("no_promo"), F.count("p_promo_sk").alias("promo"),
             F.count("*").alias("total_cnt"))
        .orderBy(F.desc("total_cnt"), "i_item_desc", "w_warehouse_name", "d_week_seq")
        .limit(100)
    )
