package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

func main() {
	rows := flag.Int("rows", 5_000_000, "rows of the data file")
	runs := flag.Int("runs", 5, "runs of each contender; medians are shown")
	dir := flag.String("dir", "bench/data", "folder for the data")
	bin := flag.String("bin", "bin/streamsql", "the streamsql to measure")
	python := flag.String("python", "", "Python interpreter with the duckdb package; empty: no DuckDB")
	prototype := flag.String("prototype", os.Getenv("PROTOTYPE"), "folder of the data-path prototype; empty: no such line")
	flag.Parse()
	if err := run(*rows, *runs, *dir, *bin, *python, *prototype); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rows, runs int, dir, bin, python, prototype string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	data := filepath.Join(dir, "data", "t.csv") // where the prototype looks for it
	if err := writeTrades(data, rows); err != nil {
		return err
	}
	st, err := os.Stat(data)
	if err != nil {
		return err
	}
	fmt.Printf("%d rows, %d MB CSV; %s, %d cores, %s\n", rows, st.Size()>>20, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	contenders := []contender{
		streamsql(bin, data, 1), streamsql(bin, data, 2),
	}
	if python != "" {
		contenders = append(contenders, duckdb(python, data, 1), duckdb(python, data, 2))
	} else {
		fmt.Println("no DuckDB: give -python an interpreter that has the duckdb package (bench/run does)")
	}
	if prototype != "" {
		p, err := newPrototype(prototype, dir)
		if err != nil {
			return err
		}
		contenders = append(contenders, p...)
	} else {
		fmt.Println("no prototype line: PROTOTYPE is not set")
	}
	return compare(contenders, rows, runs)
}
