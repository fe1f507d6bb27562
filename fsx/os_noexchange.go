//go:build !linux && !darwin

package fsx

import (
	"errors"
	"os"
)

func exchange(_ *os.Root, a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
