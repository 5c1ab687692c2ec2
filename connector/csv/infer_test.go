package csv_test

import (
	"fmt"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/csv"
)

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		name, header, data string
		given              string // option=value
		want               string // columns, or the error
		options            string
	}{
		{name: "types", data: "id,price,ok,day,ts,name\n1,1.5,true,2024-01-01,2024-01-01 00:00:00,x\n-2,3,FALSE,2024-02-29,2024-01-01T00:00:00.5,\n",
			want: "id BIGINT, price DOUBLE, ok BOOLEAN, day DATE, ts TIMESTAMP(3), name STRING", options: "header=true"},
		{name: "leading zeros and plus signs are texts", data: "zip,phone,n\n01234,+49,0\n99999,+1,10\n", want: "zip STRING, phone STRING, n BIGINT"},
		{name: "integers are never times", data: "ts\n1704067200000\n", want: "ts BIGINT"},
		{name: "what no BIGINT holds is a text", data: "id\n12345678901234567890\n", want: "id STRING"},
		{name: "mixed columns are texts", data: "a,b,c\n1,true,2024-01-01\nx,1,2024-01-01 00:00:00\n", want: "a STRING, b STRING, c STRING"},
		{name: "empty fields say nothing", data: "a,b\n,\n1,\n", want: "a BIGINT, b STRING"},
		{name: "NA is a text", data: "a\n1\nNA\n", want: "a STRING"},
		{name: "no header", data: "1,x\n2,y\n", want: "c1 BIGINT, c2 STRING", options: "header=false"},
		{name: "header of texts over texts", data: "first,last\nAda,Lovelace\n", want: "first STRING, last STRING", options: "header=true"},
		{name: "header only B025", data: "id,v\n", want: "id STRING, v STRING", options: "header=true"},
		{name: "a value twice is no header", data: "x,x\ny,z\n", want: "c1 STRING, c2 STRING"},
		{name: "header asked for", header: "yes", data: "1,2\n3,4\n", want: "1 BIGINT, 2 BIGINT", options: "header=true"},
		{name: "header denied", header: "no", data: "a,b\n3,4\n", want: "c1 STRING, c2 STRING", options: "header=false"},
		{name: "names given", header: "a, b", data: "1,2\n3,4\n", want: "a BIGINT, b BIGINT", options: "header=false"},
		{name: "wrong number of names given", header: "a,b", data: "1\n", want: "names given: 2; fields in the first row of t.csv: 1"},
		{name: "header by option", given: "csv.header=false", data: "a,b\n", want: "c1 STRING, c2 STRING", options: "header=false"},
		{name: "byte order mark B005", data: "\uFEFF\"id\",v\n7,x\n", want: "id BIGINT, v STRING"},
		{name: "blank first line B007", data: "\na,b\n1,2\n\n3,4\n", want: "a BIGINT, b BIGINT"},
		{name: "semicolons", data: "a;b\n1;2,5\n", want: "a BIGINT, b STRING", options: "field-delimiter=;"},
		{name: "tabs", data: "a\tb\n1\t2\n", want: "a BIGINT, b BIGINT", options: `field-delimiter=\t`},
		{name: "a comma in some lines is no other delimiter", data: "text\na;b\nc\n", want: "text STRING", options: "field-delimiter="},
		{name: "a name twice, as the values below tell", data: "a,a\n1,2\n", want: `names column "a" twice`},
		{name: "no name at the end", data: "a,\n1,2\n", want: "a BIGINT, c2 BIGINT"},
		{name: "no names", data: ",a,,c3\nx,1,2,3\n", want: "c1 STRING, a BIGINT, c3_ BIGINT, c3 BIGINT"},
		{name: "a delimiter at the end of all lines", data: "a,b,\n1,2,\n3,4\n", want: "a BIGINT, b BIGINT"},
		{name: "a name twice", header: "yes", data: "a,a\n1,2\n", want: `names column "a" twice`},
		{name: "a column without name takes that of its place", data: ",v\n0,1.5\n1,2.5\n", want: "c1 BIGINT, v DOUBLE", options: "header=true"},
		{name: "blanks around names", data: "a , b\n1, 2\n", want: "a BIGINT, b BIGINT"},
		{name: "empty file B025", data: "", want: "t.csv is empty"},
		{name: "blank lines only", data: "\n\n", want: "t.csv is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var given []connector.Option
			if k, v, ok := strings.Cut(c.given, "="); ok {
				given = []connector.Option{{Key: k, Value: v}}
			}
			sc, opts, err := csv.Infer("t.csv", []byte(c.data), true, csv.InferOptions{Header: c.header}, given)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %q, want %q", err, c.want)
				}
				return
			}
			var cols []string
			for _, f := range sc.Fields {
				cols = append(cols, f.Name+" "+f.Type.String())
			}
			if got := strings.Join(cols, ", "); got != c.want {
				t.Errorf("columns %s, want %s", got, c.want)
			}
			if k, v, ok := strings.Cut(c.options, "="); ok {
				got := ""
				for _, o := range opts {
					if o.Key == "csv."+k {
						got = o.Value
					}
				}
				if got != v {
					t.Errorf("option %s is %q, want %q", k, got, v)
				}
			}
			// What was inferred can be read.
			o, err := csv.ParseOptions(opts)
			if err != nil {
				t.Fatal(err)
			}
			if res := (read{schema: sc, opts: o}).run(t, input("t.csv", c.data)); res.Err != "" {
				t.Errorf("reading with the inferred columns: %s", res.Err)
			}
		})
	}
}

// TestInferBounds: a value behind the sample does not count, and a sample may end
// inside a record.
func TestInferBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("x\n")
	for i := range 50 {
		fmt.Fprintln(&b, i)
	}
	b.WriteString("1.5\n")
	for rows, want := range map[int]string{20: "BIGINT", 100: "DOUBLE"} {
		sc, _, err := csv.Infer("t.csv", []byte(b.String()), true, csv.InferOptions{Rows: rows}, nil)
		if err != nil || sc.Fields[0].Type.String() != want {
			t.Errorf("%d rows: %v, %v", rows, sc, err)
		}
	}
	sc, _, err := csv.Infer("t.csv", []byte("a,b\n1,2\n3,\"x"), false, csv.InferOptions{}, nil)
	if err != nil || sc.Fields[1].Type.String() != "BIGINT" {
		t.Errorf("cut sample: %v, %v", sc, err)
	}
}
