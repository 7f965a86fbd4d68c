-- The two dimensions filtered first, the year kept from the calendar; sorted outside.
SELECT * FROM (
  SELECT year AS d_year, kind AS i_category_id, kind_name AS i_category, SUM(ss_ext_sales_price) AS `sum(ss_ext_sales_price)`
  FROM store_sales
  JOIN (SELECT d_date_sk, d_year AS year FROM date_dim WHERE CASE d_year WHEN 1998 THEN d_moy = 11 END) november ON d_date_sk = ss_sold_date_sk
  JOIN (SELECT i_item_sk, i_category_id AS kind, i_category AS kind_name FROM item WHERE NOT i_manager_id <> 1) goods
    ON i_item_sk = ss_item_sk
  GROUP BY year, kind, kind_name
) totals
ORDER BY `sum(ss_ext_sales_price)` DESC, d_year, i_category_id, i_category
LIMIT 100
