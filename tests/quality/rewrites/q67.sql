-- WITH ROLLUP; the rank in a CTE of its own; the month range half open.
WITH totals AS (
  SELECT i_category, i_class, i_brand, i_product_name, d_year, d_qoy, d_moy, s_store_id,
    SUM(COALESCE(ss_sales_price * ss_quantity, 0)) AS sumsales
  FROM store_sales
  JOIN item ON ss_item_sk = i_item_sk
  JOIN store ON ss_store_sk = s_store_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk
  WHERE d_month_seq >= 1194 AND d_month_seq < 1206
  GROUP BY i_category, i_class, i_brand, i_product_name, d_year, d_qoy, d_moy, s_store_id WITH ROLLUP
),
ranked AS (SELECT *, RANK() OVER (PARTITION BY i_category ORDER BY sumsales DESC) AS rk FROM totals)
SELECT * FROM ranked WHERE NOT rk > 100
ORDER BY i_category, i_class, i_brand, i_product_name, d_year, d_qoy, d_moy, s_store_id, sumsales, rk
LIMIT 100
