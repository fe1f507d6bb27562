package remote

import (
	"errors"
	"syscall"
)

// isRefused reports whether nothing listens at the address (WSAECONNREFUSED).
func isRefused(err error) bool { return errors.Is(err, syscall.Errno(10061)) }
