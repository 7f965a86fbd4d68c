-- Outlets' tables only asked for existence; GROUPING SETS; right joins for left ones.
WITH days AS (SELECT d_date_sk FROM date_dim WHERE d_date BETWEEN DATE '2001-08-11' AND DATE '2001-09-10'),
ss AS (
  SELECT ss_store_sk AS outlet, SUM(ss_ext_sales_price) AS sales, SUM(ss_net_profit) AS won FROM store_sales
  LEFT SEMI JOIN days ON ss_sold_date_sk = d_date_sk
  LEFT SEMI JOIN store ON ss_store_sk = s_store_sk
  GROUP BY ss_store_sk
),
sr AS (
  SELECT sr_store_sk AS outlet, SUM(sr_return_amt) AS back, SUM(sr_net_loss) AS lost FROM store_returns
  LEFT SEMI JOIN days ON sr_returned_date_sk = d_date_sk
  LEFT SEMI JOIN store ON sr_store_sk = s_store_sk
  GROUP BY sr_store_sk
),
cs AS (
  SELECT cs_call_center_sk AS outlet, SUM(cs_ext_sales_price) AS sales, SUM(cs_net_profit) AS won FROM catalog_sales
  LEFT SEMI JOIN days ON cs_sold_date_sk = d_date_sk
  GROUP BY cs_call_center_sk
),
cr AS (
  SELECT cr_call_center_sk AS outlet, SUM(cr_return_amount) AS back, SUM(cr_net_loss) AS lost FROM catalog_returns
  LEFT SEMI JOIN days ON cr_returned_date_sk = d_date_sk
  GROUP BY cr_call_center_sk
),
ws AS (
  SELECT ws_web_page_sk AS outlet, SUM(ws_ext_sales_price) AS sales, SUM(ws_net_profit) AS won FROM web_sales
  LEFT SEMI JOIN days ON ws_sold_date_sk = d_date_sk
  LEFT SEMI JOIN web_page ON ws_web_page_sk = wp_web_page_sk
  GROUP BY ws_web_page_sk
),
wr AS (
  SELECT wr_web_page_sk AS outlet, SUM(wr_return_amt) AS back, SUM(wr_net_loss) AS lost FROM web_returns
  LEFT SEMI JOIN days ON wr_returned_date_sk = d_date_sk
  LEFT SEMI JOIN web_page ON wr_web_page_sk = wp_web_page_sk
  GROUP BY wr_web_page_sk
),
outlets AS (
  SELECT 'store channel' AS channel, ss.outlet AS id, sales, COALESCE(back, CAST(0 AS DECIMAL(10, 0))) AS returns, won - COALESCE(lost, CAST(0 AS DECIMAL(10, 0))) AS profit
  FROM sr RIGHT JOIN ss ON ss.outlet = sr.outlet
  UNION ALL
  SELECT 'catalog channel', cs.outlet, sales, back, won - lost FROM cr CROSS JOIN cs
  UNION ALL
  SELECT 'web channel', ws.outlet, sales, COALESCE(back, CAST(0 AS DECIMAL(10, 0))), won - COALESCE(lost, CAST(0 AS DECIMAL(10, 0)))
  FROM wr RIGHT JOIN ws ON ws.outlet = wr.outlet
)
SELECT channel, id, SUM(sales) AS sales, SUM(returns) AS returns, SUM(profit) AS profit
FROM outlets
GROUP BY GROUPING SETS ((channel, id), (channel), ())
ORDER BY channel NULLS FIRST, id NULLS FIRST
LIMIT 100
