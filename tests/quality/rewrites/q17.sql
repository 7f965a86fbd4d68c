-- The three calendars are asked by IN; explicit joins along the keys.
SELECT i_item_id, i_item_desc, s_state,
  COUNT(ss_quantity) AS store_sales_quantitycount, AVG(ss_quantity) AS store_sales_quantityave,
  STDDEV(ss_quantity) AS store_sales_quantitystdev, STDDEV(ss_quantity) / AVG(ss_quantity) AS store_sales_quantitycov,
  COUNT(sr_return_quantity) AS store_returns_quantitycount, AVG(sr_return_quantity) AS store_returns_quantityave,
  STDDEV(sr_return_quantity) AS store_returns_quantitystdev,
  STDDEV(sr_return_quantity) / AVG(sr_return_quantity) AS store_returns_quantitycov,
  COUNT(cs_quantity) AS catalog_sales_quantitycount, AVG(cs_quantity) AS catalog_sales_quantityave,
  STDDEV(cs_quantity) AS catalog_sales_quantitystdev, STDDEV(cs_quantity) / AVG(cs_quantity) AS catalog_sales_quantitycov
FROM store_sales
JOIN store_returns ON sr_customer_sk = ss_customer_sk AND sr_item_sk = ss_item_sk AND sr_ticket_number = ss_ticket_number
JOIN catalog_sales ON cs_bill_customer_sk = ss_customer_sk AND cs_item_sk = ss_item_sk
JOIN store ON s_store_sk = ss_store_sk
JOIN item ON i_item_sk = cs_item_sk
WHERE ss_sold_date_sk IN (SELECT d_date_sk FROM date_dim WHERE d_quarter_name = '1999Q1')
  AND sr_returned_date_sk IN (SELECT d_date_sk FROM date_dim WHERE d_quarter_name IN ('1999Q3', '1999Q2', '1999Q1'))
  AND cs_sold_date_sk IN (SELECT d_date_sk FROM date_dim WHERE d_quarter_name IN ('1999Q2', '1999Q3', '1999Q1'))
GROUP BY s_state, i_item_desc, i_item_id
ORDER BY i_item_id, i_item_desc, s_state
LIMIT 100
