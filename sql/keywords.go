package sql

// isReserved reports whether a bare word never starts an expression, because it
// belongs to the frame of a query. All other words can be column names.
func isReserved(up string) bool {
	switch up {
	case "SELECT", "FROM", "WHERE", "HAVING", "UNION", "INTERSECT", "EXCEPT", "JOIN", "ON", "USING",
		"AS", "BY", "AND", "OR", "IN", "IS", "BETWEEN", "LIKE", "WHEN", "THEN", "ELSE", "DISTINCT", "INTO":
		return true
	}
	return false
}

// isNoAlias reports whether a bare word behind a select item or table cannot be
// its alias without AS, because it opens what comes next.
func isNoAlias(up string) bool {
	switch up {
	case "GROUP", "ORDER", "WINDOW", "QUALIFY", "LIMIT", "OFFSET", "FETCH", "MINUS", "FOR", "NATURAL", "LEFT", "RIGHT",
		"FULL", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", "MATCH_RECOGNIZE", "TABLESAMPLE", "WITH", "SET", "PARTITION", "PIVOT", "UNPIVOT",
		"END", "NOT", "SIMILAR", "ESCAPE", "OVERLAPS", "VALUES", "CASE", "OVER", "FILTER", "WITHIN":
		return true
	}
	return isReserved(up)
}

// isReservedAlias reports whether a bare word cannot be a name even behind AS.
func isReservedAlias(up string) bool {
	switch up {
	case "SELECT", "FROM", "WHERE", "HAVING", "UNION", "JOIN", "AS":
		return true
	}
	return false
}

// unit returns the unit of time that a word names, in the singular, or "".
func unit(up string) string {
	switch up {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND":
		return up
	case "YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS":
		return up[:len(up)-1]
	}
	return ""
}

// isTimeField reports whether a word is a unit of EXTRACT, FLOOR, CEIL,
// TIMESTAMPADD or TIMESTAMPDIFF.
func isTimeField(up string) bool {
	switch up {
	case "MILLISECOND", "MICROSECOND", "NANOSECOND", "DOW", "DOY", "ISODOW", "ISOYEAR", "EPOCH", "DECADE", "CENTURY", "MILLENNIUM",
		"SQL_TSI_SECOND", "SQL_TSI_MINUTE", "SQL_TSI_HOUR", "SQL_TSI_DAY", "SQL_TSI_WEEK", "SQL_TSI_MONTH", "SQL_TSI_QUARTER", "SQL_TSI_YEAR",
		"SQL_TSI_MICROSECOND", "SQL_TSI_FRAC_SECOND", "FRAC_SECOND":
		return true
	}
	return unit(up) != ""
}

// isBareFunction reports whether a word is a function that is called without brackets.
func isBareFunction(up string) bool {
	switch up {
	case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP":
		return true
	}
	return false
}

// Keywords returns the words of the dialect in order, in upper case.
func Keywords() []string {
	return []string{
		"ALL", "ALTER", "ANALYZE", "AND", "ANY", "ARRAY", "AS", "ASC", "BEGIN", "BETWEEN", "BIGINT", "BINARY", "BOOLEAN", "BY", "BYTES",
		"CASE", "CAST", "CATALOG", "CATALOGS", "CHANGELOG_MODE", "CHAR", "COLUMNS", "COMMENT", "CONSTRAINT", "CREATE", "CROSS", "CUBE",
		"CURRENT", "CURRENT_DATE", "CURRENT_TIMESTAMP", "DATABASE", "DATABASES", "DATE", "DAY", "DECIMAL", "DESC", "DESCRIBE", "DESCRIPTOR",
		"DISTINCT", "DOUBLE", "DROP", "ELSE", "END", "ENFORCED", "ESCAPE", "EXCEPT", "EXCLUDE", "EXCLUDING", "EXECUTE", "EXISTS", "EXPLAIN",
		"FALSE", "FETCH", "FILTER", "FIRST", "FLOAT", "FOLLOWING", "FOR", "FROM", "FULL", "FUNCTION", "FUNCTIONS", "GROUP", "GROUPING",
		"HAVING", "HOUR", "IF", "IN", "INCLUDING", "INNER", "INSERT", "INT", "INTERSECT", "INTERVAL", "INTO", "IS", "JOIN", "KEY", "LAST",
		"LATERAL", "LEFT", "LIKE", "LIMIT", "MAP", "METADATA", "MINUTE", "MONTH", "NATURAL", "NOT", "NULL", "NULLS", "OF", "OFFSET", "ON",
		"OPTIONS", "OR", "ORDER", "ORDINALITY", "OUTER", "OVER", "OVERWRITE", "OVERWRITING", "PARTITION", "PARTITIONED", "PLAN",
		"PRECEDING", "PRIMARY", "QUALIFY", "QUARTER", "RANGE", "REPLACE", "RESET", "RIGHT", "ROLLUP", "ROW", "ROWS", "SECOND", "SELECT",
		"SET", "SETS", "SHOW", "SIMILAR", "SMALLINT", "STATEMENT", "STRING", "SYMMETRIC", "SYSTEM_TIME", "TABLE", "TABLES", "TEMPORARY",
		"THEN", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TINYINT", "TO", "TRUE", "TRY_CAST", "UNBOUNDED", "UNION", "UNKNOWN", "UNNEST",
		"USE", "USING", "VALUES", "VARBINARY", "VARCHAR", "VIEW", "VIEWS", "VIRTUAL", "WATERMARK", "WEEK", "WHEN", "WHERE", "WINDOW",
		"WITH", "WITHIN", "YEAR", "ZONE",
	}
}
