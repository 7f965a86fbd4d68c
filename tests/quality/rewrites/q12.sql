-- The window is taken over the finished groups; BETWEEN as two comparisons.
SELECT i_item_id, i_item_desc, i_category, i_class, i_current_price, itemrevenue,
  itemrevenue * 100 / SUM(itemrevenue) OVER (PARTITION BY i_class) AS revenueratio
FROM (
  SELECT i_item_id, i_item_desc, i_category, i_class, i_current_price, SUM(ws_ext_sales_price) AS itemrevenue
  FROM web_sales
  JOIN item ON ws_item_sk = i_item_sk
  LEFT SEMI JOIN date_dim ON ws_sold_date_sk = d_date_sk AND d_date >= '2002-03-22' AND d_date <= '2002-04-21'
  WHERE i_category = 'Jewelry' OR i_category = 'Books' OR i_category = 'Women'
  GROUP BY i_item_id, i_item_desc, i_category, i_class, i_current_price
) goods
ORDER BY i_category, i_class, i_item_id, i_item_desc, revenueratio
LIMIT 100
