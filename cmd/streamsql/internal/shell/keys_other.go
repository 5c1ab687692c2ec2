//go:build !linux

package shell

import "errors"

// watchKeys is not possible here: Ctrl-C comes as a signal.
func watchKeys(func()) (stop func(), err error) { return nil, errors.ErrUnsupported }

// setSignals leaves the terminal as the line editor sets it.
func setSignals(bool) {}
