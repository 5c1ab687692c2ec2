package streamsql

import (
	"strings"
	"testing"
)

// What people type who come from Flink, DuckDB or pandas is refused with what to type
// instead.
func TestInstead(t *testing.T) {
	e := openTest(t)
	for sql, want := range map[string]string{
		"CREATE DATABASE d":                                    "there is one database, default_catalog.default_database",
		"USE CATALOG c":                                        "there is one database",
		"USE default_database":                                 "there is one database",
		"USE MODULES core":                                     "RegisterFunc",
		"ADD JAR 'x.jar'":                                      "RegisterFunc",
		"CREATE FUNCTION f AS 'com.example.F'":                 "RegisterFunc",
		"ALTER TABLE t ADD x INT":                              "DROP TABLE, and CREATE TABLE",
		"ALTER VIEW v RENAME TO w":                             "CREATE OR REPLACE VIEW",
		"CREATE MATERIALIZED TABLE m AS SELECT 1":              "INSERT INTO",
		"ALTER MATERIALIZED TABLE m SUSPEND":                   "INSERT INTO",
		"UPDATE t SET a = 1":                                   "INSERT INTO another table",
		"DELETE FROM t":                                        "INSERT INTO another table",
		"TRUNCATE TABLE t":                                     "INSERT INTO another table",
		"MERGE INTO t USING u ON t.a = u.a":                    "INSERT INTO another table",
		"STOP JOB '1'":                                         "Ctrl-C",
		"ANALYZE TABLE t COMPUTE STATISTICS":                   "EXPLAIN ANALYZE",
		"COMPILE PLAN 'p' FOR INSERT INTO t SELECT 1":          "keep the text",
		"EXECUTE PLAN 'p'":                                     "keep the text",
		"CALL p(1)":                                            "statements are",
		"COPY (SELECT 1) TO 'x.csv'":                           "'connector' = 'filesystem'",
		"ATTACH 'x.db'":                                        "a file is a table",
		"SUMMARIZE SELECT * FROM t":                            "DESCRIBE t",
		"PIVOT t ON k":                                         "FILTER (WHERE c = 'x')",
		"DESCRIBE 'x.csv'":                                     "CREATE VIEW v AS SELECT * FROM",
		"DESCRIBE SELECT * FROM t":                             "CREATE VIEW v AS SELECT * FROM",
		"DESCRIBE (SELECT 1)":                                  "CREATE VIEW v AS SELECT * FROM",
		"DESCRIBE SELECT":                                      "", // a table of that name
		"EXPLAIN PLEASE SELECT 1":                              "EXPLAIN ANALYZE",
		"SELECT * FROM x.csv":                                  "FROM 'x.csv'",
		"SELECT * FROM `data/x.csv`":                           "FROM 'data/x.csv'",
		"SELECT * FROM x.csv.gz":                               "FROM 'x.csv.gz'",
		"SELECT * FROM d.x":                                    "write x",
		"SELECT s.a FROM (VALUES ('{\"a\":1}')) AS v (s)":      "JSON_VALUE(text, '$.a')",
		"SELECT * FROM read_csv('x.csv')":                      "SELECT * FROM 'orders.csv'",
		"SELECT read_json('x.json')":                           "SELECT * FROM 'orders.csv'",
		"SELECT strftime(NOW(), '%Y')":                         "DATE_FORMAT",
		"SELECT max_by(a, b) FROM (VALUES (1, 2)) AS v (a, b)": "ORDER BY v DESC) AS n in a subquery, and WHERE n = 1",
		"WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a":       "UNION ALL",
		"SELECT 7 // 2":                                        "divide with /",
		"SELECT INTERVAL '5 minutes'":                          "write INTERVAL '5' MINUTE",
		"SELECT INTERVAL '5 apples'":                           "write a unit: YEAR",
		"SELECT NOW() > DATE '2026-01-01'":                     "CAST one of them",
		"SELECT SUM(v) FROM (VALUES ('1')) AS t (v)":           "TRY_CAST(text AS DOUBLE)",
		"SELECT UPPER(v) FROM (VALUES (1)) AS t (v)":           "usage: UPPER(text)",
		"SELECT s['a'] FROM (VALUES ('{}')) AS v (s)":          "JSON_VALUE(text, '$.key')",
		"SELECT v FROM (VALUES (1)) AS t (v) GROUP BY ALL":     "name the columns",
		"SELECT v, COUNT(*) FROM (VALUES (1)) AS t (v) GROUP BY ALL ORDER BY v": "name the columns",
		"SELECT v order FROM (VALUES (1)) AS t (v)":                             "write AS `order`",
		"INSERT INTO 'x.csv' SELECT 1":                                          "then INSERT INTO t",
		"SELECT * FROM t PIVOT (SUM(v) FOR k IN ('a'))":                         "FILTER (WHERE c = 'x')",
		"SELECT * FROM t ASOF JOIN u USING (k)":                                 "ROW_NUMBER()",
		"SELECT * FROM t ASOF LEFT JOIN u USING (k)":                            "ROW_NUMBER()",
		"SELECT * FROM t any INNER JOIN u USING (k)":                            "AS any if it is the name",
		"SELECT * FROM t asof JOIN u USING (k)":                                 "or write AS asof if it is the name",
		"SELECT INTERVAL 'five minutes'":                                        "write a unit: YEAR",
		"SELECT [1, 2]":                                                         "write ARRAY[...]",
		"SELECT NOW() AT TIME ZONE 'UTC'":                                       "'table.local-time-zone'",
	} {
		_, err := e.Exec(t.Context(), sql)
		if err == nil || strings.Contains(err.Error(), "run it with Query") {
			_, err = e.Query(t.Context(), sql)
		}
		if err == nil {
			t.Errorf("%s is accepted", sql)
			continue
		}
		_, hint, _ := strings.Cut(err.Error(), "; hint: ")
		if !strings.Contains(hint, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\ngives %v\nwithout %q in its hint", sql, err, want)
		}
	}
}

// A word that stands before JOIN in some system is a name all the same where it cannot
// be that word: of the table itself, behind AS, in backticks, with names of columns.
func TestJoinWordsAreNames(t *testing.T) {
	e := openTest(t)
	for _, from := range []string{
		"asof JOIN u ON asof.k = u.k", "u JOIN asof ON asof.k = u.k", "asof LEFT JOIN u ON asof.k = u.k", "u AS asof JOIN u ON asof.k = u.k",
		"u `asof` INNER JOIN u ON asof.k = u.k", "u asof (k) JOIN u ON asof.k = u.k", "u asof", "u asof, u WHERE asof.k = u.k",
	} {
		if _, err := e.Query(t.Context(), "WITH asof AS (SELECT 1 AS k), u AS (SELECT 1 AS k) SELECT asof.k FROM "+from); err != nil {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// What is offered instead of a function of other systems is there.
func TestInsteadOfFunctions(t *testing.T) {
	e := openTest(t)
	for _, x := range []string{
		"DATE_FORMAT(time, 'yyyy-MM-dd HH:mm')", "TO_TIMESTAMP(text, 'yyyy-MM-dd HH:mm:ss')", "EXTRACT(EPOCH FROM time)",
		"TO_TIMESTAMP_LTZ(number, 3)", "EXTRACT(EPOCH FROM time) * 1000 + EXTRACT(MILLISECOND FROM time)", "EXTRACT(HOUR FROM time)",
		"DATE_FORMAT(time, 'EEEE')", "DATE_FORMAT(time, 'MMMM')", "FLOOR(time TO HOUR)", "CURRENT_DATE", "CHAR_LENGTH(text)", "SPLIT(text, separator)",
		"ARRAY[a, b]", "ARRAY_CONTAINS(ARRAY[a, b], a)", "JSON_VALUE(text, path)", "UUID()", "COALESCE(number, 0)",
	} {
		x = strings.NewReplacer("(time", "(`time`", "FROM time", "FROM `time`", "path", "'$.a'").Replace(x)
		text := "SELECT " + x + " FROM (VALUES (TIMESTAMP '2026-03-01 10:00:00', 'a', ',', 1, 2, 3)) AS v (`time`, text, separator, number, a, b)"
		if _, err := e.Query(t.Context(), text); err != nil {
			t.Error(err)
		}
	}
	for _, x := range []string{
		"ARRAY_AGG(v)", "COUNT(*) FILTER (WHERE v > 1)", "SUM(v) FILTER (WHERE v > 1)", "PERCENTILE(v, 0.5)",
	} {
		if _, err := e.Query(t.Context(), "SELECT "+x+" FROM (VALUES (1)) AS t (v)"); err != nil {
			t.Error(err)
		}
	}
}
