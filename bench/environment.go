package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// environment is what there is to run.
type environment struct {
	dir, bin    string // data, and the streamsql to measure
	python      string // an interpreter with DuckDB; "": none
	duckVersion string
	prototype   string // program; "": none
	oracle      string // Flink's runner; "": none
	rows, runs  int
}

// skip says what is missing, so that no line is missed in silence.
func skip(format string, args ...any) { fmt.Printf("SKIPPED "+format+"\n", args...) }

func (env *environment) find(prototype string) error {
	var err error
	if env.dir, err = filepath.Abs(env.dir); err != nil {
		return err
	}
	if env.bin, err = filepath.Abs(env.bin); err != nil {
		return err
	}
	version, err := exec.Command(env.bin, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s: %w", env.bin, err)
	}
	fmt.Printf("%s", version)
	if prototype == "" {
		skip("the prototype: PROTOTYPE is not set")
		return nil
	}
	return env.buildPrototype(prototype)
}

// findPeers looks for the other engines.
func (env *environment) findPeers(python, oracle string) error {
	if python == "" {
		skip("DuckDB: -python names no interpreter that has its package (bench/run does)")
	} else if b, err := exec.Command(python, "-c", "import duckdb; print(duckdb.__version__)").Output(); err != nil {
		skip("DuckDB: %v", err)
	} else {
		env.python, env.duckVersion = python, strings.TrimSpace(string(b))
	}
	if oracle != "" {
		var err error
		if env.oracle, err = filepath.Abs(filepath.Join(oracle, "run")); err != nil {
			return err
		}
		if _, err := os.Stat(env.oracle); err != nil {
			skip("Flink: %v", err)
			env.oracle = ""
		}
	} else {
		skip("Flink: ORACLE is not set")
	}
	return nil
}

func (env *environment) buildPrototype(source string) error {
	if _, err := os.Stat(source); errors.Is(err, os.ErrNotExist) {
		skip("the prototype: there is no folder %s", source)
		return nil
	}
	env.prototype = filepath.Join(env.dir, "prototype-e2e")
	build := exec.Command("go", "build", "-o", env.prototype, "./e2e")
	build.Dir, build.Stderr = source, os.Stderr
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the prototype: %w", err)
	}
	return nil
}

// input makes the data of a job and returns its path and rows.
func (env *environment) input(j *job) (string, int, error) {
	if j.data.row != nil {
		return j.data.write(env.dir, env.rows)
	}
	return env.flights(filepath.Join(env.dir, j.data.file))
}

// flights makes the file of real flights and returns its path and rows.
func (env *environment) flights(path string) (string, int, error) {
	b, err := os.ReadFile(path + ".rows")
	if err != nil {
		if env.python == "" {
			return "", 0, errors.New("making the file of flights needs Python with DuckDB")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", 0, err
		}
		c := exec.Command(env.python, filepath.Join("bench", "flights.py"), path)
		c.Stderr = os.Stderr
		if b, err = c.Output(); err != nil {
			return "", 0, fmt.Errorf("making the file of flights: %w", err)
		}
		if err := os.WriteFile(path+".rows", b, 0o644); err != nil {
			return "", 0, err
		}
	}
	var rows int
	var origin string
	if _, err := fmt.Sscan(string(b), &rows, &origin); err != nil {
		return "", 0, err
	}
	fmt.Printf("flights: %s\n", origin)
	return path, rows, nil
}

// contenders returns who can do a job. An engine that cannot is skipped.
func (env *environment) contenders(j *job, path string, threads []int) ([]contender, error) {
	var list []contender
	statements := j.table(path) + "\n" + j.query + ";\n"
	if out, err := exec.Command(env.bin, "-q", "--format", "csv", "-c", j.table(path)+" EXPLAIN "+j.query+";").CombinedOutput(); err != nil {
		skip("%s: streamsql cannot yet: %s", j.name, strings.SplitN(string(out), "\n", 2)[0])
		return nil, nil
	}
	for _, n := range threads {
		list = append(list, ours(env.bin, statements, n))
	}
	if env.python != "" && j.duck != "" {
		query := "CREATE VIEW t AS SELECT * FROM " + fmt.Sprintf(j.read, path) + ";" + j.duck
		for _, n := range threads {
			list = append(list, duckdb(env, query, n))
		}
	}
	if env.prototype != "" && j.prototype != nil {
		for _, n := range threads {
			list = append(list, prototype(env, j.prototype, n))
		}
	}
	if j.limits {
		more, err := limits(path)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}
