package main

import (
	"fmt"
	"strings"
)

// job is one benchmark: the same question to every engine.
type job struct {
	name string
	data dataset
	// columns, query: streamsql's table t and the question about it. read, duck: the same
	// for DuckDB; read has %s for the path.
	columns, query string
	read, duck     string
	prototype      []string // arguments of the prototype, which knows one question; nil: it cannot
	flink          bool     // Flink is asked, too: fewer rows, once
	limits         bool     // what no engine can beat: wc -l, one pass over the bytes in memory
	quick          float64  // in the quick run: least rows/s, as a part of the prototype's on CSV tumble; 0: not in it
}

const (
	tradeColumns = `ts TIMESTAMP(3), user_id BIGINT, item STRING, price DOUBLE, qty BIGINT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND`
	tradeTypes   = `{'ts':'TIMESTAMP','user_id':'BIGINT','item':'VARCHAR','price':'DOUBLE','qty':'BIGINT'}`
	readTrades   = `read_csv('%s', header=true, auto_detect=false, columns=` + tradeTypes + `)`

	tumble = `SELECT window_start, item, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, item`
	duckTumble = `SELECT time_bucket(INTERVAL 10 seconds, ts) AS w, item, count(*), sum(price) FROM t GROUP BY 1, 2`
)

var jobs = []job{
	{
		name: "CSV tumble", data: trades, columns: tradeColumns, query: tumble,
		read: readTrades, duck: duckTumble, prototype: []string{}, flink: true, quick: 0.42,
	}, {
		name: "CSV filter+project", data: trades, columns: tradeColumns,
		query: `SELECT ts, item, price * qty AS total FROM t WHERE qty > 15`,
		read:  readTrades, duck: `SELECT ts, item, price * qty AS total FROM t WHERE qty > 15`, quick: 0.70,
	}, {
		name: "CSV all columns out", data: trades, columns: tradeColumns, query: `SELECT * FROM t`,
		read: readTrades, duck: `SELECT * FROM t`,
	}, {
		name: "CSV 1 M keys, one window", data: trades, columns: tradeColumns,
		query: `SELECT user_id, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, user_id`,
		read: readTrades, duck: `SELECT user_id, count(*), sum(price) FROM t GROUP BY time_bucket(INTERVAL 1 hour, ts), user_id`,
	}, {
		name: "JSON tumble", data: tradesJSON, columns: tradeColumns, query: tumble,
		read: `read_json('%s', format='newline_delimited', columns=` + tradeTypes + `)`, duck: duckTumble,
		prototype: []string{"-json"}, quick: 0.33,
	}, {
		name: "wide CSV, 3 of 50 columns", data: wide,
		columns: `ts TIMESTAMP(3), ` + wideColumns("%s STRING", ", ") + `, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND`,
		query: `SELECT window_start, c20, COUNT(*), SUM(CAST(c40 AS DOUBLE)) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, c20`,
		read: `read_csv('%s', header=true, auto_detect=false, columns={'ts':'TIMESTAMP', ` + wideColumns("'%s':'VARCHAR'", ", ") + `})`,
		duck: `SELECT time_bucket(INTERVAL 10 seconds, ts), c20, count(*), sum(c40::DOUBLE) FROM t GROUP BY 1, 2`, quick: 0.12,
	}, {
		name: "CSV with quotes", data: quoted, columns: tradeColumns, query: tumble,
		read: readTrades, duck: duckTumble, quick: 0.20,
	}, {
		name: "flights, hourly tumble", data: flights,
		columns: `scheduled TIMESTAMP(3), origin STRING, destination STRING, distance INT, delay INT, reported TIMESTAMP(3),
WATERMARK FOR scheduled AS scheduled - INTERVAL '3' DAY`,
		query: `SELECT window_start, origin, COUNT(*), SUM(delay) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(scheduled), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, origin`,
		read: `read_csv('%s', header=true, auto_detect=false, columns={'scheduled':'TIMESTAMP','origin':'VARCHAR','destination':'VARCHAR','distance':'INTEGER','delay':'INTEGER','reported':'TIMESTAMP'})`,
		duck: `SELECT time_bucket(INTERVAL 1 hour, scheduled), origin, count(*), sum(delay) FROM t GROUP BY 1, 2`,
	}, {
		name: "parse only", data: trades, columns: tradeColumns, query: `SELECT * FROM t WHERE qty < 0`,
		read: readTrades, duck: `SELECT * FROM t WHERE qty < 0`, limits: true,
	},
}

// wideColumns lists the columns of the wide file behind ts, each in a form.
func wideColumns(form, separator string) string {
	names := make([]string, wideCount-1)
	for i := range names {
		names[i] = fmt.Sprintf(form, fmt.Sprintf("c%02d", i+1))
	}
	return strings.Join(names, separator)
}

// table is the statement that makes the job's table, in streamsql and in Flink.
func (j *job) table(path string) string {
	header := ""
	if j.data.format == "csv" {
		header = ", 'csv.header' = 'true'"
	}
	return fmt.Sprintf("CREATE TABLE t (%s)\n  WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = '%s'%s);", j.columns, path, j.data.format, header)
}
