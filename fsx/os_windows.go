package fsx

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// retry repeats a rename or removal that Windows refuses while another process, a reader or a virus scanner, has
// the file open for a moment. It gives up after about a second.
func retry(fn func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := fn()
		busy := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
			errors.Is(err, windows.ERROR_LOCK_VIOLATION)
		if !busy || wait > 500*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}
