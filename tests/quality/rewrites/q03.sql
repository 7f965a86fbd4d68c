-- Dimensions filtered in FROM; totals made before brands are named; sort keys by position.
SELECT day.d_year, goods.i_brand_id AS brand_id, goods.i_brand AS brand, SUM(s.ss_net_profit) AS sum_agg
FROM (SELECT i_item_sk, i_brand, i_brand_id FROM item WHERE i_manufact_id = 445) goods
JOIN store_sales s ON s.ss_item_sk = goods.i_item_sk
JOIN (SELECT d_date_sk, d_year FROM date_dim WHERE d_moy = 12) day ON day.d_date_sk = s.ss_sold_date_sk
GROUP BY goods.i_brand_id, goods.i_brand, day.d_year
ORDER BY 1, 4 DESC, 2
LIMIT 100
