-- LAG and LEAD instead of two self joins on the rank.
WITH months AS (
  SELECT i_category, i_brand, s_store_name, s_company_name, d_year, d_moy, SUM(ss_sales_price) AS sum_sales
  FROM store_sales
  JOIN item ON ss_item_sk = i_item_sk
  JOIN store ON ss_store_sk = s_store_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk
  WHERE (d_year = 2001 OR (d_year = 2000 AND d_moy = 12) OR (d_year = 2002 AND d_moy = 1))
    AND i_category IS NOT NULL AND i_brand IS NOT NULL AND s_store_name IS NOT NULL AND s_company_name IS NOT NULL
  GROUP BY i_category, i_brand, s_store_name, s_company_name, d_year, d_moy
),
placed AS (
  SELECT *, AVG(sum_sales) OVER (PARTITION BY i_category, i_brand, s_store_name, s_company_name, d_year) AS avg_monthly_sales,
    LAG(sum_sales) OVER w AS psum, LEAD(sum_sales) OVER w AS nsum,
    ROW_NUMBER() OVER w AS place, COUNT(*) OVER (PARTITION BY i_category, i_brand, s_store_name, s_company_name) AS places
  FROM months
  WINDOW w AS (PARTITION BY i_category, i_brand, s_store_name, s_company_name ORDER BY d_year, d_moy)
)
SELECT i_category, i_brand, s_store_name, s_company_name, d_year, avg_monthly_sales, sum_sales, psum, nsum
FROM placed
WHERE d_year = 2001 AND place > 1 AND place < places
  AND CASE WHEN avg_monthly_sales > 0 THEN ABS(sum_sales - avg_monthly_sales) / avg_monthly_sales END > 0.1
ORDER BY sum_sales - avg_monthly_sales, nsum
LIMIT 100
