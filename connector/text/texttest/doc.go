// Package texttest is what the tests of text formats share: inputs in memory, schemas
// in short form, and readings as text that can be compared.
package texttest
