package shell

import (
	"errors"

	"github.com/peterh/liner"
)

// Editor reads lines from whoever types.
type Editor interface {
	// ReadLine shows the prompt and returns a line. It returns io.EOF at the end of
	// input and ErrAborted when the line was dropped with Ctrl-C.
	ReadLine(prompt string) (string, error)
	// AddHistory makes a line one that the editor can bring back.
	AddHistory(line string)
	// SetCompleter sets what is asked when Tab is pressed; see Completer.
	SetCompleter(c Completer)
	// Close gives the terminal back as it was.
	Close() error
}

// Completer is given a line and the cursor in it, counted in characters. It returns
// the text before the word to complete, what the word may become, and the text
// behind it.
type Completer func(line string, pos int) (head string, words []string, tail string)

// ErrAborted says that the line was dropped with Ctrl-C.
var ErrAborted = errors.New("line dropped")

// NewLiner returns an Editor on the terminal at descriptor 0.
func NewLiner() Editor {
	e := &lineEditor{state: liner.NewLiner()}
	e.state.SetCtrlCAborts(true)
	// TabPrints never puts on the line what the cursor does not stand behind.
	e.state.SetTabCompletionStyle(liner.TabPrints)
	if mode, err := liner.TerminalMode(); err == nil {
		e.mode = mode
	}
	return e
}

type lineEditor struct {
	state *liner.State
	mode  liner.ModeApplier
}

func (e *lineEditor) ReadLine(prompt string) (string, error) {
	if e.mode != nil {
		// After Ctrl-Z and fg the terminal is back in its own mode and would show each
		// character twice. If the mode cannot be set the prompt still works.
		_ = e.mode.ApplyMode()
	}
	setSignals(false)
	defer setSignals(true)
	line, err := e.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		err = ErrAborted
	}
	return line, err
}

func (e *lineEditor) AddHistory(line string) { e.state.AppendHistory(line) }

func (e *lineEditor) SetCompleter(c Completer) { e.state.SetWordCompleter(liner.WordCompleter(c)) }

func (e *lineEditor) Close() error { return e.state.Close() }
