package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// flushAt is how many bytes are collected before they are written.
const flushAt = 256 << 10

// sink writes the rows of each INSERT to a file of its own in the folder.
type sink struct {
	table *table
}

// Traits implements connector.Sink.
func (s *sink) Traits() connector.SinkTraits { return connector.SinkTraits{} }

// Open implements connector.Sink.
func (s *sink) Open(context.Context) (connector.Writer, error) {
	enc, err := s.table.format.Encoder()
	if err != nil {
		return nil, err
	}
	return &writer{dir: s.table.path, ext: enc.Extension, row: enc.Row, head: enc.Head}, nil
}

// writer writes one part file. The file is made with the first row, under a name
// that readers leave out, and gets its own name when it is committed.
type writer struct {
	dir, ext string
	row      func([]byte, *stream.Batch, int) ([]byte, error)
	head     func([]byte) []byte

	file   *os.File
	final  string
	made   []string // folders that were made for the file, outermost first
	buf    []byte
	closed bool
}

// Write implements connector.Writer.
func (w *writer) Write(ctx context.Context, b *stream.Batch) error {
	n := b.Live()
	for k := range n {
		i := k
		if b.Sel != nil {
			i = int(b.Sel[k])
		}
		if kind := b.Kind(i); kind != stream.Insert {
			return diag.New(diag.Changelog, diag.Span{}, "files can only be appended to, and the query sends a change of kind %s", kind)
		}
		if w.file == nil {
			if err := w.create(); err != nil {
				return err
			}
		}
		var err error
		if w.buf, err = w.row(w.buf, b, i); err != nil {
			return err
		}
		if len(w.buf) >= flushAt {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// create makes the folder and the hidden file. Parts are numbered, so that files
// of later INSERTs are read after those of earlier ones.
func (w *writer) create() error {
	if err := w.makeDir(w.dir); err != nil {
		return w.fault(err)
	}
	for {
		n, err := w.lastPart()
		if err != nil {
			return w.fault(err)
		}
		name := fmt.Sprintf("part-%06d.%s", n+1, w.ext)
		f, err := os.OpenFile(filepath.Join(w.dir, "."+name+".inprogress"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue // another INSERT was faster
		}
		if err != nil {
			return w.fault(err)
		}
		w.file, w.final = f, filepath.Join(w.dir, name)
		if w.head != nil {
			w.buf = w.head(w.buf)
		}
		return nil
	}
}

// makeDir makes the folder and remembers what it made.
func (w *writer) makeDir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) {
		if parent := filepath.Dir(dir); parent != dir {
			if err := w.makeDir(parent); err != nil {
				return err
			}
			err = os.Mkdir(dir, 0o777)
		}
	}
	if err == nil {
		w.made = append(w.made, dir)
		return nil
	}
	if info, serr := os.Stat(dir); errors.Is(err, fs.ErrExist) && serr == nil && info.IsDir() {
		return nil
	}
	return err
}

// lastPart is the highest number of a part, finished or not.
func (w *writer) lastPart() (int, error) {
	entries, err := os.ReadDir(w.dir)
	last := 0
	for _, e := range entries {
		var n int
		name := e.Name()
		if name[0] == '.' {
			name = name[1:]
		}
		if _, serr := fmt.Sscanf(name, "part-%06d.", &n); serr == nil {
			last = max(last, n)
		}
	}
	return last, err
}

func (w *writer) fault(err error) error {
	return diag.New(diag.IO, diag.Span{}, "cannot write to folder %q", w.dir).Wrap(bare(err))
}

// Flush implements connector.Writer. Readers see the rows when the INSERT ends.
func (w *writer) Flush(context.Context) error {
	if w.file == nil || len(w.buf) == 0 {
		return nil
	}
	_, err := w.file.Write(w.buf)
	w.buf = w.buf[:0]
	if err != nil {
		return w.fault(err)
	}
	return nil
}

// Close implements connector.Writer.
func (w *writer) Close(commit bool) error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.file == nil {
		return w.undo(commit)
	}
	var err error
	if commit {
		err = w.Flush(context.Background())
	}
	if cerr := w.file.Close(); cerr != nil && err == nil {
		err = w.fault(cerr)
	}
	if commit && err == nil {
		if err = os.Rename(w.file.Name(), w.final); err == nil {
			return nil
		}
		err = w.fault(err)
	}
	if rerr := os.Remove(w.file.Name()); rerr != nil && err == nil {
		err = w.fault(rerr)
	}
	if uerr := w.undo(false); uerr != nil && err == nil {
		err = uerr
	}
	return err
}

// undo removes the folders that were made for a file that is not there, unless
// others use them by now.
func (w *writer) undo(commit bool) error {
	if commit {
		return nil
	}
	for i := len(w.made) - 1; i >= 0; i-- {
		if entries, err := os.ReadDir(w.made[i]); err != nil || len(entries) > 0 {
			return nil
		}
		if err := os.Remove(w.made[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return w.fault(err)
		}
	}
	return nil
}
