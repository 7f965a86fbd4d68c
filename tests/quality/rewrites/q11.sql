-- One query for each channel and year; the guard of the divisions is said once, the default never shows.
WITH s1 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(ss_ext_list_price - ss_ext_discount_amt) AS total
  FROM store_sales, customer, date_dim
  WHERE c_customer_sk = ss_customer_sk AND d_date_sk = ss_sold_date_sk AND d_year = 1999
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
),
s2 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(ss_ext_list_price - ss_ext_discount_amt) AS total
  FROM store_sales, customer, date_dim
  WHERE c_customer_sk = ss_customer_sk AND d_date_sk = ss_sold_date_sk AND d_year = 2000
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
),
w1 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(ws_ext_list_price - ws_ext_discount_amt) AS total
  FROM web_sales, customer, date_dim
  WHERE c_customer_sk = ws_bill_customer_sk AND d_date_sk = ws_sold_date_sk AND d_year = 1999
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
),
w2 AS (
  SELECT c_customer_id, c_first_name, c_last_name, c_email_address, SUM(ws_ext_list_price - ws_ext_discount_amt) AS total
  FROM web_sales, customer, date_dim
  WHERE c_customer_sk = ws_bill_customer_sk AND d_date_sk = ws_sold_date_sk AND d_year = 2000
  GROUP BY c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, c_birth_country, c_login, c_email_address
)
SELECT c_customer_id AS customer_id, s2.c_first_name AS customer_first_name,
  s2.c_last_name AS customer_last_name, s2.c_email_address AS customer_email_address
FROM (SELECT * FROM s1 WHERE total > 0) s1
JOIN s2 USING (c_customer_id)
JOIN (SELECT * FROM w1 WHERE total > 0) w1 USING (c_customer_id)
JOIN w2 USING (c_customer_id)
WHERE w2.total / w1.total > s2.total / s1.total
ORDER BY customer_id, customer_first_name, customer_last_name, customer_email_address
LIMIT 100
