// Package stdio is the connector "stdin": the standard input as a table. What
// arrives is delivered at once, and it can be read only once.
package stdio
