-- The manufacturers' items once, by a semi join; calendar and addresses only ask for existence.
WITH books AS (
  SELECT i_item_sk, i_manufact_id FROM item
  LEFT SEMI JOIN (SELECT i_manufact_id AS maker FROM item WHERE i_category = 'Books') makers ON i_manufact_id = maker
),
april AS (SELECT d_date_sk FROM date_dim WHERE d_year = 1999 AND d_moy = 4),
zone AS (SELECT ca_address_sk FROM customer_address WHERE ca_gmt_offset = -5)
SELECT i_manufact_id, SUM(total_sales) AS total_sales
FROM (
  SELECT i_manufact_id, SUM(ss_ext_sales_price) AS total_sales
  FROM store_sales
  JOIN books ON ss_item_sk = i_item_sk
  WHERE ss_sold_date_sk IN (SELECT d_date_sk FROM april) AND EXISTS (SELECT 1 FROM zone WHERE ca_address_sk = ss_addr_sk)
  GROUP BY i_manufact_id
  UNION ALL
  SELECT i_manufact_id, SUM(cs_ext_sales_price) AS total_sales
  FROM catalog_sales
  JOIN books ON cs_item_sk = i_item_sk
  WHERE cs_sold_date_sk IN (SELECT d_date_sk FROM april) AND EXISTS (SELECT 1 FROM zone WHERE ca_address_sk = cs_bill_addr_sk)
  GROUP BY i_manufact_id
  UNION ALL
  SELECT i_manufact_id, SUM(ws_ext_sales_price) AS total_sales
  FROM web_sales
  JOIN books ON ws_item_sk = i_item_sk
  WHERE ws_sold_date_sk IN (SELECT d_date_sk FROM april) AND EXISTS (SELECT 1 FROM zone WHERE ca_address_sk = ws_bill_addr_sk)
  GROUP BY i_manufact_id
) channels
GROUP BY i_manufact_id
ORDER BY total_sales
LIMIT 100
