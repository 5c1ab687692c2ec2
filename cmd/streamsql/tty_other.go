//go:build !unix

package main

import (
	"errors"
	"os"
)

// keyboardOnStdin is not possible where there is no /dev/tty.
func keyboardOnStdin() (*os.File, error) {
	return nil, errors.New("not supported on this system")
}
