// Command bench makes the benchmarks' data, runs streamsql and other engines over it in
// turn, and prints medians and ratios; see README.md in this folder.
package main
