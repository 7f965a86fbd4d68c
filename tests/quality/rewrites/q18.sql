-- ROLLUP written out as GROUPING SETS; values cast before grouping; the second demographics only ask for existence.
WITH lines AS (
  SELECT i_item_id, ca_country, ca_state, ca_county, CAST(cs_quantity AS DECIMAL(12, 2)) AS q,
    CAST(cs_list_price AS DECIMAL(12, 2)) AS l, CAST(cs_coupon_amt AS DECIMAL(12, 2)) AS c,
    CAST(cs_sales_price AS DECIMAL(12, 2)) AS s, CAST(cs_net_profit AS DECIMAL(12, 2)) AS p,
    CAST(c_birth_year AS DECIMAL(12, 2)) AS y, CAST(cd_dep_count AS DECIMAL(12, 2)) AS d
  FROM catalog_sales
  JOIN customer_demographics ON cs_bill_cdemo_sk = cd_demo_sk AND cd_gender = 'M' AND cd_education_status = 'Primary'
  JOIN customer ON cs_bill_customer_sk = c_customer_sk AND c_birth_month IN (1, 2, 3, 5, 9, 11)
  JOIN customer_address ON c_current_addr_sk = ca_address_sk AND ca_state IN ('CO', 'GA', 'IA', 'MI', 'MS', 'NE', 'NY')
  JOIN item ON cs_item_sk = i_item_sk
  JOIN date_dim ON cs_sold_date_sk = d_date_sk AND d_year = 1998
  WHERE EXISTS (SELECT 1 FROM customer_demographics cd2 WHERE cd2.cd_demo_sk = c_current_cdemo_sk)
)
SELECT i_item_id, ca_country, ca_state, ca_county, AVG(q) AS agg1, AVG(l) AS agg2, AVG(c) AS agg3, AVG(s) AS agg4,
  AVG(p) AS agg5, AVG(y) AS agg6, AVG(d) AS agg7
FROM lines
GROUP BY GROUPING SETS (
  (i_item_id, ca_country, ca_state, ca_county), (i_item_id, ca_country, ca_state), (i_item_id, ca_country), (i_item_id), ())
ORDER BY ca_country, ca_state, ca_county, i_item_id
LIMIT 100
