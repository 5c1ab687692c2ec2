package types

// Fault says why a text or value cannot be converted. It is a small number, so
// that the paths that meet many bad values do not allocate.
type Fault uint8

// The faults.
const (
	OK            Fault = iota
	Malformed           // the text does not have the form of the type
	OutOfRange          // a number too large for the type
	NoSuchDay           // February 30
	NoSuchTime          // 25:00:00
	NoZone              // a TIMESTAMP_LTZ without zone
	TooManyDigits       // more than nine digits of a fraction of a second
)

// String returns the fault as a phrase that can follow a colon.
func (f Fault) String() string {
	switch f {
	case OK:
		return "ok"
	case OutOfRange:
		return "out of range"
	case NoSuchDay:
		return "no such day"
	case NoSuchTime:
		return "no such time of day"
	case NoZone:
		return "the zone is missing: 'Z' or an offset such as '+01:00'"
	case TooManyDigits:
		return "more than 9 digits behind the second"
	}
	return "not in the form of the type"
}
