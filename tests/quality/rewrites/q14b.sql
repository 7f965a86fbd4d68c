-- Lines of all channels stacked once; INTERSECT by counting channels; IN as a semi join; the mean is asked after joining.
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
this_year AS (
  SELECT i_brand_id, i_class_id, i_category_id, SUM(ss_quantity * ss_list_price) AS sales, COUNT(*) AS lines
  FROM store_sales
  LEFT SEMI JOIN wanted ON ss_item_sk = wanted.i_item_sk
  JOIN item ON ss_item_sk = item.i_item_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk
  WHERE d_week_seq = (SELECT d_week_seq FROM date_dim WHERE d_year = 2000 AND d_moy = 12 AND d_dom = 14)
  GROUP BY i_brand_id, i_class_id, i_category_id
),
last_year AS (
  SELECT i_brand_id, i_class_id, i_category_id, SUM(ss_quantity * ss_list_price) AS sales, COUNT(*) AS lines
  FROM store_sales
  LEFT SEMI JOIN wanted ON ss_item_sk = wanted.i_item_sk
  JOIN item ON ss_item_sk = item.i_item_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk
  WHERE d_week_seq = (SELECT d_week_seq FROM date_dim WHERE d_year = 1999 AND d_moy = 12 AND d_dom = 14)
  GROUP BY i_brand_id, i_class_id, i_category_id
)
SELECT 'store' AS ty_channel, i_brand_id AS ty_brand, i_class_id AS ty_class, i_category_id AS ty_category,
  t.sales AS ty_sales, t.lines AS ty_number_sales, 'store' AS ly_channel, i_brand_id AS ly_brand,
  i_class_id AS ly_class, i_category_id AS ly_category, l.sales AS ly_sales, l.lines AS ly_number_sales
FROM this_year t JOIN last_year l USING (i_brand_id, i_class_id, i_category_id) CROSS JOIN average
WHERE t.sales > mean AND l.sales > mean
ORDER BY ty_brand, ty_class, ty_category
LIMIT 100
