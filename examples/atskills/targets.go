package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// place is a folder that was named on the command line.
type place struct {
	shown string // as it was typed, "" for the working directory
	abs   string // with the links that were typed
	fsys  billy.Filesystem
	dir   string // the folder in fsys
	file  string // the file that was named in it, "" when the folder was
}

// errNoPlace is a path that is not there: a wrong command line.
var errNoPlace = errors.New("no such file or folder")

// locate finds what arg names. Its file system reaches as far as the project, or else the folder's parent, so that links
// to what stands beside a skill can be followed.
func (h host) locate(arg string) (place, error) {
	abs := h.absolute(arg)
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{}, h.noPlace(arg)
	case err != nil:
		return place{}, err
	}
	p := place{shown: filepath.Clean(arg), abs: abs}
	if !info.IsDir() {
		p.shown, p.abs, p.file = filepath.Dir(p.shown), filepath.Dir(abs), filepath.Base(abs)
	}
	if p.shown == "." {
		p.shown = ""
	}
	real, err := filepath.EvalSymlinks(p.abs)
	if err != nil {
		return place{}, err
	}
	root := filepath.Dir(real)
	if project, err := filepath.EvalSymlinks(h.project()); err == nil && project != real {
		if rel, err := filepath.Rel(project, real); err == nil && filepath.IsLocal(rel) {
			root = project
		}
	}
	rel, err := filepath.Rel(root, real)
	if err != nil {
		return place{}, err
	}
	p.fsys = fsx.OS(root)
	if p.dir = filepath.ToSlash(rel); p.dir == "." {
		p.dir = ""
	}
	return p, nil
}

// noPlace says that nothing is at arg, and which folder is meant when arg is a reference.
func (h host) noPlace(arg string) error {
	r, ok := h.referred(arg)
	switch {
	case !ok:
		return fmt.Errorf("%w: %q", errNoPlace, arg)
	case r.dir == "":
		return fmt.Errorf("%w: %q is a reference, of which the project has no copy; this takes a folder", errNoPlace, arg)
	}
	dir := shellWord(filepath.ToSlash(h.relative(r.dir)))
	return fmt.Errorf("%w: %q is the reference of a %s; this takes a folder: %s", errNoPlace, arg, r.what, dir)
}

// name is how the folder is called where it was found, "" for the root of a disk.
func (p place) name() string {
	if filepath.Dir(p.abs) == p.abs {
		return ""
	}
	return filepath.Base(p.abs)
}

// below is the folder sub of p.
func (p place) below(sub string) place {
	if sub == "" {
		return p
	}
	p.shown, p.abs = filepath.Join(p.shown, filepath.FromSlash(sub)), filepath.Join(p.abs, filepath.FromSlash(sub))
	p.dir = path.Join(p.dir, sub)
	return p
}

// path is how a file of the folder is shown: with slashes on every system.
func (p place) path(file string) string { return filepath.ToSlash(filepath.Join(p.shown, file)) }

// projectTree is the project's own folder of skills as seen from the working directory, and false when it has none.
func (h host) projectTree() (string, bool) {
	dir := filepath.Join(h.project(), atskills.Dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	return h.relative(dir), true
}

// skills are the skills that p stands for: itself, or those below it when it has no file that looks like a skill's.
func (p place) skills(ctx context.Context) ([]place, []skill.Problem, error) {
	view := fsx.NewView(p.fsys, p.dir, true)
	top, err := view.ReadDir("")
	if err != nil || p.file != "" {
		return []place{p}, nil, err
	}
	for _, e := range top.Entries {
		if strings.EqualFold(e.Name, skill.SkillFile) {
			return []place{p}, nil, nil
		}
	}
	dirs, problems := audit.Find(ctx, view)
	var found []place
	var rest []skill.Problem
	for _, dir := range dirs {
		found = append(found, p.below(dir))
	}
	for _, problem := range problems {
		if problem.Code == skill.ProblemCase {
			found = append(found, p.below(path.Dir(problem.Path)))
			continue
		}
		rest = append(rest, problem)
	}
	if len(found) == 0 {
		found = []place{p}
	}
	return found, rest, ctx.Err()
}

// validate reads the skill at p.
func (p place) validate(ctx context.Context, opts audit.Options) (*audit.Report, error) {
	opts.Dir, opts.File = p.name(), p.file
	opts.Modeless = runtime.GOOS == "windows"
	return audit.Validate(ctx, p.fsys, p.dir, opts)
}

// words is a flag that may be given several times.
type words []string

func (w *words) String() string     { return strings.Join(*w, ",") }
func (w *words) Set(s string) error { *w = append(*w, s); return nil }
