-- The main job on real data: one day of US flights, in the order in which they were
-- reported, so that the scheduled time is out of order by each flight's real delay.
-- A row may be up to one hour behind the newest scheduled time; what comes later is
-- late for its hour, and the report at the end counts it.
CREATE TABLE flights (
  scheduled   TIMESTAMP(3),
  origin      STRING,
  destination STRING,
  distance    INT,
  delay       INT,
  reported    TIMESTAMP(3),
  WATERMARK FOR scheduled AS scheduled - INTERVAL '60' MINUTE
) WITH (
  'connector' = 'filesystem',
  'path' = 'testdata/flights.csv',
  'format' = 'csv',
  'csv.header' = 'true'
);

SELECT window_start, window_end,
       COUNT(*) AS flights,
       COUNT(DISTINCT origin) AS airports,
       AVG(delay) AS mean_delay,
       MAX(delay) AS worst_delay,
       SUM(distance) AS miles
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
