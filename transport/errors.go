package transport

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels a caller branches on. "Not found" and "no access" mean that upstream has spoken (C5); "unreachable"
// means that it has not, so that a cached copy may be served as stale (C4).
var (
	// ErrNotFound says that the origin does not exist, or that this caller is not told that it does.
	ErrNotFound = errors.New("not found")
	// ErrNoAccess says that the origin is refused to this caller.
	ErrNoAccess = errors.New("no access")
	// ErrUnreachable says that there was no answer: no network, no server, no end.
	ErrUnreachable = errors.New("unreachable")
	// ErrProtocol says that the answer made no sense, or ended early.
	ErrProtocol = errors.New("unexpected answer")
	// ErrNoPath says that the origin exists and holds nothing at the path asked for.
	ErrNoPath = errors.New("no such path")
	// ErrNoRevision says that upstream no longer has, or will not serve, the revision asked for (S4).
	ErrNoRevision = errors.New("revision not available")
	// ErrNotConfigured says that no transport serves the id's scheme (H1).
	ErrNotConfigured = errors.New("no transport configured")
)

// Cause says why upstream could not be reached or refused, one word for each thing a person would do differently (C4).
type Cause string

// The causes of an [Error].
const (
	CauseDNS      Cause = "dns"      // the host name does not resolve
	CauseTLS      Cause = "tls"      // the certificate or handshake failed
	CauseRefused  Cause = "refused"  // nothing listens there
	CauseTimeout  Cause = "timeout"  // no answer in time, or a stall
	CauseNetwork  Cause = "network"  // any other network failure
	CauseServer   Cause = "server"   // the server answered 5xx
	CauseThrottle Cause = "throttle" // the server answered 429
	CauseRedirect Cause = "redirect" // a redirect loop, or one that must not be followed
	CauseNotFound Cause = "not_found"
	CauseNoAccess Cause = "no_access"
	CauseEmpty    Cause = "empty"    // the repository has no commit
	CauseProtocol Cause = "protocol" // the answer made no sense, or ended early
)

// Error is a failed exchange with upstream. It matches its Kind and whatever Err matches. Its text names the address
// and says what a person can do; it never holds credentials (X5).
type Error struct {
	Op    string // "probe", "list", "fetch", "branches"
	URL   string // the address asked, without userinfo and query
	Kind  error  // one of the sentinels of this package
	Cause Cause
	Hint  string // what to do next, "" when nothing helps
	Err   error  // the underlying failure, nil when the answer itself is the failure
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %v", e.Op, e.URL, e.Kind)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Unwrap returns Kind and Err.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// TooManyError says that upstream refused to list what stands at an id, since there are more rows than one reference may
// cover (R5). It is an answer, not an outage.
type TooManyError struct {
	Count int // how many there are, as upstream says
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("upstream does not list the %d rows there: they are too many", e.Count)
}

// LimitError says that upstream's content went past a limit; nothing of it was kept (F6).
type LimitError struct {
	What  string // what was counted: "tree entries", "bytes in one file"
	Max   int64  // the limit that was passed
	Field string // the field of [Limits] that raises it, "" when the limit is upstream's own
}

func (e *LimitError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("more than %d %s", e.Max, e.What)
	}
	return fmt.Sprintf("more than %d %s (Limits.%s raises this limit)", e.Max, e.What, e.Field)
}
