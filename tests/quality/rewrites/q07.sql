-- Dimensions that only filter are asked by IN and EXISTS.
SELECT i_item_id, AVG(ss_quantity) AS agg1, AVG(ss_list_price) AS agg2, AVG(ss_coupon_amt) AS agg3, AVG(ss_sales_price) AS agg4
FROM store_sales JOIN item ON ss_item_sk = i_item_sk
WHERE ss_sold_date_sk IN (SELECT d_date_sk FROM date_dim WHERE d_year = 2001)
  AND EXISTS (
    SELECT 1 FROM customer_demographics
    WHERE cd_demo_sk = ss_cdemo_sk AND cd_gender = 'M' AND cd_marital_status = 'M' AND cd_education_status = '4 yr Degree'
  )
  AND ss_promo_sk IN (SELECT p_promo_sk FROM promotion WHERE p_channel_email = 'N'
                      UNION SELECT p_promo_sk FROM promotion WHERE p_channel_event = 'N')
GROUP BY i_item_id
ORDER BY i_item_id
LIMIT 100
