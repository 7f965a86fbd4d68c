-- Aggregates filtered instead of CASE; the years' weeks found first; explicit joins.
WITH lines AS (
  SELECT ws_sold_date_sk AS day, ws_ext_sales_price AS price FROM web_sales
  UNION ALL
  SELECT cs_sold_date_sk, cs_ext_sales_price FROM catalog_sales
),
weeks AS (
  SELECT d_week_seq AS week,
    SUM(price) FILTER (WHERE d_day_name = 'Sunday') AS sun,
    SUM(price) FILTER (WHERE d_day_name = 'Monday') AS mon,
    SUM(price) FILTER (WHERE d_day_name = 'Tuesday') AS tue,
    SUM(price) FILTER (WHERE d_day_name = 'Wednesday') AS wed,
    SUM(price) FILTER (WHERE d_day_name = 'Thursday') AS thu,
    SUM(price) FILTER (WHERE d_day_name = 'Friday') AS fri,
    SUM(price) FILTER (WHERE d_day_name = 'Saturday') AS sat
  FROM lines JOIN date_dim ON d_date_sk = day
  GROUP BY d_week_seq
),
early AS (SELECT d_week_seq AS week FROM date_dim WHERE d_year = 2000),
late AS (SELECT d_week_seq AS week FROM date_dim WHERE d_year = 2001)
SELECT a.week AS d_week_seq1,
  ROUND(a.sun / b.sun, 2) AS `round((sun_sales1 / sun_sales2), 2)`,
  ROUND(a.mon / b.mon, 2) AS `round((mon_sales1 / mon_sales2), 2)`,
  ROUND(a.tue / b.tue, 2) AS `round((tue_sales1 / tue_sales2), 2)`,
  ROUND(a.wed / b.wed, 2) AS `round((wed_sales1 / wed_sales2), 2)`,
  ROUND(a.thu / b.thu, 2) AS `round((thu_sales1 / thu_sales2), 2)`,
  ROUND(a.fri / b.fri, 2) AS `round((fri_sales1 / fri_sales2), 2)`,
  ROUND(a.sat / b.sat, 2) AS `round((sat_sales1 / sat_sales2), 2)`
FROM early
JOIN weeks a ON a.week = early.week
JOIN weeks b ON a.week + 53 = b.week
JOIN late ON late.week = b.week
ORDER BY d_week_seq1
