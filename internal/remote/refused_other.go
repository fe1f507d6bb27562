//go:build !windows

package remote

import (
	"errors"
	"syscall"
)

// isRefused reports whether nothing listens at the address.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
