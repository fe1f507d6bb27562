//go:build !unix

package hub_test

import (
	"errors"
	"testing"
)

func mirrorFIFO(t *testing.T, _ string) error {
	t.Helper()
	return errors.ErrUnsupported
}
