package atskills

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

var (
	// ErrConflict is matched by every [*ConflictError].
	ErrConflict = errors.New("the saved copy was edited or cannot be verified")
	// ErrOwnWork says that a folder is the project's own: it has content and no stamp covers it (S3). Nothing was
	// touched.
	ErrOwnWork = errors.New("the project's own work")

	errNoProject = errors.New("there is no project: Env.Project is nil")
)

// ChangeKind says how a file differs from another revision of it.
type ChangeKind string

// The ways a file differs. The zero value is no difference.
const (
	Edited  ChangeKind = "edited"  // other bytes, or a link or folder where a file was
	Extra   ChangeKind = "extra"   // a file that was not there
	Missing ChangeKind = "missing" // a file that is not there any more
	Mode    ChangeKind = "mode"    // the executable bit alone
)

// FileChange is one file that differs.
type FileChange struct {
	Path   string // slash-separated, relative to the folder of the id; a folder that was not looked into ends in "/"
	Change ChangeKind
}

// ConflictError refuses to replace or remove a copy that was edited, or that cannot be compared with what was saved
// (S4, S5). Nothing was touched. It matches [ErrConflict], and whatever kept the copy from being compared:
// [ErrUnreachable], [ErrNotFound], [transport.ErrNoRevision].
type ConflictError struct {
	Op       string   // what was refused: "save" or "remove"
	ID       skill.ID // what was asked for
	Dir      string   // its folder, slash-separated, from the root of [Env.Project]
	Origin   skill.ID // what the copy is of, zero when its stamp does not tell
	Revision transport.Revision
	Date     time.Time    // when it was saved, zero when its stamp does not tell
	Reason   string       // what is wrong, in words
	Files    []FileChange // what differs, in byte order; empty when it could not be compared
	Err      error        // why it could not be compared, nil when it was
}

// maxShownFiles is how many files the text of a conflict names.
const maxShownFiles = 20

func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Op, e.ID.Reference(), e.Reason)
	for i, f := range e.Files {
		switch {
		case i == 0:
			b.WriteString(" (")
		case i == maxShownFiles:
			fmt.Fprintf(&b, ", and %d more", len(e.Files)-i)
		}
		if i == maxShownFiles {
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %s", f.Change, oneLine(f.Path))
	}
	if len(e.Files) > 0 {
		b.WriteString(")")
	}
	for i, way := range e.WaysOut() {
		fmt.Fprintf(&b, "; %d. %s", i+1, way)
	}
	return b.String()
}

// WaysOut returns what a person can do, one sentence each (S5).
func (e *ConflictError) WaysOut() []string {
	dir := oneLine(e.Dir)
	keep := fmt.Sprintf("keep yours: nothing was touched, and %s goes on answering", dir)
	if e.Op == "remove" {
		return []string{keep, "remove it all the same with force, and its edits with it"}
	}
	base := "what was saved"
	if e.Revision != "" {
		base = fmt.Sprintf("revision %s", oneLine(string(e.Revision)))
	}
	return []string{
		keep,
		fmt.Sprintf("take theirs: delete %s and save again", dir),
		fmt.Sprintf("merge: compare yours and theirs with %s as the base", base),
	}
}

// Is reports whether target is [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Unwrap returns why the copy could not be compared, nil when it was.
func (e *ConflictError) Unwrap() error { return e.Err }
