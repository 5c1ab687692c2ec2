-- The same job over a pipe: cat testdata/flights.csv | streamsql -f testdata/demo/stdin.sql
-- Each hour comes out as soon as its watermark passes, long before the end of input.
CREATE TABLE flights (
  scheduled   TIMESTAMP(3),
  origin      STRING,
  destination STRING,
  distance    INT,
  delay       INT,
  reported    TIMESTAMP(3),
  WATERMARK FOR scheduled AS scheduled - INTERVAL '60' MINUTE
) WITH ('connector' = 'stdin', 'format' = 'csv', 'csv.header' = 'true');

SELECT window_start, COUNT(*) AS flights, AVG(delay) AS mean_delay
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
