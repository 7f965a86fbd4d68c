-- Each line is dated and matched to its outlet before stacking; the outer join to web sales is an inner one; GROUPING SETS.
WITH days AS (SELECT d_date_sk FROM date_dim WHERE d_date >= DATE '2001-08-04' AND d_date <= DATE '2001-08-18'),
outlets AS (
  SELECT 'store channel' AS channel, CONCAT('store', outlet) AS id, SUM(sold) AS sales, SUM(back) AS returns,
    SUM(won) - SUM(lost) AS profit
  FROM (
    SELECT s_store_id AS outlet, ss_ext_sales_price AS sold, ss_net_profit AS won, CAST(0 AS DECIMAL(7, 2)) AS back,
      CAST(0 AS DECIMAL(7, 2)) AS lost
    FROM store_sales JOIN days ON ss_sold_date_sk = d_date_sk JOIN store ON ss_store_sk = s_store_sk
    UNION ALL
    SELECT s_store_id, CAST(0 AS DECIMAL(7, 2)), CAST(0 AS DECIMAL(7, 2)), sr_return_amt, sr_net_loss
    FROM store_returns JOIN days ON sr_returned_date_sk = d_date_sk JOIN store ON sr_store_sk = s_store_sk
  ) lines
  GROUP BY outlet
  UNION ALL
  SELECT 'catalog channel' AS channel, CONCAT('catalog_page', outlet) AS id, SUM(sold) AS sales, SUM(back) AS returns,
    SUM(won) - SUM(lost) AS profit
  FROM (
    SELECT cp_catalog_page_id AS outlet, cs_ext_sales_price AS sold, cs_net_profit AS won, CAST(0 AS DECIMAL(7, 2)) AS back,
      CAST(0 AS DECIMAL(7, 2)) AS lost
    FROM catalog_sales JOIN days ON cs_sold_date_sk = d_date_sk JOIN catalog_page ON cs_catalog_page_sk = cp_catalog_page_sk
    UNION ALL
    SELECT cp_catalog_page_id, CAST(0 AS DECIMAL(7, 2)), CAST(0 AS DECIMAL(7, 2)), cr_return_amount, cr_net_loss
    FROM catalog_returns JOIN days ON cr_returned_date_sk = d_date_sk JOIN catalog_page ON cr_catalog_page_sk = cp_catalog_page_sk
  ) lines
  GROUP BY outlet
  UNION ALL
  SELECT 'web channel' AS channel, CONCAT('web_site', outlet) AS id, SUM(sold) AS sales, SUM(back) AS returns,
    SUM(won) - SUM(lost) AS profit
  FROM (
    SELECT web_site_id AS outlet, ws_ext_sales_price AS sold, ws_net_profit AS won, CAST(0 AS DECIMAL(7, 2)) AS back,
      CAST(0 AS DECIMAL(7, 2)) AS lost
    FROM web_sales JOIN days ON ws_sold_date_sk = d_date_sk JOIN web_site ON ws_web_site_sk = web_site_sk
    UNION ALL
    SELECT web_site_id, CAST(0 AS DECIMAL(7, 2)), CAST(0 AS DECIMAL(7, 2)), wr_return_amt, wr_net_loss
    FROM (SELECT wr_returned_date_sk, wr_return_amt, wr_net_loss, ws_web_site_sk AS site FROM web_returns JOIN web_sales ON wr_item_sk = ws_item_sk AND wr_order_number = ws_order_number) back_lines JOIN days ON wr_returned_date_sk = d_date_sk JOIN web_site ON site = web_site_sk
  ) lines
  GROUP BY outlet
)
SELECT channel, id, SUM(sales) AS sales, SUM(returns) AS returns, SUM(profit) AS profit
FROM outlets
GROUP BY GROUPING SETS ((channel, id), (channel), ())
ORDER BY channel, id
LIMIT 100
