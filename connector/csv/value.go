package csv

import (
	"streamsql/connector/field"
	"streamsql/types"
)

// rules are how values are spelled.
var rules = field.Rules{
	Decimal: types.ParseCSVDecimal, Decimal64: types.ParseCSVDecimal64, Date: types.ParseCSVDate, Time: types.ParseCSVTime,
	Timestamp: types.ParseCSVTimestamp, TimestampLTZ: types.ParseCSVTimestampLTZ,
}
