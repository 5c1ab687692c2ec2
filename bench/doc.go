// Command bench makes the benchmark's data and compares streamsql with other
// engines on it; see README.md in this folder.
package main
