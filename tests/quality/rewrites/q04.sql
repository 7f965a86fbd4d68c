-- One query for each channel and year instead of a union with labels; comparisons without CASE.
WITH s1 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt) + ss_ext_sales_price) / 2) AS total
  FROM store_sales
  JOIN customer ON c_customer_sk = ss_customer_sk
  JOIN date_dim ON d_date_sk = ss_sold_date_sk AND d_year = 2001
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  HAVING total > 0
),
s2 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt) + ss_ext_sales_price) / 2) AS total
  FROM store_sales
  JOIN customer ON c_customer_sk = ss_customer_sk
  JOIN date_dim ON d_date_sk = ss_sold_date_sk AND d_year = 2002
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  
),
c1 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt) + cs_ext_sales_price) / 2) AS total
  FROM catalog_sales
  JOIN customer ON c_customer_sk = cs_bill_customer_sk
  JOIN date_dim ON d_date_sk = cs_sold_date_sk AND d_year = 2001
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  HAVING total > 0
),
c2 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt) + cs_ext_sales_price) / 2) AS total
  FROM catalog_sales
  JOIN customer ON c_customer_sk = cs_bill_customer_sk
  JOIN date_dim ON d_date_sk = cs_sold_date_sk AND d_year = 2002
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  
),
w1 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt) + ws_ext_sales_price) / 2) AS total
  FROM web_sales
  JOIN customer ON c_customer_sk = ws_bill_customer_sk
  JOIN date_dim ON d_date_sk = ws_sold_date_sk AND d_year = 2001
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  HAVING total > 0
),
w2 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt) + ws_ext_sales_price) / 2) AS total
  FROM web_sales
  JOIN customer ON c_customer_sk = ws_bill_customer_sk
  JOIN date_dim ON d_date_sk = ws_sold_date_sk AND d_year = 2002
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
  
)
SELECT s2.c_customer_id AS customer_id, s2.c_first_name AS customer_first_name,
  s2.c_last_name AS customer_last_name, s2.c_email_address AS customer_email_address
FROM s1
JOIN s2 ON s1.c_customer_id = s2.c_customer_id
JOIN c1 ON s1.c_customer_id = c1.c_customer_id
JOIN c2 ON s1.c_customer_id = c2.c_customer_id
JOIN w1 ON s1.c_customer_id = w1.c_customer_id
JOIN w2 ON s1.c_customer_id = w2.c_customer_id
WHERE c2.total / c1.total > s2.total / s1.total AND c2.total / c1.total > w2.total / w1.total
ORDER BY customer_id, customer_first_name, customer_last_name, customer_email_address
LIMIT 100
