package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"streamsql"
	"streamsql/cmd/streamsql/internal/session"
)

// The prompts are equally wide.
const (
	prompt       = "streamsql> "
	continuation = "      ...> "
)

// Shell is a prompt on a session.
type Shell struct {
	s       *session.Session
	ed      Editor
	history *History
	pending string // lines of a statement that has not ended
	quit    bool
	// OwnKeys says that the terminal is not where the data comes from: Ctrl-C is then
	// read as a key while a query runs, so that it does not end whoever sends the data.
	OwnKeys bool

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the running statement, else nil
	asking bool                    // waits for a line
}

// New returns a shell. The session's format and the like may be changed by dot
// commands.
func New(s *session.Session, ed Editor, h *History) *Shell {
	sh := &Shell{s: s, ed: ed, history: h}
	ed.SetCompleter(sh.complete)
	for _, line := range h.Load() {
		ed.AddHistory(line)
	}
	return sh
}

// Interrupt stops the running statement and reports whether there was one. It may be
// called from any goroutine.
func (sh *Shell) Interrupt() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.cancel == nil {
		return false
	}
	sh.cancel(session.Stop{Code: session.Interrupted})
	return true
}

// Prompting reports whether the shell waits for somebody to type.
func (sh *Shell) Prompting() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.asking
}

func (sh *Shell) setAsking(asking bool) {
	sh.mu.Lock()
	sh.asking = asking
	sh.mu.Unlock()
}

// Run reads and runs statements until the user quits, the input ends or ctx is done.
func (sh *Shell) Run(ctx context.Context) session.Code {
	for !sh.quit {
		p := prompt
		if sh.pending != "" {
			p = continuation
		}
		sh.setAsking(true)
		line, err := sh.ed.ReadLine(p)
		sh.setAsking(false)
		var stop session.Stop
		switch {
		case ctx.Err() != nil && errors.As(context.Cause(ctx), &stop):
			return stop.Code
		case errors.Is(err, ErrAborted):
			sh.pending = ""
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(sh.s.Out)
			return session.OK
		case err != nil:
			fmt.Fprintf(sh.s.Err, "error: cannot read the terminal: %v\n", err)
			return session.Failed
		}
		sh.line(ctx, line)
		if ctx.Err() != nil && errors.As(context.Cause(ctx), &stop) {
			return stop.Code
		}
		if sh.s.Out.Err() != nil {
			return session.Failed
		}
	}
	return session.OK
}

// line takes a line: a command, or a piece of a statement.
func (sh *Shell) line(ctx context.Context, line string) {
	if sh.pending == "" {
		word := strings.TrimSpace(line)
		if word == "" {
			return
		}
		if name := bareWord(word); name != "" {
			word = name
		}
		if word[0] == '.' || word[0] == '\\' {
			sh.ed.AddHistory(strings.TrimSpace(line))
			sh.command(word)
			return
		}
	}
	sh.pending += line + "\n"
	text := sh.pending
	statements := streamsql.Split(text)
	if len(statements) == 0 && !openComment(text) {
		sh.pending = ""
		return
	}
	for _, st := range statements {
		if !st.Terminated {
			sh.pending = text[st.Offset:]
			return
		}
		sh.pending = ""
		sh.remember(st)
		sh.run(ctx, st)
		if sh.quit || ctx.Err() != nil {
			return
		}
	}
	if openComment(text) {
		sh.pending = text[strings.LastIndex(text, "/*"):]
	}
}

// bareWord is the command that a word without a dot stands for, or "".
func bareWord(word string) string {
	switch strings.ToLower(strings.TrimSpace(strings.TrimSuffix(word, ";"))) {
	case "help", "?":
		return ".help"
	case "exit", "quit":
		return ".quit"
	}
	return ""
}

// openComment reports whether the text behind its last statement begins a comment
// that has not ended.
func openComment(text string) bool {
	tail := text[strings.LastIndexByte(text, ';')+1:]
	open := strings.LastIndex(tail, "/*")
	return open >= 0 && !strings.Contains(tail[open:], "*/")
}

// remember adds a statement to the history: on one line, since the editor knows no
// others.
func (sh *Shell) remember(st streamsql.Statement) {
	line := streamsql.OneLine(st.Text) + ";"
	sh.ed.AddHistory(line)
	sh.history.Add(line)
}

// run runs one statement; Interrupt stops it.
func (sh *Shell) run(ctx context.Context, st streamsql.Statement) {
	// The place is one in this statement: what was typed before is out of sight.
	st.Offset, st.Line, st.Col = 0, 1, 1
	sh.Stoppable(ctx, func(ctx context.Context) { sh.s.Statement(ctx, "", st.Text, st) })
}

// Stoppable calls f with a context that Interrupt ends.
func (sh *Shell) Stoppable(ctx context.Context, f func(context.Context)) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sh.setCancel(cancel)
	defer sh.setCancel(nil)
	if sh.OwnKeys {
		if stop, err := watchKeys(func() { sh.Interrupt() }); err == nil {
			defer stop()
		} // else Ctrl-C comes as a signal
	}
	f(ctx)
}

func (sh *Shell) setCancel(c context.CancelCauseFunc) {
	sh.mu.Lock()
	sh.cancel = c
	sh.mu.Unlock()
}
