package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// flinkPart says which part of the rows Flink gets: it runs twice, the first time to
// warm up, and prints every result row.
const flinkPart = 10

var statementTime = regexp.MustCompile(`(?m)^([0-9.]+) s: SELECT`)

// flink asks Flink through the runner of the test oracle, on fewer rows, and compares
// with streamsql on the same file.
func flink(env *environment, j *job) error {
	data := j.data
	data.file, data.part = "flink/t.csv", data.part*flinkPart
	path, rows, err := data.write(env.dir, env.rows)
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	// Flink's csv format knows no header.
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "plain.csv"), text[len(data.header):], 0o644); err != nil {
		return err
	}
	table := strings.Replace(j.table("{dir}/plain.csv"), ", 'csv.header' = 'true'", "", 1)
	file := fmt.Sprintf("case bench\ncopy plain.csv plain.csv\nsql\n%s\n%s;\n%s;\nend\n", table, j.query, j.query)
	if err := os.WriteFile(filepath.Join(folder, "bench.case"), []byte(file), 0o644); err != nil {
		return err
	}
	c := exec.Command(env.oracle, filepath.Join(folder, "bench.case"))
	c.Env = append(os.Environ(), "ORACLE_TIME=1")
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		skip("Flink: %v: %.300s", err, log.String())
		return nil
	}
	m := statementTime.FindAllStringSubmatch(log.String(), -1)
	if len(m) != 2 {
		skip("Flink: its runner printed no times: %.300s", log.String())
		return nil
	}
	seconds, err := strconv.ParseFloat(m[1][1], 64)
	if err != nil {
		return err
	}
	got := strings.Count(out.String(), "\n+I ") / 2
	mine := ours(env.bin, j.table(path)+"\n"+j.query+";", 2)
	want, err := mine.count()
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s: Flink gives %d rows, streamsql %d", j.name, got, want)
	}
	fmt.Printf("\n%s on %d rows, second run in a warm JVM: Flink 2.3 %.3f s, %.3f M rows/s\n", j.name, rows, seconds, float64(rows)/seconds/1e6)
	return nil
}
