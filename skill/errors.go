package skill

import (
	"errors"
	"fmt"
)

// SyntaxError says why a reference or id cannot be used.
type SyntaxError struct {
	// Input is what was typed, shortened when it is long. Userinfo, query and fragment of an address that was refused
	// are left out, since they may hold a secret (X5).
	Input string
	Err   error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("reference %q: %v", e.Input, e.Err) }

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

// ErrUserinfo is matched by the [*SyntaxError] of an address that carries a user name or password. Neither is kept
// or repeated (X5).
var ErrUserinfo = errors.New("the address carries a user name or password, which is neither kept nor sent; " +
	"write it without, as gh:<owner>/<repo>/<path>, and let git's own credential helper sign in")

// HostError is the reason an address of another host is refused: only github.com is read (G5).
type HostError struct {
	Host string // the host that was given, with its port when it has one
	Try  string // an address of the same content that works, "" when none is known
}

func (e *HostError) Error() string {
	if e.Try != "" {
		return fmt.Sprintf("the host is %q and only github.com is read; the same content is at %s", e.Host, e.Try)
	}
	return fmt.Sprintf("the host is %q and only github.com is read; copy the folder into .atskills/ to use it from there", e.Host)
}

// maxInput bounds how much of a refused input an error repeats.
const maxInput = 200

// shorten cuts s for an error's text.
func shorten(s string) string {
	if len(s) <= maxInput {
		return s
	}
	return s[:maxInput] + "…"
}
