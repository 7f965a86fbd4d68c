-- EXISTS as IN; either of two as a union.
WITH days AS (SELECT d_date_sk FROM date_dim WHERE d_year = 2000 AND d_qoy IN (1, 2, 3))
SELECT ca_state, cd_gender, cd_marital_status,
  cd_dep_count, COUNT(*) AS cnt1, MAX(cd_dep_count) AS `max(cd_dep_count)`, STDDEV(cd_dep_count) AS `stddev_samp(cd_dep_count)`, STDDEV(cd_dep_count) AS `stddev_samp(cd_dep_count)`,
  cd_dep_employed_count, COUNT(*) AS cnt2, MAX(cd_dep_employed_count) AS `max(cd_dep_employed_count)`, STDDEV(cd_dep_employed_count) AS `stddev_samp(cd_dep_employed_count)`, STDDEV(cd_dep_employed_count) AS `stddev_samp(cd_dep_employed_count)`,
  cd_dep_college_count, COUNT(*) AS cnt3, MAX(cd_dep_college_count) AS `max(cd_dep_college_count)`, STDDEV(cd_dep_college_count) AS `stddev_samp(cd_dep_college_count)`, STDDEV(cd_dep_college_count) AS `stddev_samp(cd_dep_college_count)`
FROM customer
JOIN customer_address ON c_current_addr_sk = ca_address_sk
JOIN customer_demographics ON c_current_cdemo_sk = cd_demo_sk
WHERE c_customer_sk IN (SELECT ss_customer_sk FROM store_sales JOIN days ON ss_sold_date_sk = d_date_sk)
  AND c_customer_sk IN (
    SELECT ws_bill_customer_sk FROM web_sales JOIN days ON ws_sold_date_sk = d_date_sk
    UNION ALL
    SELECT cs_ship_customer_sk FROM catalog_sales JOIN days ON cs_sold_date_sk = d_date_sk
  )
GROUP BY ca_state, cd_gender, cd_marital_status, cd_dep_count, cd_dep_employed_count, cd_dep_college_count
ORDER BY ca_state, cd_gender, cd_marital_status, cd_dep_count, cd_dep_employed_count, cd_dep_college_count
LIMIT 100
