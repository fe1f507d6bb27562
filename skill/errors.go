package skill

import "fmt"

// SyntaxError says why a reference or id cannot be used.
type SyntaxError struct {
	Input string // what was typed
	Err   error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("reference %q: %v", e.Input, e.Err) }

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }
