package gitwire

import (
	"io"

	"github.com/atskills-go/atskills/transport"
)

// Bound is a limit together with the words of its error. The zero Bound allows nothing.
type Bound struct {
	Max   int64
	What  string // see [transport.LimitError]
	Field string
}

// Err returns the error of passing the bound.
func (b Bound) Err() error { return &transport.LimitError{What: b.What, Max: b.Max, Field: b.Field} }

// check returns an error when n passes the bound. Sums of untrusted numbers may have overflowed.
func (b Bound) check(n int64) error {
	if n > b.Max || n < 0 {
		return b.Err()
	}
	return nil
}

// Meter counts what passes through R and fails on the byte after Bound. Its methods are not safe for concurrent use.
type Meter struct {
	R     io.Reader
	Bound Bound
	N     int64 // bytes read so far
}

func (m *Meter) Read(p []byte) (int, error) {
	if room := m.Bound.Max - m.N + 1; int64(len(p)) > room {
		p = p[:max(room, 1)]
	}
	n, err := m.R.Read(p)
	m.N += int64(n)
	if m.N > m.Bound.Max {
		return 0, m.Bound.Err()
	}
	return n, err
}
