-- Filters as semi joins before the outer join; channels labelled where they are totalled.
WITH days AS (SELECT d_date_sk FROM date_dim WHERE d_date >= DATE '2002-08-04' AND d_date <= DATE '2002-09-03'),
goods AS (SELECT i_item_sk FROM item WHERE i_current_price > 50),
quiet AS (SELECT p_promo_sk FROM promotion WHERE p_channel_tv = 'N'),
outlets AS (
  SELECT 'store channel' AS channel, CONCAT('store', s_store_id) AS id, SUM(ss_ext_sales_price) AS sales,
    SUM(COALESCE(sr_return_amt, CAST(0 AS DECIMAL(10, 0)))) AS returns,
    SUM(ss_net_profit - COALESCE(sr_net_loss, CAST(0 AS DECIMAL(10, 0)))) AS profit
  FROM store_sales
  JOIN store ON ss_store_sk = s_store_sk
  LEFT SEMI JOIN days ON ss_sold_date_sk = d_date_sk
  LEFT SEMI JOIN goods ON ss_item_sk = i_item_sk
  LEFT SEMI JOIN quiet ON ss_promo_sk = p_promo_sk
  LEFT JOIN store_returns ON ss_item_sk = sr_item_sk AND ss_ticket_number = sr_ticket_number
  GROUP BY s_store_id
  UNION ALL
  SELECT 'catalog channel' AS channel, CONCAT('catalog_page', cp_catalog_page_id) AS id, SUM(cs_ext_sales_price) AS sales,
    SUM(COALESCE(cr_return_amount, CAST(0 AS DECIMAL(10, 0)))) AS returns,
    SUM(cs_net_profit - COALESCE(cr_net_loss, CAST(0 AS DECIMAL(10, 0)))) AS profit
  FROM catalog_sales
  JOIN catalog_page ON cs_catalog_page_sk = cp_catalog_page_sk
  LEFT SEMI JOIN days ON cs_sold_date_sk = d_date_sk
  LEFT SEMI JOIN goods ON cs_item_sk = i_item_sk
  LEFT SEMI JOIN quiet ON cs_promo_sk = p_promo_sk
  LEFT JOIN catalog_returns ON cs_item_sk = cr_item_sk AND cs_order_number = cr_order_number
  GROUP BY cp_catalog_page_id
  UNION ALL
  SELECT 'web channel' AS channel, CONCAT('web_site', web_site_id) AS id, SUM(ws_ext_sales_price) AS sales,
    SUM(COALESCE(wr_return_amt, CAST(0 AS DECIMAL(10, 0)))) AS returns,
    SUM(ws_net_profit - COALESCE(wr_net_loss, CAST(0 AS DECIMAL(10, 0)))) AS profit
  FROM web_sales
  JOIN web_site ON ws_web_site_sk = web_site_sk
  LEFT SEMI JOIN days ON ws_sold_date_sk = d_date_sk
  LEFT SEMI JOIN goods ON ws_item_sk = i_item_sk
  LEFT SEMI JOIN quiet ON ws_promo_sk = p_promo_sk
  LEFT JOIN web_returns ON ws_item_sk = wr_item_sk AND ws_order_number = wr_order_number
  GROUP BY web_site_id
)
SELECT channel, id, SUM(sales) AS sales, SUM(returns) AS returns, SUM(profit) AS profit
FROM outlets GROUP BY channel, id WITH ROLLUP
ORDER BY channel, id
LIMIT 100
