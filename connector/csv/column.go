package csv

import "streamsql/connector/field"

// column is one wanted column.
type column struct {
	field.Column
	op      op
	literal []byte // the null literal
}
