package csv_test

import (
	"testing"
)

func TestFirst(t *testing.T) {
	r := read{schema: schema("ts ts, k text, n big, x f64, b bool"), opts: options(t, "")}
	res := r.run(t, input("t.csv", "2024-01-01 00:00:01.5,a,1,1.25,true\n2024-01-01 00:00:02.123,bb,-22,-0.5,FALSE\n"))
	t.Log(res)
}
