package atskills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// note is put beside two folders before they are exchanged, and taken away when the one that was moved out has been
// looked at once more. A process that dies in between leaves it, and with it the means to tell, in the folder under the
// temporary name, a tree that nobody needs from one that holds somebody's edit (S8).
type note struct {
	dest  string
	old   []copied // what was compared, and may go
	fresh []copied // what was staged
}

const noteHead = "atskills exchange 1"

func (n note) write(fsys billy.Filesystem, staged string) error {
	text := fmt.Sprintf("%s\n%s\n%s\n%s\n", noteHead, digestCopied(n.old), digestCopied(n.fresh), path.Base(n.dest))
	return fsx.WriteFile(fsys, fsx.NoteName(staged), []byte(text), 0o644)
}

func (n note) remove(fsys billy.Filesystem, staged string) error {
	err := fsys.Remove(fsx.NoteName(staged))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// digestCopied condenses what stands in a folder.
func digestCopied(files []copied) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %d %v %s\n", f.path, f.size, f.executable, f.sha256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// settleNotes looks at every exchange in dir that nobody ended: a tree that is neither what was compared nor what was
// staged is kept, under a name that shows. The error says where.
func (p project) settleNotes(ctx context.Context, dir string) error {
	infos, err := p.fs.ReadDir(dir)
	if err != nil {
		return nil // nothing to settle, or the sweep will say
	}
	var kept []string
	for _, info := range infos {
		name := path.Join(dir, info.Name())
		staged, ok := fsx.NoteOf(name)
		if !ok {
			continue
		}
		to, err := p.settleNote(ctx, name, staged)
		if err != nil {
			return err
		}
		if to != "" {
			kept = append(kept, to)
		}
	}
	if len(kept) > 0 {
		return fmt.Errorf("an interrupted call had moved an edited folder away; it is kept at %s", strings.Join(kept, ", "))
	}
	return nil
}

// settleNote ends the exchange of staged that a note tells of, and returns where it kept a tree, "" for none.
func (p project) settleNote(ctx context.Context, name, staged string) (kept string, err error) {
	data, err := fsx.ReadFile(p.fs, name, 64<<10)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 4 || lines[0] != noteHead || skill.CheckSegment(lines[3]) != nil {
		return "", p.fs.Remove(name) // not whole: the exchange was not made
	}
	files, _, err := scan(ctx, p.fs, staged)
	switch {
	case errors.Is(err, errNotExist):
		return "", p.fs.Remove(name)
	case err != nil:
		return "", err
	}
	if slices.Contains(lines[1:3], digestCopied(files)) {
		return "", p.fs.Remove(name) // the sweep takes the tree
	}
	kept = fsx.KeptName(path.Join(path.Dir(name), lines[3]))
	if err := p.fs.Rename(staged, kept); err != nil {
		return "", err
	}
	return kept, p.fs.Remove(name)
}
