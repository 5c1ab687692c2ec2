// Package jsonpath reads JSON text and finds parts of it by path, as Flink's JSON
// functions do: a path is that of the Jayway library with "lax" or "strict" before
// it, objects are printed with sorted keys, numbers keep their spelling.
package jsonpath
