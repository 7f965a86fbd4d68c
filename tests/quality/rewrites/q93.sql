-- An inner join, since the reason asks for a return; the quantity kept as one expression; the reason by IN.
SELECT ss_customer_sk, SUM((ss_quantity - COALESCE(sr_return_quantity, 0)) * ss_sales_price) AS sumsales
FROM store_returns
JOIN store_sales ON sr_item_sk = ss_item_sk AND sr_ticket_number = ss_ticket_number
WHERE sr_reason_sk IN (SELECT r_reason_sk FROM reason WHERE r_reason_desc = 'Did not get it on time')
GROUP BY ss_customer_sk
ORDER BY sumsales, ss_customer_sk
LIMIT 100
