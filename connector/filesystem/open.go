package filesystem

import (
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"streamsql/connector/csv"
	"streamsql/connector/pipe"
	"streamsql/connector/text"
	"streamsql/internal/diag"
)

// compression returns the ending of a file that is compressed, "" for others.
func compression(path string) string {
	switch ext := filepath.Ext(path); ext {
	case ".gz", ".bz2", ".deflate", ".xz", ".zst":
		return ext
	}
	return ""
}

// inputs makes what text.Reader opens of files.
func inputs(files []file) []text.Input {
	in := make([]text.Input, len(files))
	for i, f := range files {
		in[i] = text.Input{Name: f.path, Size: f.size, Open: f.open}
	}
	return in
}

func (f file) open(_ context.Context, offset int64) (text.Stream, error) {
	if f.live {
		if offset > 0 {
			return nil, diag.New(diag.IO, diag.Span{}, "cannot go on in the middle of %q, which is no regular file", f.path)
		}
		return sampled.take(f.path), nil
	}
	r, err := os.Open(f.path)
	if err != nil {
		return nil, f.fault(err)
	}
	s := &stored{file: r, data: r}
	if ext := compression(f.path); ext != "" {
		if err := s.unpack(ext); err != nil {
			return nil, f.failed(r, err)
		}
		if _, err := io.CopyN(io.Discard, s.data, offset); err != nil {
			return nil, f.failed(r, err)
		}
		return s, nil
	}
	if offset > 0 {
		if _, err := r.Seek(offset, io.SeekStart); err != nil {
			return nil, f.failed(r, err)
		}
	}
	return plain{s}, nil
}

// failed closes the file after a fault; the fault is what counts.
func (f file) failed(r *os.File, err error) error {
	if cerr := r.Close(); cerr != nil && err == nil {
		err = cerr
	}
	return f.fault(err)
}

func (f file) fault(err error) error {
	if diag.As(err) != nil {
		return err
	}
	return diag.New(diag.IO, diag.Span{}, "cannot read %q", f.path).Wrap(bare(err))
}

// stored is an open regular file.
type stored struct {
	file *os.File
	data io.Reader
}

func (s *stored) unpack(ext string) (err error) {
	switch ext {
	case ".gz":
		s.data, err = gzip.NewReader(s.file)
		if err == io.EOF { // a file without a byte has no rows
			s.data, err = s.file, nil
		}
	case ".bz2":
		s.data = bzip2.NewReader(s.file)
	case ".deflate":
		s.data, err = zlib.NewReader(s.file)
	default:
		err = diag.New(diag.Unsupported, diag.Span{}, "files compressed as %q are not supported", ext).
			WithHint("unpack the file, or compress it as .gz")
	}
	return err
}

func (s *stored) Read(_ context.Context, p []byte) (int, error) { return s.data.Read(p) }

func (s *stored) Ready() bool { return true }

func (s *stored) Close() error { return s.file.Close() }

// plain is an open file that is read as it is. It implements text.Random.
type plain struct{ *stored }

func (p plain) ReadAt(b []byte, offset int64) (int, error) { return p.file.ReadAt(b, offset) }

func (p plain) Size() int64 {
	info, err := p.file.Stat()
	if err != nil {
		return 0 // then it is read in order
	}
	return info.Size()
}

// pipes are the FIFOs of which a sample was taken: what was read of them is with
// nobody else, so the query that follows must get it from here.
type pipes struct {
	mu   sync.Mutex
	open map[string]*pipe.Reader
}

// sampled is one for the process, as FIFOs are.
var sampled = pipes{open: map[string]*pipe.Reader{}}

// sample returns the start of a FIFO and keeps it for take.
func (p *pipes) sample(ctx context.Context, path string, o csv.InferOptions) ([]byte, bool, error) {
	p.mu.Lock()
	r := p.open[path]
	if r == nil {
		r = newPipe(path)
		p.open[path] = r
	}
	p.mu.Unlock()
	b, whole, err := r.Sample(ctx, o.Bytes, o.Rows, o.Wait)
	if err == nil {
		return b, whole, nil
	}
	p.mu.Lock()
	delete(p.open, path)
	p.mu.Unlock()
	if cerr := r.Close(); cerr != nil {
		err = errors.Join(err, cerr)
	}
	return nil, false, err
}

// take returns the FIFO, with what was sampled of it.
func (p *pipes) take(path string) *pipe.Reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.open[path]
	if r == nil {
		return newPipe(path)
	}
	delete(p.open, path)
	return r
}

func newPipe(path string) *pipe.Reader {
	l := &lazy{path: path}
	return pipe.New(l, l.Close)
}

// lazy opens a FIFO with the first read, since opening waits for a writer.
type lazy struct {
	path string

	mu     sync.Mutex
	file   *os.File
	closed bool
}

func (l *lazy) Read(p []byte) (int, error) {
	f, err := l.get()
	if err != nil {
		return 0, err
	}
	return f.Read(p)
}

func (l *lazy) get() (*os.File, error) {
	l.mu.Lock()
	f := l.file
	l.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, f.Close()
	}
	l.file = f
	return f, nil
}

func (l *lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
