-- What all alternatives have in common is asked once.
SELECT AVG(ss_quantity) AS `avg(ss_quantity)`, AVG(ss_ext_sales_price) AS `avg(ss_ext_sales_price)`,
  AVG(ss_ext_wholesale_cost) AS `avg(ss_ext_wholesale_cost)`, SUM(ss_ext_wholesale_cost) AS `sum(ss_ext_wholesale_cost)`
FROM store_sales
JOIN store ON s_store_sk = ss_store_sk
JOIN date_dim ON ss_sold_date_sk = d_date_sk AND d_year = 2001
JOIN customer_demographics ON cd_demo_sk = ss_cdemo_sk
JOIN household_demographics ON ss_hdemo_sk = hd_demo_sk
JOIN customer_address ON ss_addr_sk = ca_address_sk AND ca_country = 'United States'
WHERE CASE cd_marital_status
    WHEN 'U' THEN cd_education_status = '4 yr Degree' AND ss_sales_price BETWEEN 100 AND 150 AND hd_dep_count = 3
    WHEN 'S' THEN cd_education_status = 'Unknown' AND ss_sales_price BETWEEN 50 AND 100 AND hd_dep_count = 1
    WHEN 'D' THEN cd_education_status = '2 yr Degree' AND ss_sales_price BETWEEN 150 AND 200 AND hd_dep_count = 1
  END
  AND ((ca_state IN ('CO', 'MI', 'MN') AND ss_net_profit BETWEEN 100 AND 200)
    OR (ca_state IN ('NC', 'NY', 'TX') AND ss_net_profit BETWEEN 150 AND 300)
    OR (ca_state IN ('CA', 'NE', 'TN') AND ss_net_profit BETWEEN 50 AND 250))
