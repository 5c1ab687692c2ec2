// Package filesystem is the connector "filesystem": it reads files, folders,
// patterns and FIFOs as one stream, in byte order of their paths, and writes
// folders of files that appear only when they are complete.
package filesystem
