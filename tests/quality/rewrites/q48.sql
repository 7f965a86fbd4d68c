-- What all alternatives have in common is asked once; the rest as a table of alternatives.
SELECT SUM(ss_quantity) AS `sum(ss_quantity)`
FROM store_sales
JOIN store ON s_store_sk = ss_store_sk
JOIN customer_demographics ON cd_demo_sk = ss_cdemo_sk
JOIN customer_address ON ss_addr_sk = ca_address_sk
JOIN (VALUES ('W', '2 yr Degree', 100.00, 150.00), ('S', 'Advanced Degree', 50.00, 100.00), ('D', 'Primary', 150.00, 200.00))
  AS person (status, degree, low, high)
  ON cd_marital_status = status AND cd_education_status = degree AND ss_sales_price BETWEEN low AND high
WHERE ss_sold_date_sk IN (SELECT d_date_sk FROM date_dim WHERE d_year = 2001)
  AND ca_country = 'United States'
  AND ((ca_state IN ('IL', 'KY', 'OR') AND ss_net_profit BETWEEN 0 AND 2000)
    OR (ca_state IN ('VA', 'FL', 'AL') AND ss_net_profit BETWEEN 150 AND 3000)
    OR (ca_state IN ('OK', 'IA', 'TX') AND ss_net_profit BETWEEN 50 AND 25000))
