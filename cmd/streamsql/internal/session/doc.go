// Package session runs statements for the command line and the shell: it asks the
// engine, prints what comes in the chosen format, flushes when nothing more is ready,
// turns errors into messages and exit codes, and reports at the end. It sees the
// engine through an interface, so that its rules can be tested without one.
package session
