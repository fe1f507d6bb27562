package atskills

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// maxBundle bounds the files of one skill that a walk lists.
const maxBundle = 200_000

// folder is what stands below one folder on disk: the project's own, or a cache entry.
type folder struct {
	view    fsx.View
	base    string            // where it stands in the view
	names   []string          // what stands at its top, folders with a trailing slash
	skills  []string          // leaf folders relative to base, in byte order; [""] when base itself is a skill
	bundles map[string][]file // every file of each skill, relative to the skill, in byte order
	visited []string          // every folder the leaf walk read, relative to base
	// unfinished are folders of the view in which an interrupted replacement waits to be undone, or one is at work.
	unfinished []string

	loose    bool // some folder holds a file that is no dot-file
	problems []skill.Problem
	listed   map[string]fsx.Dir // while it is read
	files    map[string][]byte  // the SKILL.md of each skill that was read
}

type file struct {
	path       string
	size       int64
	executable bool
}

func (f file) perm() os.FileMode {
	if f.executable {
		return perm(transport.Executable)
	}
	return perm(transport.Regular)
}

// readFolder walks the folder at base (W). It fails when base cannot be read; below that it reports. More skills than
// the cap leave bundles empty: nothing reads them (R5).
func readFolder(ctx context.Context, view fsx.View, base string) (folder, error) {
	f := folder{view: view, base: base, bundles: make(map[string][]file), listed: make(map[string]fsx.Dir), files: make(map[string][]byte)}
	top, err := f.list(base)
	if err != nil {
		return f, err
	}
	for _, e := range top.Entries {
		f.names = append(f.names, shownName(e))
	}
	f.skills, f.problems = skill.Walk(func(dir string) (skill.Listing, error) {
		if err := ctx.Err(); err != nil {
			return skill.Listing{}, err
		}
		f.visited = append(f.visited, dir)
		d, err := f.list(path.Join(base, dir))
		return skill.Listing{Real: d.Real, Nodes: nodes(d.Entries)}, err
	})
	if len(f.skills) <= MaxSkills {
		for _, dir := range f.skills {
			f.bundles[dir] = f.bundle(ctx, dir)
		}
	}
	f.listed = nil
	return f, ctx.Err()
}

// list reads a folder once: the leaf walk and the bundles see the same.
func (f *folder) list(name string) (fsx.Dir, error) {
	if d, ok := f.listed[name]; ok {
		return d, nil
	}
	d, err := f.view.ReadDir(name)
	if err == nil {
		f.listed[name] = d
		f.note(d, name)
		f.loose = f.loose || slices.ContainsFunc(d.Entries, func(e fsx.Entry) bool {
			return !e.IsDir() && !strings.HasPrefix(e.Name, ".")
		})
	}
	return d, err
}

// hasContent reports whether the folder answers for its path: a skill, or any file that somebody may have meant to put
// there. Empty folders and dot-files alone, such as a stamp or what a file manager leaves, are none (R1, R3).
func (f folder) hasContent() bool { return len(f.skills) > 0 || f.loose }

// bundle lists the files of the skill at dir. Real folders come before linked ones, and each real folder counts once (W3).
func (f *folder) bundle(ctx context.Context, dir string) []file {
	var files []file
	seen := make(map[string]bool)
	top := path.Join(f.base, dir)
	now, later := []string{""}, []string(nil)
	for len(now) > 0 && ctx.Err() == nil {
		at := now[len(now)-1]
		now = now[:len(now)-1]
		d, err := f.list(path.Join(top, at))
		if err != nil {
			f.problem(path.Join(dir, at), err)
		} else if !seen[d.Real] {
			seen[d.Real] = true
			for _, e := range d.Entries {
				rel := path.Join(at, e.Name)
				switch {
				case skill.Reserved(e.Name):
				case e.Err != nil:
					f.problem(path.Join(dir, rel), e.Err)
				case e.IsDir() && e.Link:
					later = append(later, rel)
				case e.IsDir():
					now = append(now, rel)
				case e.IsFile():
					files = append(files, file{rel, e.Info.Size(), e.Info.Mode()&0o111 != 0})
				}
			}
		}
		if len(files) > maxBundle {
			f.problem(dir, fmt.Errorf("more than %d files; the rest is not listed", maxBundle))
			break
		}
		if len(now) == 0 {
			now, later = later, nil
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files
}

func (f *folder) note(d fsx.Dir, name string) {
	if d.Unfinished {
		f.unfinished = append(f.unfinished, name)
	}
}

func (f *folder) problem(at string, err error) {
	f.problems = append(f.problems, skill.Problem{Path: at, Code: skill.ProblemUnreadable, Err: err})
}

// digests condenses each skill: the paths and sizes of its files, and the bytes of its SKILL.md, however many. A copy
// whose digests moved was damaged or changed since it landed.
func (f folder) digests() map[string]string {
	out := make(map[string]string, len(f.skills))
	for _, dir := range f.skills {
		h := sha256.New()
		for _, fl := range f.bundles[dir] {
			fmt.Fprintf(h, "%s\x00%d\n", fl.path, fl.size)
		}
		if err := f.digest(h, dir); err != nil {
			fmt.Fprintf(h, "%v", err)
		}
		out[dir] = hex.EncodeToString(h.Sum(nil)[:16])
	}
	return out
}

// digest feeds h the SKILL.md of the skill at dir.
func (f folder) digest(h io.Writer, dir string) error {
	data, err := f.read(dir)
	if !isTooLong(err) {
		_, errHash := h.Write(data)
		return errors.Join(err, errHash)
	}
	r, err := f.view.Open(path.Join(f.base, dir, SkillFile))
	if err != nil {
		return err
	}
	_, err = io.Copy(h, io.LimitReader(r, maxBody))
	return errors.Join(err, r.Close())
}

// isTooLong reports whether err says that a SKILL.md is larger than skill.MaxFile.
func isTooLong(err error) bool { return errors.As(err, new(*fsx.SizeError)) }

// read returns the SKILL.md of the skill at dir, of at most skill.MaxFile bytes. They are read once.
func (f folder) read(dir string) ([]byte, error) {
	if data, ok := f.files[dir]; ok {
		return data, nil
	}
	data, err := f.view.ReadFile(path.Join(f.base, dir, SkillFile), skill.MaxFile)
	if err == nil {
		f.files[dir] = data
	}
	return data, err
}

// document reads the SKILL.md of the skill at dir, and returns its bytes too. Of one that is too long there is the
// frontmatter alone, beside the error that says so.
func (f folder) document(dir string) (*skill.Document, []byte, error) {
	data, err := f.read(dir)
	if isTooLong(err) {
		doc, errHead := readHead(f.view, path.Join(f.base, dir))
		return doc, nil, cmp.Or(errHead, err)
	}
	if err != nil {
		return nil, nil, err
	}
	return skill.Parse(path.Base(path.Join(f.base, dir)), data, skill.ParseOptions{}), data, nil
}

func nodes(entries []fsx.Entry) []skill.Node {
	out := make([]skill.Node, len(entries))
	for i, e := range entries {
		n := skill.Node{Name: e.Name, Kind: skill.Other, Linked: e.Link, Err: e.Err}
		switch {
		case e.IsDir():
			n.Kind = skill.Dir
		case e.IsFile():
			n.Kind = skill.File
		case e.Link:
			n.Kind = skill.Link
		}
		out[i] = n
	}
	return out
}

func shownName(e fsx.Entry) string {
	name, _ := skill.OneLine(e.Name)
	if e.IsDir() {
		return name + "/"
	}
	return name
}
