package csv

import "streamsql/connector/field"

// column is one wanted column, or stands for fields that are not wanted.
type column struct {
	field.Column
	op      op
	literal []byte  // the null literal
	nested  *nested // of an ARRAY or ROW type, once it is needed
	own     []byte  // a text without its quotes
}
