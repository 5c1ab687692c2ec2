package slt

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// record is one record of a .slt file.
type record struct {
	line  int
	kind  string   // statement, query, stream, input, watermark, clock, finish, stop
	args  []string // words behind the kind
	body  []string // lines up to ---- or the blank line
	want  []string // lines behind ----
	check bool     // ---- was there
}

var recordKinds = map[string]bool{
	"statement": true, "query": true, "stream": true, "input": true, "watermark": true, "clock": true, "finish": true, "stop": true,
}

// noBody are the records whose ---- follows at once.
var noBody = map[string]bool{"watermark": true, "clock": true, "finish": true, "stop": true}

// readScript reads a .slt file.
func readScript(path string) ([]record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []record
	lines := strings.Split(string(text), "\n")
	skip := false
	for i := 0; i < len(lines); i++ {
		words := strings.Fields(lines[i])
		if len(words) == 0 || strings.HasPrefix(lines[i], "#") {
			continue
		}
		switch words[0] {
		case "halt":
			return list, nil
		case "hash-threshold":
			continue
		case "skipif", "onlyif":
			if len(words) != 2 {
				return nil, fmt.Errorf("%s:%d: expected %s NAME", path, i+1, words[0])
			}
			skip = skip || (words[1] == "streamsql") == (words[0] == "skipif")
			continue
		}
		if !recordKinds[words[0]] {
			return nil, fmt.Errorf("%s:%d: unknown record %q", path, i+1, words[0])
		}
		r := record{line: i + 1, kind: words[0], args: words[1:]}
		for i++; i < len(lines) && lines[i] != "" && lines[i] != "----"; i++ {
			if noBody[r.kind] {
				return nil, fmt.Errorf("%s:%d: record %q takes no lines", path, i+1, r.kind)
			}
			r.body = append(r.body, lines[i])
		}
		if i < len(lines) && lines[i] == "----" {
			r.check = true
			for i++; i < len(lines) && lines[i] != ""; i++ {
				r.want = append(r.want, lines[i])
			}
		}
		if !skip {
			list = append(list, r)
		}
		skip = false
	}
	return list, nil
}

// matchError holds an error of "statement error REGEXP" against its pattern.
func matchError(pattern string, err error) error {
	if err == nil {
		return fmt.Errorf("no error, expected one like %q", pattern)
	}
	re, bad := regexp.Compile(pattern)
	if bad != nil {
		return bad
	}
	if !re.MatchString(err.Error()) {
		return fmt.Errorf("error %q does not match %q", err, pattern)
	}
	return nil
}
