// Package print is the connector "print": a sink that writes each change as a
// line, in Flink's form.
package print
