-- Lines of all channels stacked once; INTERSECT by counting channels; HAVING as a join with the mean.
WITH sold AS (
  SELECT 's' AS kind, ss_item_sk AS item, ss_sold_date_sk AS day, ss_quantity * ss_list_price AS amount FROM store_sales
  UNION ALL SELECT 'c', cs_item_sk, cs_sold_date_sk, cs_quantity * cs_list_price FROM catalog_sales
  UNION ALL SELECT 'w', ws_item_sk, ws_sold_date_sk, ws_quantity * ws_list_price FROM web_sales
),
years AS (SELECT d_date_sk FROM date_dim WHERE d_year BETWEEN 1999 AND 2001),
everywhere AS (
  SELECT i_brand_id, i_class_id, i_category_id
  FROM sold JOIN years ON day = d_date_sk JOIN item ON item = i_item_sk
  GROUP BY i_brand_id, i_class_id, i_category_id
  HAVING COUNT(DISTINCT kind) = 3
),
wanted AS (SELECT i_item_sk FROM item JOIN everywhere USING (i_brand_id, i_class_id, i_category_id)),
average AS (SELECT AVG(amount) AS mean FROM sold JOIN years ON day = d_date_sk),
groups AS (
  SELECT kind, i_brand_id, i_class_id, i_category_id, SUM(amount) AS sales, COUNT(*) AS number_sales
  FROM sold
  JOIN item ON item = i_item_sk
  JOIN date_dim ON day = d_date_sk AND d_year = 2001 AND d_moy = 11
  WHERE EXISTS (SELECT 1 FROM wanted WHERE wanted.i_item_sk = sold.item)
  GROUP BY kind, i_brand_id, i_class_id, i_category_id
)
SELECT CASE kind WHEN 's' THEN 'store' WHEN 'c' THEN 'catalog' WHEN 'w' THEN 'web' END AS channel,
  i_brand_id, i_class_id, i_category_id, SUM(sales) AS `sum(sales)`, SUM(number_sales) AS `sum(number_sales)`
FROM groups CROSS JOIN average
WHERE sales > mean
GROUP BY ROLLUP (kind, i_brand_id, i_class_id, i_category_id)
ORDER BY channel, i_brand_id, i_class_id, i_category_id
LIMIT 100
