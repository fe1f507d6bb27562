package atskills

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Approval is whether a script of a skill may run without asking, and what to show a person who is asked (X1). It is
// the caller's to keep.
type Approval struct {
	ID     skill.ID
	Script string // slash-separated, relative to the skill's folder
	Path   string // the file, as the host's file system spells it
	// Needed says that a person has to confirm this script before it runs. It is true for each other revision, also one
	// that brought the same bytes (see State).
	Needed bool
	// Source says whose script it is. What the project holds, its own and what it saved, is never asked about.
	Source   Source
	Revision transport.Revision // what the cache has, "" for the project's
	// SHA256 is the digest of the script's bytes in hex. A confirmation is worth what is run: read the file once, compare,
	// and run what was read.
	SHA256 string

	// Last is what was confirmed before, nil for nothing.
	Last *ApprovedScript
	// State compares the script with Last.
	State ScriptState
	// Diff shows what changed since Last, line by line behind "-", "+" or " ", with characters that do not show as escapes.
	// It is empty when nothing did, for a new script, and for one too large or no text; Added and Removed count its lines.
	Diff           string
	Added, Removed int
}

// ApprovedScript is a script as it was confirmed.
type ApprovedScript struct {
	Revision transport.Revision
	SHA256   string
	Date     time.Time // UTC
}

// ScriptState says how a script compares with the one that was confirmed last.
type ScriptState string

// The states.
const (
	ScriptNew     ScriptState = "new"     // none was confirmed
	ScriptSame    ScriptState = "same"    // the same bytes, perhaps of another revision
	ScriptChanged ScriptState = "changed" // other bytes
)

// ErrScriptChanged says that a script is not the one the [Approval] was about: it was fetched anew or edited since it
// was shown. Nothing was recorded; ask again.
var ErrScriptChanged = errors.New("the script is not the one that was shown")

// maxScript bounds the bytes of a script; what is larger has no digest and cannot be confirmed.
const maxScript = 64 << 20

// NeedsApproval tells whether a person has to be asked before script, a file bundled with the skill at ref, is run (X1). A
// "./" in front of script does not count.
// A cloud skill's script needs it the first time, and again whenever the skill's revision, or the script itself, is another
// than that of the last [Approve]. It looks at what stands on disk, which is what would run: the project's folder for the
// id first, else the cache. It makes no request and writes nothing.
//
// Errors: [*skill.SyntaxError]; [*NotFoundError] when nothing is held there, a menu is, or the skill bundles no such file;
// a copy in the cache that is not what was fetched, whose script must not run; and file-system errors.
func NeedsApproval(ctx context.Context, env Env, ref, script string) (*Approval, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	a, now, err := env.script(ctx, parsed, script)
	if err != nil || a.Source == FromProject {
		return a, err
	}
	a.compare(newCache(env).readApprovals(a.ID)[a.Script], now)
	return a, nil
}

// script reads a bundled file of what is held for ref, and returns what a record would say of it, but for the date.
func (e Env) script(ctx context.Context, ref skill.Ref, script string) (*Approval, approved, error) {
	script = bundledName(script)
	for try := 1; ; try++ {
		h, err := e.held(ctx, ref)
		if err != nil {
			return nil, approved{}, err
		}
		if err := h.bundles(script); err != nil {
			return nil, approved{}, err
		}
		a := &Approval{ID: h.id, Script: script, Path: h.hostPath(script), Source: source(h.answer, h.id), Revision: h.meta.Revision}
		body, err := h.digest(script, a)
		if !h.unchanged() && try < maxReadTries && ctx.Err() == nil {
			continue
		}
		if err == nil && !h.unchanged() {
			err = errChanged
		}
		if err != nil {
			return nil, approved{}, fmt.Errorf("script %q of %s: %w", script, h.id.Reference(), err)
		}
		return a, approved{Revision: a.Revision, SHA256: a.SHA256, Site: h.meta.Site, Text: body}, nil
	}
}

// bundledName is a bundled file's name as a skill lists it: "./run.sh", as a shell has it, is run.sh.
func bundledName(name string) string {
	for strings.HasPrefix(name, "./") {
		name = strings.TrimPrefix(name, "./")
	}
	return name
}

// bundles refuses a file that the skill does not list. The list has neither links nor names that lead elsewhere.
func (h held) bundles(name string) error {
	miss := &NotFoundError{ID: h.id, There: firstNames(h.files)}
	switch {
	case h.kind == Menu:
		miss.Reason = "it is a menu, and its skills have files of their own"
		return miss
	case !slices.Contains(h.files, name):
		miss.Reason = fmt.Sprintf("the skill bundles no file %q", name)
		return miss
	}
	return nil
}

// digest sets a's digest, and returns the script when it is a text that a record can keep.
func (h held) digest(name string, a *Approval) ([]byte, error) {
	f, err := h.view.Open(path.Join(h.base, name))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	var head bytes.Buffer
	n, err := io.Copy(sum, io.LimitReader(io.TeeReader(f, &capped{&head, maxKeptScript + 1}), maxScript+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if n > maxScript {
		return nil, &fsx.SizeError{Name: name, Max: maxScript}
	}
	a.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if n > maxKeptScript || !isText(head.Bytes()) {
		return nil, nil
	}
	return head.Bytes(), nil
}

// capped keeps the first bytes written to it.
type capped struct {
	kept *bytes.Buffer
	room int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.room)
	c.room -= n
	c.kept.Write(p[:n])
	return len(p), nil
}

// isText reports whether data can be shown as text.
func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// compare sets what was confirmed before, and what changed since.
func (a *Approval) compare(last, now approved) {
	a.Needed = last.Revision != now.Revision || last.SHA256 != now.SHA256 || last.Site != now.Site
	a.State = ScriptNew
	if last.SHA256 == "" {
		return
	}
	a.Last = &ApprovedScript{last.Revision, last.SHA256, last.At}
	a.State = ScriptSame
	if last.SHA256 != a.SHA256 {
		a.State = ScriptChanged
		if now.Text != nil && last.Text != nil {
			a.Diff, a.Added, a.Removed = diffLines(string(last.Text), string(now.Text))
		}
	}
}

// Approve records that a person confirmed what a says: this script, of this revision, with these bytes (X1). It is valid
// for nothing else. For the project's own, and for what needs no approval, there is nothing to record.
//
// The record lies in the cache's metadata folder, for every project and process of the machine, and survives restarts.
// Deleting the cache forgets it, and the next run asks again. Calls may run at once, in several processes too.
//
// Errors: [ErrScriptChanged], those of [NeedsApproval], and a cache that cannot be written.
func Approve(ctx context.Context, env Env, a *Approval) error {
	if a.Source == FromProject || !a.Needed {
		return nil
	}
	ref, err := skill.ParseRef(a.ID.Reference())
	if err != nil {
		return err
	}
	if err := env.approve(ctx, ref, a); err != nil {
		return fmt.Errorf("approve %q of %s: %w", a.Script, a.ID.Reference(), err)
	}
	return nil
}

func (e Env) approve(ctx context.Context, ref skill.Ref, a *Approval) (err error) {
	if e.Cache == nil {
		return errNoEntry
	}
	c := newCache(e)
	unlock, err := fsx.Lock(ctx, c.fs, approvalsPath(a.ID)+".lock", fsx.LockOptions{Takeover: true, Poll: fetchPoll})
	if err != nil {
		return c.unusable(err)
	}
	defer func() { _ = unlock() }() // a lock that cannot be removed is taken over by the next writer
	at, now, err := e.script(ctx, ref, a.Script)
	if err != nil {
		return err
	}
	if at.Source != a.Source || now.Revision != a.Revision || now.SHA256 != a.SHA256 {
		return ErrScriptChanged
	}
	all := c.readApprovals(a.ID)
	now.At = e.now().UTC()
	all[a.Script] = now
	return c.writeApprovals(a.ID, all)
}
