package types

import (
	"fmt"
	"math"
)

// Kind is the root of a SQL type.
type Kind uint8

// The kinds. Types of the last four have parts: see NewArray, NewMap, NewMultiset and
// NewRow.
const (
	Null Kind = iota // the type of a bare NULL
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal
	Char
	Varchar // STRING is VARCHAR(MaxLength)
	Binary
	Varbinary // BYTES is VARBINARY(MaxLength)
	Date
	Time
	Timestamp
	TimestampLTZ
	IntervalMonth // year-month intervals, in months
	IntervalDay   // day-time intervals, in milliseconds
	Variant       // one JSON value: see CloseVariantObject for its bytes
	Bitmap        // a set of 32-bit numbers: see package bitmap for its bytes
	Array
	Map
	Multiset
	Row
)

// MaxLength is the length of STRING and BYTES.
const MaxLength = math.MaxInt32

// Type is a SQL type. It is comparable; the zero Type is the nullable type of a
// bare NULL.
type Type struct {
	Kind      Kind
	NotNull   bool   // false: values may be NULL
	Precision int32  // DECIMAL: digits; TIME, TIMESTAMP, TIMESTAMP_LTZ: digits of the fraction
	Scale     int32  // DECIMAL
	Length    int32  // CHAR, VARCHAR (in characters), BINARY, VARBINARY (in bytes)
	parts     *parts // ARRAY, MAP, MULTISET, ROW: there is one for equal parts
}

// Of returns the nullable type of a kind without parameters. DECIMAL is (10,0),
// times have Flink's default precision, texts and bytes the maximal length.
func Of(k Kind) Type {
	t := Type{Kind: k}
	switch k {
	case Decimal:
		t.Precision = 10
	case Timestamp, TimestampLTZ:
		t.Precision = 6
	case Char, Binary:
		t.Length = 1
	case Varchar, Varbinary:
		t.Length = MaxLength
	}
	return t
}

// NewDecimal returns the nullable type DECIMAL(p, s).
func NewDecimal(p, s int) Type { return Type{Kind: Decimal, Precision: int32(p), Scale: int32(s)} }

// NewTimestamp returns the nullable type TIMESTAMP(p).
func NewTimestamp(p int) Type { return Type{Kind: Timestamp, Precision: int32(p)} }

// NewTimestampLTZ returns the nullable type TIMESTAMP_LTZ(p).
func NewTimestampLTZ(p int) Type { return Type{Kind: TimestampLTZ, Precision: int32(p)} }

// NewChar returns the nullable type CHAR(n).
func NewChar(n int) Type { return Type{Kind: Char, Length: int32(n)} }

// NewVarchar returns the nullable type VARCHAR(n).
func NewVarchar(n int) Type { return Type{Kind: Varchar, Length: int32(n)} }

// Nullable returns t with NULL allowed.
func (t Type) Nullable() Type { t.NotNull = false; return t }

// Required returns t with NULL not allowed.
func (t Type) Required() Type { t.NotNull = true; return t }

// WithNullability returns t, nullable if nullable is set.
func (t Type) WithNullability(nullable bool) Type { t.NotNull = !nullable; return t }

// Same reports whether t and u are equal but for NULL-ability.
func (t Type) Same(u Type) bool { return t.Nullable() == u.Nullable() }

// IsInteger reports whether t is one of the four integer types.
func (t Type) IsInteger() bool { return t.Kind >= TinyInt && t.Kind <= BigInt }

// IsApproximate reports whether t is FLOAT or DOUBLE.
func (t Type) IsApproximate() bool { return t.Kind == Float || t.Kind == Double }

// IsNumeric reports whether t is an integer, FLOAT, DOUBLE or DECIMAL.
func (t Type) IsNumeric() bool { return t.Kind >= TinyInt && t.Kind <= Decimal }

// IsText reports whether t is CHAR or VARCHAR.
func (t Type) IsText() bool { return t.Kind == Char || t.Kind == Varchar }

// IsBytes reports whether t is BINARY or VARBINARY.
func (t Type) IsBytes() bool { return t.Kind == Binary || t.Kind == Varbinary }

// IsTimestamp reports whether t is TIMESTAMP or TIMESTAMP_LTZ.
func (t Type) IsTimestamp() bool { return t.Kind == Timestamp || t.Kind == TimestampLTZ }

// IsTemporal reports whether t is DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ.
func (t Type) IsTemporal() bool { return t.Kind >= Date && t.Kind <= TimestampLTZ }

// IsInterval reports whether t is an interval.
func (t Type) IsInterval() bool { return t.Kind == IntervalMonth || t.Kind == IntervalDay }

// IsNested reports whether t is ARRAY, MAP, MULTISET or ROW.
func (t Type) IsNested() bool { return t.Kind >= Array }

// HasOrder reports whether of two values of t one can be less: nested ones, VARIANTs and
// BITMAPs are the same or not, and no more.
func (t Type) HasOrder() bool { return !t.IsNested() && t.Kind != Variant && t.Kind != Bitmap }

// Layout is how values of a type lie in memory.
type Layout uint8

// The layouts. Values are little endian, as in Arrow.
const (
	NoLayout Layout = iota // the NULL type: only validity
	Bits                   // BOOLEAN: one bit a value
	Int8                   // TINYINT
	Int16                  // SMALLINT
	Int32                  // INT; DATE (days since 1970); TIME (milliseconds of the day); IntervalMonth (months)
	Int64                  // BIGINT; TIMESTAMPs (see Type.TimeUnit); IntervalDay (ms); DECIMAL with precision ≤ 18 (unscaled)
	Float32                // FLOAT
	Float64                // DOUBLE
	Int128                 // DECIMAL with precision > 18 (unscaled): low word, high word
	Bytes                  // CHAR, VARCHAR (UTF-8), BINARY, VARBINARY, VARIANT, BITMAP, nested types (see Elements): int32 offsets and data
)

// Layout returns the memory layout of t's values.
func (t Type) Layout() Layout {
	switch t.Kind {
	case Boolean:
		return Bits
	case TinyInt:
		return Int8
	case SmallInt:
		return Int16
	case Int, Date, Time, IntervalMonth:
		return Int32
	case BigInt, Timestamp, TimestampLTZ, IntervalDay:
		return Int64
	case Float:
		return Float32
	case Double:
		return Float64
	case Decimal:
		if t.Precision > 18 {
			return Int128
		}
		return Int64
	case Char, Varchar, Binary, Varbinary, Variant, Bitmap, Array, Map, Multiset, Row:
		return Bytes
	}
	return NoLayout
}

// Width returns the bytes of one value, 0 for Bits, Bytes and NoLayout.
func (l Layout) Width() int {
	return [...]int{0, 0, 1, 2, 4, 8, 4, 8, 16, 0}[l]
}

// TimeUnit returns how many units of a TIMESTAMP's or TIMESTAMP_LTZ's stored
// int64 make a second: 1e3 for precision ≤ 3, 1e6 for ≤ 6, else 1e9.
func (t Type) TimeUnit() int64 {
	switch {
	case t.Precision <= 3:
		return 1e3
	case t.Precision <= 6:
		return 1e6
	}
	return 1e9
}

// String prints t as Flink does in DESCRIBE: STRING for the longest VARCHAR,
// BYTES for the longest VARBINARY, " NOT NULL" behind a required type.
func (t Type) String() string {
	s := t.Name()
	if t.NotNull {
		s += " NOT NULL"
	}
	return s
}

// Name prints t without its NULL-ability.
func (t Type) Name() string {
	switch t.Kind {
	case Null:
		return "NULL"
	case Boolean:
		return "BOOLEAN"
	case TinyInt:
		return "TINYINT"
	case SmallInt:
		return "SMALLINT"
	case Int:
		return "INT"
	case BigInt:
		return "BIGINT"
	case Float:
		return "FLOAT"
	case Double:
		return "DOUBLE"
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale)
	case Char:
		return fmt.Sprintf("CHAR(%d)", t.Length)
	case Varchar:
		if t.Length == MaxLength {
			return "STRING"
		}
		return fmt.Sprintf("VARCHAR(%d)", t.Length)
	case Binary:
		return fmt.Sprintf("BINARY(%d)", t.Length)
	case Varbinary:
		if t.Length == MaxLength {
			return "BYTES"
		}
		return fmt.Sprintf("VARBINARY(%d)", t.Length)
	case Date:
		return "DATE"
	case Time:
		return fmt.Sprintf("TIME(%d)", t.Precision)
	case Timestamp:
		return fmt.Sprintf("TIMESTAMP(%d)", t.Precision)
	case TimestampLTZ:
		return fmt.Sprintf("TIMESTAMP_LTZ(%d)", t.Precision)
	case IntervalMonth:
		return "INTERVAL MONTH"
	case IntervalDay:
		return "INTERVAL SECOND(3)"
	case Variant:
		return "VARIANT"
	case Bitmap:
		return "BITMAP"
	case Array, Map, Multiset, Row:
		return t.nestedName()
	}
	return fmt.Sprintf("kind %d", t.Kind)
}
