package atskills

import (
	"context"
	"errors"
	"os"
	"path"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// standing describes the project's folder for id, at base, as it stands at one moment: what a crashed save left half
// done there is undone first, and a folder that is replaced while it is read is read again (S8). Without a folder that
// has content the error matches errNotExist.
func (e Env) standing(ctx context.Context, view fsx.View, id skill.ID, base string) (content, error) {
	for try := 1; ; try++ {
		before := lookUp(view, base)
		f, err := readStanding(ctx, view, base)
		if len(f.unfinished) > 0 && try < maxSaveTries {
			if p, errProject := newProject(e); errProject == nil && p.sweep(ctx, f.unfinished) == nil {
				continue
			}
		}
		if err == nil && !f.hasContent() {
			err = errNotExist
		}
		var got content
		if err == nil {
			got, err = describe(id, f)
		}
		if err == nil {
			err = got.unread
		}
		if try == maxSaveTries || ctx.Err() != nil || sameFolder(before, lookUp(view, base)) {
			return got, err
		}
	}
}

// readStanding reads the folder at base. Also beside an error it tells of the interrupted replacements at base, above
// it or below.
func readStanding(ctx context.Context, view fsx.View, base string) (folder, error) {
	var f folder
	at, err := view.Lookup(base)
	if err == nil && !at.IsDir() {
		err = errNotExist
	}
	if err == nil {
		f, err = readFolder(ctx, view, base)
	}
	for dir := path.Dir(base); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if d, errDir := view.ReadDir(dir); errDir == nil {
			f.note(d, dir)
		}
	}
	return f, err
}

// lookUp returns what stands at name, nil for nothing.
func lookUp(view fsx.View, name string) os.FileInfo {
	at, err := view.Lookup(name)
	if errors.Is(err, errNotExist) {
		return nil
	}
	return at.Info
}

// sameFolder reports whether two looks saw one folder. Those of some file systems have no identity to tell them apart.
func sameFolder(a, b os.FileInfo) bool {
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case !os.SameFile(a, a) || !os.SameFile(b, b):
		return true
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}
