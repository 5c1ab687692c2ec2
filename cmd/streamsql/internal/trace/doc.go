// Package trace shows what the rows of a statement do, as a table that is written row
// by row and as a picture.
package trace
