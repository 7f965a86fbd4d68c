-- ROLLUP as a union of five groupings.
WITH lines AS (
  SELECT i_product_name, i_brand, i_class, i_category, inv_quantity_on_hand
  FROM inventory
  JOIN item ON inv_item_sk = i_item_sk
  LEFT SEMI JOIN date_dim ON inv_date_sk = d_date_sk AND d_month_seq >= 1201 AND d_month_seq < 1213
)
SELECT i_product_name, i_brand, i_class, i_category, AVG(inv_quantity_on_hand) AS qoh
FROM lines GROUP BY i_product_name, i_brand, i_class, i_category
UNION ALL
SELECT i_product_name, i_brand, i_class, NULL, AVG(inv_quantity_on_hand) FROM lines GROUP BY i_product_name, i_brand, i_class
UNION ALL
SELECT i_product_name, i_brand, NULL, NULL, AVG(inv_quantity_on_hand) FROM lines GROUP BY i_product_name, i_brand
UNION ALL
SELECT i_product_name, NULL, NULL, NULL, AVG(inv_quantity_on_hand) FROM lines GROUP BY i_product_name
UNION ALL
SELECT NULL, NULL, NULL, NULL, AVG(inv_quantity_on_hand) FROM lines HAVING COUNT(*) > 0
ORDER BY qoh, i_product_name, i_brand, i_class, i_category
LIMIT 100
