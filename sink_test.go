package streamsql

import (
	"strings"
	"testing"
)

// The rows before one that a sink refuses are written, however they were batched.
func TestSinkRefusesOneRow(t *testing.T) {
	for _, size := range []int{1, 2, 4096} {
		var out strings.Builder
		e, err := Open(WithStdin(strings.NewReader("1,a\n2,b\n3,x\n,c\n5,d\n")), WithStdout(&out), WithBatchSize(size))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"CREATE TABLE t (v INT, k STRING) WITH ('connector'='stdin', 'format'='csv', 'csv.null-literal'='')",
			"CREATE TABLE p (v INT NOT NULL) WITH ('connector'='print')",
			"INSERT INTO p SELECT v FROM t WHERE k <> 'x'",
		} {
			_, err = e.Exec(t.Context(), text)
		}
		if got := out.String(); err == nil || !strings.Contains(err.Error(), "NOT NULL") || got != "+I[1]\n+I[2]\n" {
			t.Errorf("batches of %d: %q, %v", size, got, err)
		}
		e.Close()
	}
}
