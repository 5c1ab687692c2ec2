package csv_test

import (
	"fmt"

	"streamsql/connector/csv"
)

func ExampleInfer() {
	sample := "ts,item,price\n2024-05-01 10:00:00,tea,1.5\n2024-05-01 10:00:02,milk,2\n"
	schema, options, err := csv.Infer("orders.csv", []byte(sample), true, csv.InferOptions{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range schema.Fields {
		fmt.Println(f.Name, f.Type)
	}
	fmt.Println(options[0].Key, options[0].Value)
	// Output:
	// ts TIMESTAMP(3)
	// item STRING
	// price DOUBLE
	// csv.header true
}
