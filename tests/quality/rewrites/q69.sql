-- EXISTS as a semi join, both NOT EXISTS as one anti join; one count, shown three times.
WITH spring AS (SELECT d_date_sk FROM date_dim WHERE d_year = 2002 AND d_moy IN (2, 3, 4)),
people AS (
  SELECT c_current_addr_sk, c_current_cdemo_sk
  FROM customer
  LEFT SEMI JOIN (SELECT ss_customer_sk FROM store_sales JOIN spring ON ss_sold_date_sk = d_date_sk) shoppers
    ON c_customer_sk = ss_customer_sk
  LEFT ANTI JOIN (
    SELECT ws_bill_customer_sk AS who FROM web_sales JOIN spring ON ws_sold_date_sk = d_date_sk
    UNION ALL
    SELECT cs_ship_customer_sk FROM catalog_sales JOIN spring ON cs_sold_date_sk = d_date_sk
  ) others ON c_customer_sk = who
)
SELECT cd_gender, cd_marital_status, cd_education_status, n AS cnt1, cd_purchase_estimate, n AS cnt2, cd_credit_rating, n AS cnt3
FROM (
  SELECT cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate, cd_credit_rating, COUNT(*) AS n
  FROM people
  JOIN customer_address ON c_current_addr_sk = ca_address_sk AND ca_state IN ('VA', 'IN', 'MS')
  JOIN customer_demographics ON c_current_cdemo_sk = cd_demo_sk
  GROUP BY cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate, cd_credit_rating
) counted
ORDER BY cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate, cd_credit_rating
LIMIT 100
