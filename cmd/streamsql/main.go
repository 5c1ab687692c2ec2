package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"streamsql"
	"streamsql/cmd/streamsql/internal/flags"
	"streamsql/cmd/streamsql/internal/session"
	"streamsql/cmd/streamsql/internal/shell"
)

// version is set by the build (-ldflags "-X main.version=...").
var version = "0.1.0-dev"

func main() { os.Exit(int(run(os.Args[1:]))) }

// run is the whole program: from the arguments to the exit status.
func run(args []string) session.Code {
	// A reader that goes away is no fault: the write that fails says so.
	signal.Ignore(syscall.SIGPIPE)
	o, err := flags.Parse(args)
	if err != nil {
		return refuse(err)
	}
	switch {
	case o.Help:
		fmt.Print(flags.Help)
		return session.OK
	case o.Version:
		fmt.Println("streamsql " + version)
		return session.OK
	}
	app, err := newApp(o)
	if err != nil {
		return refuse(err)
	}
	defer app.engine.Close()
	return app.run()
}

// refuse tells why the command line is not accepted.
func refuse(err error) session.Code {
	var e *flags.Error
	if !errors.As(err, &e) {
		fmt.Fprint(os.Stderr, streamsql.Render("", err))
		return session.Refused
	}
	fmt.Fprintf(os.Stderr, "error: %s\n", e.Msg)
	if e.Hint != "" {
		fmt.Fprintf(os.Stderr, "hint: %s\n", e.Hint)
	}
	return session.Refused
}

// app is what the program is made of once its options are known.
type app struct {
	options *flags.Options
	engine  *streamsql.Engine
	session *session.Session
	stdin   *os.File // data, or the script, or the keyboard
	shell   *shell.Shell
	editor  shell.Editor
}

func newApp(o *flags.Options) (*app, error) {
	a := &app{options: o, stdin: os.Stdin}
	if o.Interactive && !term.IsTerminal(1) {
		return nil, &flags.Error{Msg: "option -i: standard output is no terminal", Hint: "leave -i away and give the SQL with -c or -f"}
	}
	if o.Interactive && !term.IsTerminal(0) {
		data, err := keyboardOnStdin()
		if err != nil {
			return nil, &flags.Error{Msg: fmt.Sprintf("option -i: there is no terminal to type at: %v", err), Hint: "leave -i away and give the SQL with -c or -f"}
		}
		a.stdin = data
	}
	out := session.NewOutput(os.Stdout)
	opts := []streamsql.Option{
		streamsql.WithStdin(a.stdin), streamsql.WithStdout(out),
		streamsql.WithFiles(streamsql.FileOptions{Header: o.Header, EventTime: o.EventTime, Delay: o.Delay}),
	}
	if o.BatchSize > 0 {
		opts = append(opts, streamsql.WithBatchSize(o.BatchSize))
	}
	if o.ReadBuffer > 0 {
		opts = append(opts, streamsql.WithReadBuffer(o.ReadBuffer))
	}
	if o.Workers > 0 {
		opts = append(opts, streamsql.WithWorkers(o.Workers))
	}
	if o.FlushOnStop {
		opts = append(opts, streamsql.WithFlushOnStop())
	}
	engine, err := streamsql.Open(opts...)
	if err != nil {
		return nil, err
	}
	a.engine = engine
	cfg := session.Config{
		Format: o.Format, Changes: o.Changes, KeepGoing: o.KeepGoing, Limit: o.Limit, Stats: o.Stats, Quiet: o.Quiet,
		StdoutTerminal: term.IsTerminal(1), StderrTerminal: term.IsTerminal(2),
		Delay: o.Delay, FileDelay: o.EventTime != "",
		Trace: o.Trace, TraceFile: o.TraceFile,
	}
	if cfg.Format == "" {
		cfg.Format = "csv"
		if cfg.StdoutTerminal {
			cfg.Format = "table"
		}
	}
	for _, t := range o.Tables {
		cfg.Files = append(cfg.Files, t.Name)
		if err := engine.DefineFile(t.Name, t.Path, t.Options); err != nil {
			engine.Close()
			return nil, err
		}
	}
	a.session = &session.Session{Config: cfg, Out: out, Err: os.Stderr}
	a.session.Engine = session.Wrap(engine, &a.session.Config)
	return a, nil
}

// run runs what was given, then the shell, if one is wanted.
func (a *app) run() session.Code {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	o := a.options
	interactive := o.Interactive || len(o.Inputs) == 0 && term.IsTerminal(0) && a.session.StdoutTerminal
	if interactive {
		a.session.Shell = true
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	inputs := o.Inputs
	if len(inputs) == 0 && !interactive {
		inputs = []flags.Input{{Path: "-"}}
	}
	if interactive {
		a.editor = shell.NewLiner()
		defer a.editor.Close()
		a.shell = shell.New(a.session, a.editor, shell.NewHistory(shell.HistoryPath()))
		a.shell.OwnKeys = a.stdin != os.Stdin
	}
	go a.handle(signals, cancel)
	if !interactive {
		return a.scripts(ctx, inputs)
	}
	var code session.Code
	a.shell.Stoppable(ctx, func(ctx context.Context) { code = a.scripts(ctx, inputs) })
	if ctx.Err() != nil {
		return code
	}
	if !o.Quiet && len(inputs) == 0 {
		fmt.Fprintf(os.Stderr, "streamsql %s   .help for help, or SELECT * FROM 'your.csv';\n", version)
	}
	return a.shell.Run(ctx)
}

// handle acts on signals: Ctrl-C stops the query, at a prompt it never ends the
// program; otherwise the first signal stops what runs, in order, the second at once.
func (a *app) handle(signals <-chan os.Signal, cancel context.CancelCauseFunc) {
	stopping := false
	for sig := range signals {
		code := session.Interrupted
		if sig == syscall.SIGTERM {
			code = session.Terminated
		} else if a.shell != nil {
			a.shell.Interrupt()
			continue
		}
		idle := a.shell != nil && a.shell.Prompting()
		if idle || stopping {
			if a.editor != nil {
				a.editor.Close()
			}
			os.Exit(int(code))
		}
		stopping = true
		cancel(session.Stop{Code: code})
	}
}

// scripts runs the inputs in order and returns the status of the first failure.
func (a *app) scripts(ctx context.Context, inputs []flags.Input) session.Code {
	first := session.OK
	for _, in := range inputs {
		code := a.script(ctx, in)
		if first == session.OK {
			first = code
		}
		if code != session.OK && !a.session.KeepGoing || ctx.Err() != nil || a.session.Out.Err() != nil {
			return first
		}
	}
	if first == session.OK && len(inputs) > 0 {
		a.notes()
	}
	return first
}

// notes tells of what was most likely not meant.
func (a *app) notes() {
	s := a.session
	if s.Shell || s.Quiet || s.Format == "transcript" {
		return
	}
	if !s.Produced {
		fmt.Fprintln(os.Stderr, "note: no statement was a query or an INSERT, so there are no rows")
	}
	if a.options.EventTime != "" && s.Read && !s.Timed {
		fmt.Fprintf(os.Stderr, "note: --event-time %s had no effect: no file that was read has such a column\n", a.options.EventTime)
	}
}

func (a *app) script(ctx context.Context, in flags.Input) session.Code {
	switch in.Path {
	case "":
		return a.session.Script(ctx, "", in.SQL)
	case "-":
		text, err := unlessStopped(ctx, func() (string, error) { return readScript(a.stdin) })
		if code, ok := stopped(err); ok {
			return code
		}
		if err != nil {
			return refuse(err)
		}
		return a.session.Script(ctx, "", text)
	}
	text, err := unlessStopped(ctx, func() ([]byte, error) { return os.ReadFile(in.Path) })
	if code, ok := stopped(err); ok {
		return code
	}
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return refuse(&flags.Error{Msg: fmt.Sprintf("cannot read script %q: %v", in.Path, err), Hint: "check the path"})
	}
	return a.session.Script(ctx, in.Path, string(text))
}

// unlessStopped runs f, which may wait for a pipe, in a goroutine that is left behind
// when ctx ends; the error is the cause of that then.
func unlessStopped[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// stopped reports whether err is a stop by a signal, and the status for it.
func stopped(err error) (session.Code, bool) {
	var stop session.Stop
	if errors.As(err, &stop) {
		return stop.Code, true
	}
	return session.OK, false
}

// readScript reads SQL from standard input, unless what comes looks like data.
func readScript(r io.Reader) (string, error) {
	head := make([]byte, 64<<10)
	n, err := r.Read(head)
	head = head[:n]
	if looksLikeData(string(head)) {
		return "", &flags.Error{
			Msg:  "standard input is read as SQL here, but it looks like data",
			Hint: `to query it: streamsql -c "SELECT * FROM stdin"`,
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	return string(head) + string(rest), nil
}
