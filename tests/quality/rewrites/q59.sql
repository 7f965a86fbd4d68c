-- Stores named in the weekly totals; the months' days joined as two lists of weeks; IF for CASE.
WITH weeks AS (
  SELECT d_week_seq AS week, s_store_sk, s_store_id, s_store_name,
    SUM(IF(d_day_name = 'Sunday', ss_sales_price, NULL)) AS sun,
    SUM(IF(d_day_name = 'Monday', ss_sales_price, NULL)) AS mon,
    SUM(IF(d_day_name = 'Tuesday', ss_sales_price, NULL)) AS tue,
    SUM(IF(d_day_name = 'Wednesday', ss_sales_price, NULL)) AS wed,
    SUM(IF(d_day_name = 'Thursday', ss_sales_price, NULL)) AS thu,
    SUM(IF(d_day_name = 'Friday', ss_sales_price, NULL)) AS fri,
    SUM(IF(d_day_name = 'Saturday', ss_sales_price, NULL)) AS sat
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  JOIN store ON s_store_sk = ss_store_sk
  GROUP BY d_week_seq, s_store_sk, s_store_id, s_store_name
),
early AS (SELECT weeks.* FROM weeks JOIN date_dim ON d_week_seq = week WHERE d_month_seq >= 1206 AND d_month_seq <= 1217),
late AS (SELECT weeks.* FROM weeks JOIN date_dim ON d_week_seq = week WHERE d_month_seq >= 1218 AND d_month_seq <= 1229)
SELECT a.s_store_name AS s_store_name1, a.s_store_id AS s_store_id1, a.week AS d_week_seq1,
  a.sun / b.sun AS `(sun_sales1 / sun_sales2)`,
  a.mon / b.mon AS `(mon_sales1 / mon_sales2)`,
  a.tue / b.tue AS `(tue_sales1 / tue_sales2)`,
  a.wed / b.wed AS `(wed_sales1 / wed_sales2)`,
  a.thu / b.thu AS `(thu_sales1 / thu_sales2)`,
  a.fri / b.fri AS `(fri_sales1 / fri_sales2)`,
  a.sat / b.sat AS `(sat_sales1 / sat_sales2)`
FROM early a JOIN late b ON a.s_store_id = b.s_store_id AND b.week - a.week = 52
ORDER BY s_store_name1, s_store_id1, d_week_seq1
LIMIT 100
