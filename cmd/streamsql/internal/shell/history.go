package shell

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/adrg/xdg"
)

// History keeps statements from one run to the next, one on a line, in a file that
// only its owner can read. Not being able to write it is no error: a read-only home
// must not get in the way.
type History struct {
	path string // "": off
}

const historyLines = 1000

// HistoryPath is where the history is kept: STREAMSQL_HISTORY if it is set (empty:
// nowhere), else a file in the user's state folder.
func HistoryPath() string {
	if p, ok := os.LookupEnv("STREAMSQL_HISTORY"); ok {
		return p
	}
	return filepath.Join(xdg.StateHome, "streamsql", "history")
}

// NewHistory returns the history in a file.
func NewHistory(path string) *History { return &History{path: path} }

// Load returns the newest statements, oldest first.
func (h *History) Load() []string {
	if h.path == "" {
		return nil
	}
	f, err := os.Open(h.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		if line := scan.Text(); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > historyLines {
		lines = lines[len(lines)-historyLines:]
		h.replace(lines)
	}
	return lines
}

// replace writes the whole file anew; on failure the old one stays.
func (h *History) replace(lines []string) {
	tmp, err := os.CreateTemp(filepath.Dir(h.path), "history*") // mode 0600
	if err != nil {
		return
	}
	_, err = tmp.WriteString(strings.Join(lines, "\n") + "\n")
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), h.path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
}

// secret finds statements that should not lie around in a file.
var secret = regexp.MustCompile(`(?i)password|passwd|secret|token|api.?key|credential|sasl\.jaas`)

// Add appends a statement, which must be on one line.
func (h *History) Add(line string) {
	if h.path == "" || secret.MatchString(line) || strings.Contains(line, "\n") {
		return
	}
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(line + "\n")
}
