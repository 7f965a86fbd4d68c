-- The list of months as a range; the mean over finished groups; existence for store and calendar where they only filter.
WITH quarters AS (
  SELECT i_manufact_id, d_qoy, SUM(ss_sales_price) AS sum_sales
  FROM store_sales
  JOIN item ON ss_item_sk = i_item_sk
  JOIN date_dim ON ss_sold_date_sk = d_date_sk AND d_month_seq BETWEEN 1197 AND 1208
  WHERE ss_store_sk IN (SELECT s_store_sk FROM store)
    AND ((i_category IN ('Books', 'Children', 'Electronics')
        AND i_class IN ('personal', 'portable', 'reference', 'self-help')
        AND i_brand IN ('scholaramalgamalg #14', 'scholaramalgamalg #7', 'exportiunivamalg #9', 'scholaramalgamalg #9'))
      OR (i_category IN ('Women', 'Music', 'Men')
        AND i_class IN ('accessories', 'classical', 'fragrances', 'pants')
        AND i_brand IN ('amalgimporto #1', 'edu packscholar #1', 'exportiimporto #1', 'importoamalg #1')))
  GROUP BY i_manufact_id, d_qoy
)
SELECT i_manufact_id, sum_sales, avg_quarterly_sales
FROM (SELECT *, AVG(sum_sales) OVER (PARTITION BY i_manufact_id) AS avg_quarterly_sales FROM quarters) rated
WHERE avg_quarterly_sales > 0
  AND CASE WHEN avg_quarterly_sales > 0 THEN ABS(sum_sales - avg_quarterly_sales) / avg_quarterly_sales END > 0.1
ORDER BY avg_quarterly_sales, sum_sales, i_manufact_id
LIMIT 100
