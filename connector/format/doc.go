// Package format knows the text formats by the names that 'format' has: their
// options, decoders and encoders, and which of them an undeclared input has.
package format
