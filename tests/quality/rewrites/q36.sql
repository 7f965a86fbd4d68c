-- Margins first, ranks after; the partition of the ranks by the grouped columns themselves.
WITH margins AS (
  SELECT SUM(ss_net_profit) / SUM(ss_ext_sales_price) AS gross_margin, i_category, i_class,
    GROUPING(i_category) AS all_categories, GROUPING(i_class) AS all_classes
  FROM store_sales
  JOIN item ON i_item_sk = ss_item_sk
  LEFT SEMI JOIN store ON s_store_sk = ss_store_sk AND s_state = 'TN'
  LEFT SEMI JOIN date_dim ON d_date_sk = ss_sold_date_sk AND d_year = 2001
  GROUP BY i_category, i_class WITH ROLLUP
)
SELECT gross_margin, i_category, i_class, all_categories + all_classes AS lochierarchy,
  RANK() OVER (
    PARTITION BY all_categories, all_classes, IF(all_classes = 0, i_category, NULL) ORDER BY gross_margin
  ) AS rank_within_parent
FROM margins
ORDER BY lochierarchy DESC, IF(lochierarchy = 0, i_category, NULL), rank_within_parent
LIMIT 100
