-- Counts instead of summed CASEs; returns left out: a line has at most one, and nothing of it is read.
SELECT i_item_desc, w_warehouse_name, week AS d_week_seq, COUNT(*) - COUNT(p_promo_sk) AS no_promo,
  COUNT(p_promo_sk) AS promo, COUNT(*) AS total_cnt
FROM (
  SELECT cs_item_sk, cs_quantity, p_promo_sk, sold.d_week_seq AS week
  FROM catalog_sales
  JOIN date_dim sold ON cs_sold_date_sk = sold.d_date_sk AND sold.d_year = 1999
  JOIN date_dim shipped ON cs_ship_date_sk = shipped.d_date_sk AND shipped.d_date > DATE_ADD(sold.d_date, 5)
  LEFT JOIN promotion ON cs_promo_sk = p_promo_sk
  WHERE cs_bill_cdemo_sk IN (SELECT cd_demo_sk FROM customer_demographics WHERE cd_marital_status = 'S')
    AND cs_bill_hdemo_sk IN (SELECT hd_demo_sk FROM household_demographics WHERE hd_buy_potential = '501-1000')
) lines
JOIN inventory ON inv_item_sk = cs_item_sk AND inv_quantity_on_hand < cs_quantity
JOIN date_dim stocked ON inv_date_sk = stocked.d_date_sk AND stocked.d_week_seq = week
JOIN warehouse ON w_warehouse_sk = inv_warehouse_sk
JOIN item ON i_item_sk = cs_item_sk
GROUP BY i_item_desc, w_warehouse_name, week
ORDER BY total_cnt DESC, i_item_desc, w_warehouse_name, d_week_seq
LIMIT 100
