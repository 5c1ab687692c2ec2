// Package flags reads the command line of streamsql: GNU-style options in any
// order, with an error that says what to type for what it refuses. It knows nothing
// of the engine.
package flags
