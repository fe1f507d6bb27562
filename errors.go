package atskills

import (
	"errors"
	"fmt"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// The errors a caller branches on with errors.Is. Those of package transport keep one name in both places; a failed
// exchange with upstream is a [*transport.Error] beside, whose Cause and Hint say more.
var (
	ErrNotFound      = transport.ErrNotFound
	ErrNoAccess      = transport.ErrNoAccess
	ErrUnreachable   = transport.ErrUnreachable
	ErrNotConfigured = transport.ErrNotConfigured

	// ErrCacheInTree says that the cache's root lies inside a .atskills/ folder (C2).
	ErrCacheInTree = errors.New("the cache lies inside a skill tree")
	// ErrTooLarge is matched by every [*TooLargeError].
	ErrTooLarge = errors.New("too many skills")
)

// NotFoundError says that the project, or an origin that was read, holds no skill at the path, and what a person can do
// next (R2, R4). It matches [ErrNotFound], as does the [*transport.Error] of an origin that does not exist.
type NotFoundError struct {
	ID     skill.ID
	Reason string   // "no such folder", "no skill there", "it is a file", ...
	Looked []string // the folders that were looked at, for a bare path
	There  []string // what does stand there, or at the nearest folder above; names end in "/" for folders
	Near   []string // references that resolve, as far as the listing shows, and look like the one meant, in reference spelling
	Hint   string   // what to do next, "" when Near says it all
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nothing at %s: %s", e.ID.Reference(), e.Reason)
	list := func(label string, items []string) {
		if len(items) > 0 {
			fmt.Fprintf(&b, "; %s %s", label, strings.Join(items, ", "))
		}
	}
	list("looked in", e.Looked)
	list("there is", e.There)
	list("did you mean", e.Near)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Is reports whether target is [ErrNotFound].
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// TooLargeError refuses a reference that covers more than [MaxSkills] skills. It is an answer, not an outage: each
// suggestion resolves (R5, R6). It matches [ErrTooLarge].
type TooLargeError struct {
	ID          skill.ID
	Count       int   // skills below ID, rows of a playlist, or skills that the rows of one bring together
	Bytes       int64 // their size, 0 when upstream does not tell
	Suggestions []Suggestion
}

// Suggestion is a smaller reference that fits.
type Suggestion struct {
	ID    skill.ID
	Count int // skills it covers, 0 when that is not known: the row of a playlist
}

func (e *TooLargeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds %d skills", e.ID.Reference(), e.Count)
	if e.Bytes > 0 {
		fmt.Fprintf(&b, " (%d bytes)", e.Bytes)
	}
	fmt.Fprintf(&b, ", more than the %d one reference may cover", MaxSkills)
	for i, s := range e.Suggestions {
		sep := ", "
		if i == 0 {
			sep = "; try "
		}
		b.WriteString(sep + s.ID.Reference())
		if s.Count > 0 {
			fmt.Fprintf(&b, " (%d)", s.Count)
		}
	}
	return b.String()
}

// Is reports whether target is [ErrTooLarge].
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }
