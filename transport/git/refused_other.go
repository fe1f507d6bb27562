//go:build !windows

package git

import (
	"errors"
	"syscall"
)

// isRefused reports whether nothing listens at the address.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
