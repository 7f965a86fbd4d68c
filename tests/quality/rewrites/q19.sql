-- Filters before joins; LEFT for SUBSTR; the unequal zip codes as a negation.
SELECT i_brand_id AS brand_id, i_brand AS brand, i_manufact_id, i_manufact, SUM(price) AS ext_price
FROM (
  SELECT ss_item_sk, ss_ext_sales_price AS price, LEFT(ca_zip, 5) AS home, LEFT(s_zip, 5) AS shop
  FROM store_sales
  JOIN (SELECT d_date_sk FROM date_dim WHERE d_moy = 11 AND d_year = 1999) november ON d_date_sk = ss_sold_date_sk
  JOIN customer ON ss_customer_sk = c_customer_sk
  JOIN customer_address ON c_current_addr_sk = ca_address_sk
  JOIN store ON ss_store_sk = s_store_sk
) lines
JOIN item ON ss_item_sk = i_item_sk AND i_manager_id = 8
WHERE NOT home = shop
GROUP BY i_manufact, i_manufact_id, i_brand_id, i_brand
ORDER BY ext_price DESC, brand, brand_id, i_manufact_id, i_manufact
LIMIT 100
