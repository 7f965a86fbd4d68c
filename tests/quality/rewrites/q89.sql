-- The mean over finished groups; IN over pairs of lists as two branches of a union.
WITH goods AS (
  SELECT i_item_sk, i_category, i_class, i_brand FROM item
  WHERE i_category IN ('Children', 'Jewelry', 'Home') AND i_class IN ('infants', 'birdal', 'flatware')
  UNION ALL
  SELECT i_item_sk, i_category, i_class, i_brand FROM item
  WHERE i_category IN ('Electronics', 'Music', 'Books') AND i_class IN ('audio', 'classical', 'science')
),
months AS (
  SELECT i_category, i_class, i_brand, s_store_name, s_company_name, d_moy, SUM(ss_sales_price) AS sum_sales
  FROM goods
  JOIN store_sales ON ss_item_sk = i_item_sk
  JOIN store ON ss_store_sk = s_store_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk AND d_year = 2001
  GROUP BY i_category, i_class, i_brand, s_store_name, s_company_name, d_moy
),
rated AS (
  SELECT *, AVG(sum_sales) OVER (PARTITION BY i_category, i_brand, s_store_name, s_company_name) AS avg_monthly_sales
  FROM months
)
SELECT * FROM rated
WHERE ABS(sum_sales - avg_monthly_sales) / NULLIF(avg_monthly_sales, 0) > 0.1
ORDER BY sum_sales - avg_monthly_sales, s_store_name
LIMIT 100
