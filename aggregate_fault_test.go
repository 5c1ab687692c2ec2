package streamsql_test

import (
	"strings"
	"testing"

	"streamsql/internal/slt"
)

// TestAggregateFaults: a result that cannot be given is an error that names the
// aggregate, its place and the group. What comes before the row or the window at fault
// stands, in every configuration.
func TestAggregateFaults(t *testing.T) {
	const data = "2024-05-01 10:00:00,a,1,100,x\n2024-05-01 10:00:00,b,NULL,100,y\n2024-05-01 10:00:00,b,NULL,100,NULL\n2024-05-01 10:00:09,a,1,1,NULL\n"
	const table = "CREATE TABLE t (ts TIMESTAMP(3), k STRING, n INT, v TINYINT, s STRING, WATERMARK FOR ts AS ts)" +
		" WITH ('connector'='filesystem', 'path'='{dir}/t.csv', 'format'='csv', 'csv.null-literal'='NULL');\n"
	const out = "SUM is out of range for TINYINT: 200"
	for _, c := range []struct{ sql, want string }{
		{"SELECT k, n, SUM(v) FROM t GROUP BY k, n", "+I a | 1 | 100\n+I b | <NULL> | 100\nerror: 1:14: " + out + " (group k = 'b', n = NULL); hint: cast the argument of SUM to BIGINT\n"},
		{"SELECT SUM(v) FROM t", "+I 100\nerror: 1:8: " + out + "; hint: cast the argument of SUM to BIGINT\n"},
		{"SELECT k, SUM(v) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)) GROUP BY window_start, window_end, k",
			"+I a | 100\nerror: 1:11: " + out + " (group k = 'b'); hint: cast the argument of SUM to BIGINT\n"},
		{"SELECT k, SUM(v) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '2' SECOND)) GROUP BY window_start, window_end, k",
			"+I a | 100\nerror: 1:11: " + out + " (group k = 'b'); hint: cast the argument of SUM to BIGINT\n"},
		{"SELECT k, SUM(v) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '2' SECOND)) GROUP BY window_start, window_end, k",
			"+I a | 100\nerror: 1:11: " + out + " (group k = 'b'); hint: cast the argument of SUM to BIGINT\n"},
		{"SELECT JSON_OBJECTAGG(KEY s VALUE v) FROM t", "+I {\"x\":100}\n-U {\"x\":100}\n+U {\"x\":100,\"y\":100}\nerror: 1:8: JSON_OBJECTAGG: a key is NULL\n"},
		// The first row at fault is that of the second aggregate.
		{"SELECT k, JSON_OBJECTAGG(KEY s VALUE v) FILTER (WHERE n = 1), JSON_OBJECTAGG(KEY s VALUE n) FROM t GROUP BY k",
			"+I a | {\"x\":100} | {\"x\":1}\n+I b | {} | {\"y\":null}\nerror: 1:63: JSON_OBJECTAGG: a key is NULL (group k = 'b')\n"},
	} {
		for _, config := range slt.Matrix() {
			text, err := slt.Transcript(t.Context(), slt.Case{Data: map[string]string{"t.csv": data}, SQL: table + c.sql}, t.TempDir(), config.Options()...)
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(text, c.sql+"\n")
			if got != c.want {
				t.Errorf("%s, %s:\n%swant\n%s", c.sql, config, got, c.want)
				break
			}
		}
	}
}
