package atskills

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Stamp is what a save leaves at the top of what it saved: where the copy came from, and when (S1). It is read for
// what it is; what it does not say stays zero.
type Stamp struct {
	Dir      string             // the folder it stands in, slash-separated, from the root of [Env.Project]
	ID       skill.ID           // what was saved, zero when the first line is no id
	Date     time.Time          // the day it was saved, in UTC; zero when the stamp does not tell
	Revision transport.Revision // upstream's revision, "" when the stamp does not tell
	Problem  string             // why the stamp cannot be relied on, "" when it can
}

// maxStamp is how much of a stamp is read. Its two lines are shorter, and further ones are ignored.
const maxStamp = 16 << 10

// Origin returns the stamp closest to the project's folder at ref, at it or above: that is where the skill came from
// (S2). Nil means that no stamp covers it: the project wrote it. It makes no request and writes nothing.
//
// Errors: [*skill.SyntaxError], and [*NotFoundError] when the project has no folder there.
func Origin(env Env, ref string) (*Stamp, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	if env.Project == nil {
		return nil, errNoProject
	}
	var looked []string
	view := fsx.NewView(env.Project, "", true)
	for _, id := range parsed.IDs() {
		base := Dir + "/" + id.DiskPath()
		at, err := view.Lookup(base)
		switch {
		case err == nil && at.IsDir():
			return nearestStamp(view, base)
		case err != nil && !errors.Is(err, errNotExist):
			return nil, fmt.Errorf("look up %s: %w", base, err)
		}
		looked = append(looked, oneLine(base))
	}
	miss := env.noFolder(parsed.ID)
	miss.Looked = looked
	return nil, miss
}

// nearestStamp returns the stamp at or above dir, nil when there is none (S2).
func nearestStamp(view fsx.View, dir string) (*Stamp, error) {
	for ; dir != Dir && dir != "."; dir = path.Dir(dir) {
		switch _, err := view.Lookup(dir + "/" + SourceFile); {
		case errors.Is(err, errNotExist):
			continue
		case err != nil && !isRefusedLink(err):
			return nil, fmt.Errorf("look for a stamp: %w", err)
		}
		s := readStamp(view, dir)
		s.Dir = dir
		return &s.Stamp, nil
	}
	return nil, nil
}

// savedAt returns the revision that the project's copy of id was taken at, as the stamp closest to it has it; "" when that
// stamp is of something else or does not tell. It says where the copy is reviewed, and no more (R1, R9).
func (e Env) savedAt(id skill.ID) transport.Revision {
	s, err := nearestStamp(fsx.NewView(e.Project, "", true), Dir+"/"+id.DiskPath())
	if err != nil || s == nil || s.Dir != Dir+"/"+s.ID.DiskPath() {
		return ""
	}
	return s.Revision
}

// stampRead is a stamp, or why there is nothing to parse.
type stampRead struct {
	Stamp
	err error
}

// readStamp reads the stamp that stands in dir. One that cannot be read has a Problem.
func readStamp(view fsx.View, dir string) stampRead {
	data, _, err := view.ReadHead(path.Join(dir, SourceFile), maxStamp)
	if err != nil {
		return stampRead{Stamp{Problem: fmt.Sprintf("the stamp cannot be read: %v", err)}, err}
	}
	return stampRead{Stamp: parseStamp(data)}
}

// parseStamp reads a stamp's two lines. A byte order mark, Windows line endings and blanks around a line do not count,
// and neither do further lines (S1).
func parseStamp(data []byte) Stamp {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, rest, _ := strings.Cut(string(data), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	var s Stamp
	id, err := skill.ParseID(strings.TrimSpace(first))
	switch {
	case err != nil:
		s.Problem = fmt.Sprintf("the stamp's first line is no id: %v", err)
	case id.Scheme() == skill.Local:
		s.Problem = fmt.Sprintf("the stamp names %q, which has no upstream", oneLine(id.String()))
	default:
		s.ID = id
	}
	for _, word := range strings.Fields(second) {
		if rev, ok := strings.CutPrefix(word, "rev:"); ok && s.Revision == "" && oneLine(rev) == rev {
			s.Revision = transport.Revision(rev)
		} else if day, err := time.Parse(time.DateOnly, word); err == nil && s.Date.IsZero() {
			s.Date = day
		}
	}
	if s.Problem == "" && s.Revision == "" {
		s.Problem = "the stamp records no revision"
	}
	return s
}

// stampText is the stamp of id at rev, saved on the day of now (S1).
func stampText(id skill.ID, rev transport.Revision, now time.Time) string {
	return fmt.Sprintf("%s\n%s rev:%s\n", id, now.UTC().Format(time.DateOnly), rev)
}
