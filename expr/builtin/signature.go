package builtin

import (
	"errors"
	"fmt"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Short names for the types that most signatures are made of.
var (
	boolType   = types.Of(types.Boolean)
	intType    = types.Of(types.Int)
	bigintType = types.Of(types.BigInt)
	doubleType = types.Of(types.Double)
	stringType = types.Of(types.Varchar)
	dateType   = types.Of(types.Date)
)

// resolve is the form of Function.Resolve.
type resolve = func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error)

// loop is a kernel that needs no state and cannot fail.
type loop = func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows)

// safe makes a kernel constructor of a loop.
func safe(f loop) func() expr.Kernel {
	return func() expr.Kernel {
		return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			f(c, args, out, rows)
			return nil
		}
	}
}

// plain makes a kernel constructor of a kernel without state.
func plain(k expr.Kernel) func() expr.Kernel { return func() expr.Kernel { return k } }

// expects is the error of arguments that do not fit; what names them: "two numbers".
func expects(what string, args []types.Type) error {
	return fmt.Errorf("expects %s, not %s", what, list(args))
}

// list prints types for a message.
func list(args []types.Type) string {
	if len(args) == 0 {
		return "nothing"
	}
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = t.Name()
	}
	return strings.Join(names, ", ")
}

// arity checks the number of arguments; most < 0 means any number.
func arity(args []types.Type, least, most int) error {
	n := len(args)
	if n >= least && (most < 0 || n <= most) {
		return nil
	}
	switch {
	case least == most && least == 0:
		return fmt.Errorf("takes no arguments, not %d", n)
	case least == most:
		return fmt.Errorf("takes %s, not %d", numbered(least), n)
	case most < 0:
		return fmt.Errorf("takes at least %s, not %d", numbered(least), n)
	}
	if most == least+1 {
		return fmt.Errorf("takes %d or %s, not %d", least, numbered(most), n)
	}
	return fmt.Errorf("takes %d to %s, not %d", least, numbered(most), n)
}

// rowFault is the error of a row; what stands behind the last "; " of the text is its
// hint. Values in the text may hold one, too.
func rowFault(row int, text string) *expr.RowError {
	if i := strings.LastIndex(text, "; "); i >= 0 {
		return &expr.RowError{Row: row, Msg: text[:i], Hint: text[i+2:]}
	}
	return &expr.RowError{Row: row, Msg: text}
}

func numbered(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// errNull refuses a bare NULL as an argument.
var errNull = errors.New("a bare NULL has no type here; write CAST(NULL AS type)")

// noNull refuses bare NULLs.
func noNull(args []types.Type) error {
	for _, t := range args {
		if t.Kind == types.Null {
			return errNull
		}
	}
	return nil
}

// bareNulls are the functions that take a bare NULL, as Flink's newer ones do, and the
// types that it has at each place; the last one holds for the places behind it, and the
// zero Type refuses it.
var bareNulls = map[string][]types.Type{
	"BTRIM": {stringType}, "SPLIT": {stringType}, "STARTSWITH": {stringType}, "ENDSWITH": {stringType}, "PRINTF": {stringType},
	"ELT": {{}, stringType}, "URL_ENCODE": {stringType}, "URL_DECODE": {stringType}, "UNHEX": {stringType},
	"REGEXP_EXTRACT_ALL": {stringType, stringType, intType}, "REGEXP_COUNT": {stringType}, "REGEXP_INSTR": {stringType}, "REGEXP_SUBSTR": {stringType},
	"JSON": {stringType}, "JSON_QUOTE": {stringType}, "JSON_UNQUOTE": {stringType}, "JSON_STRING": {stringType},
	"ARRAY_JOIN": {{}, stringType}, "ARRAY_SLICE": {{}, intType}, "ARRAY_SORT": {{}, boolType},
}

// takeBareNulls gives the bare NULLs among the arguments of a function types.
func takeBareNulls(f *expr.Function, as []types.Type) {
	resolve := f.Resolve
	f.Resolve = func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
		if noNull(args) == nil {
			return resolve(args, lits)
		}
		typed := make([]types.Type, len(args))
		for i, t := range args {
			if typed[i] = t; t.Kind == types.Null {
				typed[i] = as[min(i, len(as)-1)]
			}
		}
		return resolve(typed, lits)
	}
}

// like gives t the NULL-ability of a call that is NULL if any argument is.
func like(t types.Type, args []types.Type) types.Type {
	for _, a := range args {
		if !a.NotNull {
			return t.Nullable()
		}
	}
	return t.Required()
}

// param is what a fixed signature asks of one argument.
type param struct {
	name string // for messages: "a text"
	fits func(types.Type) bool
	as   types.Type // cast to; the zero Type: as it is
}

func isBool(t types.Type) bool { return t.Kind == types.Boolean }

var (
	textParam   = param{name: "a text", fits: types.Type.IsText}
	intParam    = param{name: "an integer", fits: types.Type.IsInteger, as: bigintType}
	numberParam = param{name: "a number", fits: types.Type.IsNumeric, as: doubleType}
	boolParam   = param{name: "a BOOLEAN", fits: isBool}
	// stringParam is a text, or bytes that are one.
	stringParam = param{name: "a text or bytes", fits: func(t types.Type) bool { return t.IsText() || t.IsBytes() }}
)

// take checks the arguments against the parameters, of which the last may be left
// out from least on, and returns the types that they are cast to.
func take(args []types.Type, least int, params ...param) ([]types.Type, error) {
	if err := arity(args, least, len(params)); err != nil {
		return nil, err
	}
	if err := noNull(args); err != nil {
		return nil, err
	}
	to := make([]types.Type, len(args))
	for i, t := range args {
		p := params[i]
		if !p.fits(t) {
			return nil, fmt.Errorf("expects %s as argument %d, not %s", p.name, i+1, t.Name())
		}
		to[i] = t
		if p.as.Kind != types.Null {
			to[i] = p.as
		}
	}
	return to, nil
}

// fixed makes a resolve for a fixed signature.
func fixed(result types.Type, newKernel func() expr.Kernel, least int, params ...param) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		to, err := take(args, least, params...)
		if err != nil {
			return expr.Resolution{}, err
		}
		return expr.Resolution{Args: to, Result: like(result, args), New: newKernel}, nil
	}
}

// constText returns the constant text of argument i, if it is one.
func constText(lits []*expr.Literal, i int) (string, bool) {
	if i >= len(lits) || lits[i] == nil || lits[i].Value.Null || !lits[i].T.IsText() {
		return "", false
	}
	return lits[i].Value.S, true
}
