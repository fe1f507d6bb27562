//go:build unix

package hub_test

import (
	"syscall"
	"testing"
)

// mirrorFIFO makes a pipe, where the system has them.
func mirrorFIFO(t *testing.T, name string) error {
	t.Helper()
	return syscall.Mkfifo(name, 0o600)
}
