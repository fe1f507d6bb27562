package hub

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// tree is what a mirror serves: folders of owners that hold folders of skills. Names given to it are in lower case.
type tree struct {
	view   fsx.View
	limits transport.Limits
	note   func(at string, err error) // reports what cannot be served
}

// owner returns the folder of an owner.
func (t *tree) owner(name string) (fsx.Dir, error) {
	if d, err := t.exact(name); err == nil {
		return d, nil
	}
	root, err := t.view.ReadDir("")
	if err != nil {
		return fsx.Dir{}, unavailable(err)
	}
	return t.below(root, name)
}

// folder returns the folder at owner/name. The plain way comes first: most folders are spelled as their ids are.
func (t *tree) folder(owner, name string) (fsx.Dir, error) {
	if d, err := t.exact(owner + "/" + name); err == nil {
		return d, nil
	}
	d, err := t.owner(owner)
	if err != nil {
		return fsx.Dir{}, err
	}
	return t.below(d, name)
}

// exact returns the folder at name, when the disk spells it so. Other spellings that a disk takes for a name (APFS folds
// case and Unicode, NTFS has short names) must not lead to it: who may see an owner is known by one alone (H4).
func (t *tree) exact(name string) (fsx.Dir, error) {
	if e, err := t.view.Lookup(name); err != nil || !e.IsDir() {
		return fsx.Dir{}, errMissing
	}
	return t.view.ReadDir(name)
}

// skill returns the folder at owner/name, which holds a SKILL.md. What seems missing is looked for again once the owner's
// folder shows no replacement: one may have ended between the two looks.
func (t *tree) skill(owner, name string) (fsx.Dir, error) {
	for again := false; ; again = true {
		d, err := t.folder(owner, name)
		switch {
		case err == nil && holdsSkill(d):
			return d, nil
		case err != nil && refusalFor(err) != errMissing:
			return fsx.Dir{}, err
		case again:
			return fsx.Dir{}, errMissing
		}
		above, err := t.owner(owner)
		if err != nil {
			return fsx.Dir{}, err
		}
		if above.Unfinished {
			return fsx.Dir{}, errUnsettled
		}
	}
}

// below returns the folder in parent whose name is name in any case, the lower one before others (G3).
func (t *tree) below(parent fsx.Dir, name string) (fsx.Dir, error) {
	e, ok := pick(parent, name, fsx.Entry.IsDir)
	if !ok {
		return fsx.Dir{}, absent(parent)
	}
	return t.view.ReadDir(path.Join(parent.Real, e.Name))
}

func pick(parent fsx.Dir, name string, kind func(fsx.Entry) bool) (found fsx.Entry, ok bool) {
	for _, e := range parent.Entries {
		if !kind(e) || strings.ToLower(e.Name) != name {
			continue
		}
		if e.Name == name {
			return e, true
		}
		if !ok {
			found, ok = e, true
		}
	}
	return found, ok
}

// absent is the error for what does not stand in d: while something there is being replaced, nothing is known.
func absent(d fsx.Dir) error {
	if d.Unfinished {
		return errUnsettled
	}
	return errMissing
}

func holdsSkill(d fsx.Dir) bool {
	return slices.ContainsFunc(d.Entries, func(e fsx.Entry) bool { return e.Name == skill.SkillFile && e.IsFile() })
}

// find checks that a regular file stands at name below dir, spelled exactly so on every disk. The name is compared
// with those that are there and never handed to the file system.
func (t *tree) find(dir fsx.Dir, name string) error {
	segs := strings.Split(name, "/")
	for i, seg := range segs {
		at := slices.IndexFunc(dir.Entries, func(e fsx.Entry) bool { return e.Name == seg })
		if at < 0 {
			return errMissing
		}
		if i == len(segs)-1 {
			if !dir.Entries[at].IsFile() {
				return errMissing
			}
			return nil
		}
		if !dir.Entries[at].IsDir() {
			return errMissing
		}
		var err error
		if dir, err = t.view.ReadDir(path.Join(dir.Real, seg)); err != nil {
			return err
		}
	}
	return errMissing
}

// oldest is before every honest modification time: packers give all files one of 1970 or 1980, whatever is in them.
var oldest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// bundled is a file of a skill.
type bundled struct {
	path       string
	size       int64
	executable bool
	modified   int64 // in nanoseconds
	unsure     bool  // that time says nothing about the content
}

// walk lists the files of the skill at top, in byte order. The times of those modified after recent say nothing,
// since they may change again within a tick of the clock. What cannot be served is noted; a folder that cannot be read
// fails the whole, since half a skill is none.
func (t *tree) walk(ctx context.Context, top fsx.Dir, recent time.Time) ([]bundled, error) {
	w := walk{tree: t, top: top.Real, recent: recent}
	if err := w.folder(ctx, top, ""); err != nil {
		return nil, err
	}
	slices.SortFunc(w.files, func(a, b bundled) int { return strings.Compare(a.path, b.path) })
	return w.files, nil
}

type walk struct {
	*tree
	top     string
	recent  time.Time
	files   []bundled
	entries int
	bytes   int64
}

func (w *walk) folder(ctx context.Context, d fsx.Dir, rel string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.Count(rel, "/")+1 > w.limits.Depth {
		return tooLarge("this skill is nested deeper than %d folders, and not served", w.limits.Depth)
	}
	for _, e := range d.Entries {
		if invisible(e.Name, rel == "") {
			continue
		}
		name := path.Join(rel, e.Name)
		if err := w.count(name, e); err != nil {
			return err
		}
		switch {
		case skill.CheckSegment(e.Name) != nil:
			w.note(path.Join(w.top, name), skill.CheckSegment(e.Name))
		case e.IsDir():
			sub, err := w.view.ReadDir(path.Join(w.top, name))
			if err != nil {
				return err
			}
			if err := w.folder(ctx, sub, name); err != nil {
				return err
			}
		case e.IsFile():
			w.add(name, e)
		default:
			w.note(path.Join(w.top, name), fmt.Errorf("only files and folders are served, not %s", e.Info.Mode().Type()))
		}
	}
	return nil
}

// count holds the skill to its limits.
func (w *walk) count(name string, e fsx.Entry) error {
	w.entries++
	if w.entries > w.limits.Entries {
		return tooLarge("this skill holds more than %d files and folders, and is not served", w.limits.Entries)
	}
	if len(name) > w.limits.PathBytes {
		return tooLarge("this skill holds a path of more than %d bytes, and is not served", w.limits.PathBytes)
	}
	if !e.IsFile() {
		return nil
	}
	w.bytes += e.Info.Size()
	if e.Info.Size() > w.limits.BlobBytes {
		return tooLarge("this skill holds a file of more than %d bytes, and is not served", w.limits.BlobBytes)
	}
	if w.bytes > w.limits.FetchBytes {
		return tooLarge("this skill holds more than %d bytes, and is not served", w.limits.FetchBytes)
	}
	return nil
}

func (w *walk) add(name string, e fsx.Entry) {
	mod := e.Info.ModTime()
	w.files = append(w.files, bundled{
		path: name, size: e.Info.Size(), executable: e.Info.Mode()&0o111 != 0, modified: mod.UnixNano(), unsure: !mod.Before(w.recent) || mod.Before(oldest),
	})
}

// notes logs what is wrong with the tree, each thing once rather than with each request.
type notes struct {
	log  *slog.Logger
	mu   sync.Mutex
	said map[string]bool
}

// add notes what is not served for err.
func (n *notes) add(at string, err error) { n.say("not served", err, "path", at) }

// addLine notes a line that is missing from a playlist, the rest of which is served.
func (n *notes) addLine(at string, fault lineFault) {
	n.say("line left out", fault.err, "path", at, "line", fault.line)
}

func (n *notes) say(msg string, err error, about ...any) {
	const max = 1024
	key := fmt.Sprint(about...) + "\x00" + err.Error()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said[key] {
		return
	}
	if n.said == nil || len(n.said) >= max {
		n.said = make(map[string]bool)
	}
	n.said[key] = true
	n.log.Warn(msg, append(about, "error", err)...)
}
