package csv

import "streamsql/connector/field"

// column is one wanted column.
type column struct {
	field.Column
	op      op
	literal []byte       // the null literal
	nested  *nested      // of an ARRAY or ROW type, once it is needed
	spans   []field.Span // by row: texts whose ids are looked for at the end of fast
}
