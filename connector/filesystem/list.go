package filesystem

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/klauspost/compress/gzip"

	"streamsql/internal/diag"
)

// file is one file of a table.
type file struct {
	path string
	size int64
	live bool // a FIFO or the like: somebody may still be writing
}

// localPath takes the spellings of Flink (file:, file://) away.
func localPath(path string, span diag.Span) (string, error) {
	p := path
	switch {
	case strings.HasPrefix(p, "file://"):
		p = p[len("file://"):]
	case strings.HasPrefix(p, "file:"):
		p = p[len("file:"):]
	case strings.Contains(p, "://"):
		return "", diag.New(diag.Unsupported, span, "path %q: only local files can be used", path).
			WithHint("copy the file, or read it through a pipe as table stdin")
	}
	if p == "" {
		return "", diag.New(diag.InvalidArgument, span, "the path of a table must not be empty")
	}
	return filepath.Clean(p), nil
}

// list finds the files of a path in byte order: the file itself, the files of a
// folder and its subfolders, or what a pattern matches. Names that start with a
// dot or underscore are left out below the path.
func list(path string) ([]file, error) {
	info, err := os.Stat(path)
	var found []file
	switch {
	case err == nil && info.IsDir():
		found, err = walk(path)
	case err == nil:
		return []file{describe(path, info)}, nil
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[{"):
		found, err = match(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(path)
	}
	if err != nil {
		if diag.As(err) != nil {
			return nil, err
		}
		var p *fs.PathError
		if errors.As(err, &p) {
			path = p.Path // of the file in the folder
		}
		return nil, diag.New(diag.IO, diag.Span{}, "cannot read %q", path).Wrap(bare(err))
	}
	sort.Slice(found, func(i, j int) bool { return found[i].path < found[j].path })
	return found, nil
}

func describe(path string, info fs.FileInfo) file {
	f := file{path: path, live: info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice|fs.ModeSocket) != 0}
	if !f.live && compression(path) == "" {
		f.size = info.Size()
	}
	return f
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

func walk(root string) ([]file, error) {
	var found []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != root && hidden(d.Name()) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := os.Stat(path) // follows links
		if err != nil || info.IsDir() {
			return err
		}
		found = append(found, describe(path, info))
		return nil
	})
	return found, err
}

func match(pattern string) ([]file, error) {
	paths, err := doublestar.FilepathGlob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, diag.New(diag.UndefinedTable, diag.Span{}, "no file matches %q", pattern)
	}
	seen := map[string]bool{}
	var found []file
	for _, p := range paths {
		if !shown(pattern, p) {
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		part := []file{describe(p, info)}
		if info.IsDir() {
			if part, err = walk(p); err != nil {
				return nil, err
			}
		}
		for _, f := range part {
			if !seen[f.path] {
				seen[f.path] = true
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		return nil, diag.New(diag.UndefinedTable, diag.Span{}, "no file matches %q", pattern)
	}
	return found, nil
}

// shown reports whether no name of the path that the pattern leaves open is
// hidden.
func shown(pattern, path string) bool {
	fixed, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
	rest := strings.TrimPrefix(filepath.ToSlash(path), fixed)
	for _, name := range strings.Split(strings.Trim(rest, "/"), "/") {
		if hidden(name) && name != "." && name != ".." {
			return false
		}
	}
	return true
}

// missing is the error for a path that does not exist; it names a neighbour that
// may be meant.
func missing(path string) error {
	e := diag.New(diag.UndefinedTable, diag.Span{}, "file %q does not exist", path)
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return e.WithHint("folder %q does not exist either; check the path", dir)
	}
	var names []string
	for _, d := range entries {
		if !hidden(d.Name()) {
			names = append(names, d.Name())
		}
	}
	if s := diag.Suggest(filepath.Base(path), names); s != "" {
		return e.WithHint("did you mean %q?", filepath.Join(dir, s))
	}
	return e
}

// bare is err without the path, which the message has already, in the words of users.
func bare(err error) error {
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return errors.New("it is not compressed as its name says")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("its compressed data is damaged")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("its compressed data ends early")
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
