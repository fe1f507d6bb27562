package fstest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-git/go-billy/v5"
)

// ErrInjected is what the failing wrappers return.
var ErrInjected = errors.New("injected fault")

// FailNth returns fsys with its nth call, counted from 1, failing with [ErrInjected], and a function that tells whether
// that call was reached.
func FailNth(fsys billy.Filesystem, n int) (broken billy.Filesystem, reached func() bool) {
	var calls atomic.Int64
	return Hook(fsys, func(c Call) error {
		if calls.Add(1) == int64(n) {
			return fmt.Errorf("%w: call %d, %s %q", ErrInjected, n, c.Op, c.Name)
		}
		return nil
	}), func() bool { return calls.Load() >= int64(n) }
}

// LosePower returns fsys with every call from the nth on, counted from 1, failing with [ErrInjected]: what the process
// leaves behind when it dies there. Look at fsys itself for what stands afterwards.
func LosePower(fsys billy.Filesystem, n int) (broken billy.Filesystem, reached func() bool) {
	var calls atomic.Int64
	return Hook(fsys, func(c Call) error {
		if calls.Add(1) >= int64(n) {
			return fmt.Errorf("%w: no power, %s %q", ErrInjected, c.Op, c.Name)
		}
		return nil
	}), func() bool { return calls.Load() >= int64(n) }
}

// Sweep calls step with n = 1, 2, 3, ... until it reports that the nth call was not reached, in other words that
// nothing failed. Each step sets up anew.
func Sweep(t *testing.T, step func(t *testing.T, n int) (reached bool)) {
	t.Helper()
	const most = 10_000
	for n := 1; n < most; n++ {
		reached := step(t, n)
		if t.Failed() {
			t.Fatalf("at call %d", n)
		}
		if !reached {
			if n == 1 {
				t.Fatal("the first call was not reached: nothing was swept")
			}
			return
		}
	}
	t.Fatalf("no end after %d calls", most)
}

// Counter counts calls by kind. Its zero value is ready. It is safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	calls []Call
}

// Wrap returns fsys with its calls counted.
func (c *Counter) Wrap(fsys billy.Filesystem) billy.Filesystem {
	return Hook(fsys, func(call Call) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls = append(c.calls, call)
		return nil
	})
}

// Count returns how many calls of the kinds ops were made, of all kinds when none is given.
func (c *Counter) Count(ops ...Op) int {
	n := 0
	for _, call := range c.Calls() {
		if len(ops) == 0 {
			n++
		}
		for _, op := range ops {
			if call.Op == op {
				n++
			}
		}
	}
	return n
}

// Mutations returns the calls that may have changed something, in order.
func (c *Counter) Mutations() []Call {
	var calls []Call
	for _, call := range c.Calls() {
		if call.Op.Mutates() {
			calls = append(calls, call)
		}
	}
	return calls
}

// Calls returns all calls, in order.
func (c *Counter) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.calls...)
}

// Full returns fsys with room for no more than size bytes of writes, after which they fail as on a full disk, the
// last one short.
func Full(fsys billy.Filesystem, size int) billy.Filesystem {
	disk := &fullError{left: size, err: syscall.ENOSPC}
	return Hook(fsys, func(c Call) error {
		if c.Op == OpWrite {
			return disk
		}
		return nil
	})
}

// fullError is a disk that fills up, and the error of a write to it.
type fullError struct {
	mu   sync.Mutex
	left int
	err  error
}

func (e *fullError) Error() string { return e.err.Error() }

func (e *fullError) take(n int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n = min(n, e.left)
	e.left -= n
	return n
}

// ReadOnly returns fsys with every call that would change it failing with [billy.ErrReadOnly].
func ReadOnly(fsys billy.Filesystem) billy.Filesystem {
	return Hook(fsys, func(c Call) error {
		if c.Op.Mutates() {
			return billy.ErrReadOnly
		}
		return nil
	})
}
