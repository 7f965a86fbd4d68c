-- Semi joins for what only filters; GROUPING SETS.
SELECT * FROM (
  SELECT i_item_id, s_state, GROUPING(s_state) AS g_state, AVG(ss_quantity) AS agg1, AVG(ss_list_price) AS agg2,
    AVG(ss_coupon_amt) AS agg3, AVG(ss_sales_price) AS agg4
  FROM store_sales
  JOIN item ON ss_item_sk = i_item_sk
  JOIN store ON ss_store_sk = s_store_sk
  LEFT SEMI JOIN date_dim ON ss_sold_date_sk = d_date_sk AND d_year = 2000
  LEFT SEMI JOIN customer_demographics
    ON ss_cdemo_sk = cd_demo_sk AND cd_gender = 'M' AND cd_marital_status = 'U' AND cd_education_status = 'Secondary'
  WHERE s_state IN ('TN', 'TN', 'TN', 'TN')
  GROUP BY GROUPING SETS ((i_item_id, s_state), (i_item_id), ())
) levels
ORDER BY i_item_id, s_state
LIMIT 100
