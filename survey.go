package atskills

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// survey is the project's skill tree and its trigger file, as one moment shows them. It belongs to one goroutine.
type survey struct {
	view  fsx.View // of the project; names begin with Dir
	file  trigger.File
	rules *gitignore.Rules
	// skills are the paths of all skills below Dir, in walk order (W4), saved copies under gh/ and hub/ included.
	skills []string
	// problems are what the walk came upon and did not count (W6), their paths below Dir. A SKILL.md at the very top is
	// one: no path addresses it, and by the leaf rule it hides all others (V6).
	problems []skill.Problem

	asked  *gitignore.Walk
	stamps map[string]bool   // the folders below Dir that hold a stamp
	linked map[string]string // skills reached through a link, and where they really stand in the project
	covers map[string][]int  // what levels found, by folder
	heads  map[string]head
}

// head is the frontmatter of one skill, or why it could not be read.
type head struct {
	doc *skill.Document
	err error
}

// survey reads the trigger file and walks the tree once. Without a project, a tree or a file there is nothing to find,
// and no error. What a crashed save left half done is undone first (S8).
func (e Env) survey(ctx context.Context) (*survey, error) {
	file, err := e.readTriggers()
	if err != nil {
		return nil, err
	}
	s := &survey{file: file, rules: file.Rules(), covers: make(map[string][]int), heads: make(map[string]head)}
	s.asked = s.rules.Walk()
	if e.Project == nil {
		return s, nil
	}
	s.view = fsx.NewView(e.Project, "", true)
	for try := 1; ; try++ {
		unfinished := s.walk(ctx)
		if len(unfinished) == 0 || try == maxSaveTries {
			return s, ctx.Err()
		}
		if p, err := newProject(e); err != nil || p.sweep(ctx, unfinished) != nil {
			return s, ctx.Err() // as it stands; the next save says what is wrong
		}
	}
}

// walk finds the skills below Dir. It returns the folders in which an interrupted replacement waits to be undone, or one
// is at work.
func (s *survey) walk(ctx context.Context) (unfinished []string) {
	s.stamps, s.linked = make(map[string]bool), make(map[string]string)
	s.skills, s.problems = s.find(ctx, "", func(name string, d fsx.Dir) {
		if d.Unfinished {
			unfinished = append(unfinished, name)
		}
	})
	if slices.Equal(s.skills, []string{""}) {
		s.skills = nil
		s.problems = append(s.problems, skill.Problem{Code: skill.ProblemName, Err: fmt.Errorf(
			"%s stands at the top of %s, where no path addresses it; it makes the whole tree one skill and hides those below", SkillFile, Dir)})
	}
	return unfinished
}

// find walks the folder base below Dir under the project's link policy (W3); what it returns is relative to Dir. seen,
// which may be nil, is told each folder of the view. Nothing there is no problem.
func (s *survey) find(ctx context.Context, base string, seen func(name string, d fsx.Dir)) ([]string, []skill.Problem) {
	ahead := make(map[string]fsx.Entry) // folders that a listing showed and the walk has yet to enter
	dirs, problems := skill.Walk(func(dir string) (skill.Listing, error) {
		if err := ctx.Err(); err != nil {
			return skill.Listing{}, err
		}
		at := path.Join(base, dir)
		name := path.Join(Dir, at)
		d, err := s.view.ReadDirAt(name, ahead[dir])
		delete(ahead, dir)
		if dir == "" && errors.Is(err, errNotExist) {
			return skill.Listing{}, nil
		}
		if seen != nil {
			seen(name, d)
		}
		for _, e := range d.Entries {
			switch {
			case e.IsDir():
				ahead[path.Join(dir, e.Name)] = e
			case e.Name == SourceFile && e.IsFile():
				s.stamps[at] = true
			case e.Name == SkillFile && d.Real != name:
				s.linked[at] = d.Real
			}
		}
		return skill.Listing{Real: d.Real, Nodes: nodes(d.Entries)}, err
	})
	if base == "" {
		return dirs, problems
	}
	for i := range dirs {
		dirs[i] = path.Join(base, dirs[i])
	}
	for i := range problems {
		problems[i].Path = path.Join(base, problems[i].Path)
	}
	return dirs, problems
}

// below returns the skills at base, a path below Dir, or under it.
func (s *survey) below(base string) []string {
	if _, ok := slices.BinarySearch(s.skills, base); ok {
		return []string{base}
	}
	from, _ := slices.BinarySearch(s.skills, base+"/")
	return s.skills[from : from+sharePrefix(s.skills[from:], base+"/")]
}

// copies returns the project's own skills at or below an id's folder, as a reference to that id finds them (R1): also
// where the walk of the whole tree did not look, inside another skill or behind a second link to one folder. Nothing
// there is no error; a link that is not followed or a folder that cannot be read is one.
func (s *survey) copies(ctx context.Context, id skill.ID) ([]string, error) {
	base := id.DiskPath()
	if dirs := s.below(base); len(dirs) > 0 || !s.passedOver(base) || slices.ContainsFunc(strings.Split(base, "/"), skill.Reserved) {
		return dirs, nil
	}
	at, err := s.view.Lookup(path.Join(Dir, base))
	if errors.Is(err, errNotExist) || err == nil && !at.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dirs, problems := s.find(ctx, base, nil)
	for _, p := range problems {
		if p.Path == base && len(dirs) == 0 {
			return nil, p.Err
		}
	}
	s.problems = append(s.problems, problems...)
	return dirs, nil
}

// passedOver reports whether the walk may have left out what stands at base.
func (s *survey) passedOver(base string) bool {
	if slices.ContainsFunc(s.problems, func(p skill.Problem) bool {
		return p.Path == "" || p.Code == skill.ProblemLimit || within(p.Path, base)
	}) {
		return true
	}
	for dir := path.Dir(base); dir != "."; dir = path.Dir(dir) {
		if _, ok := slices.BinarySearch(s.skills, dir); ok {
			return true
		}
	}
	return false
}

// within reports whether name is dir or lies below it, both slash-separated.
func within(dir, name string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// real returns where the skill at dir, a path below Dir, stands behind all links: its identity (W3).
func (s *survey) real(dir string) string {
	if real, ok := s.linked[dir]; ok {
		return real
	}
	return path.Join(Dir, dir)
}

// saved reports whether a stamp stands at or above dir, a path below Dir (S2).
func (s *survey) saved(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if s.stamps[dir] {
			return true
		}
	}
	return false
}

// verdict tells which plain line decides on dir, a path below Dir, taken as a folder (T3, T4).
func (s *survey) verdict(dir string) gitignore.Verdict { return s.asked.Match(dir, true) }

// passed says what the walk came upon and did not count where the plain line at index i looks, "" for nothing: it is why
// that line matches no skill, as far as anyone can tell.
func (s *survey) passed(i int) string {
	for _, p := range s.problems {
		for dir := p.Path; ; dir = path.Dir(dir) {
			if dir == "" || s.rules.Alone(i, dir, true) {
				return oneLine(fmt.Sprintf("%s: %v", path.Join(Dir, p.Path), p.Err))
			}
			if !strings.Contains(dir, "/") {
				break
			}
		}
	}
	return ""
}

// covering returns the numbers of all plain lines that select dir, a path below Dir, in order: those that match it or a
// folder above it and that no later negation takes back there. Not all of them decide.
func (s *survey) covering(dir string) []int {
	lines := s.level(dir)
	for up := path.Dir(dir); up != "."; up = path.Dir(up) {
		above, ok := s.covers[up]
		if !ok {
			above = s.level(up)
			s.covers[up] = above
		}
		if len(above) > 0 {
			lines = slices.Concat(lines, above)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// level returns the numbers of the plain lines that select exactly dir.
func (s *survey) level(dir string) (lines []int) {
	for i := range s.rules.Matching(dir, true) {
		if s.rules.Negated(i) {
			lines = nil
		} else {
			lines = append(lines, s.file.Lines[i].Number)
		}
	}
	return lines
}

// head returns the frontmatter of the skill at dir, a path below Dir. The file is opened once, however often it is asked
// for, and read no further than the frontmatter (B4).
func (s *survey) head(dir string) (*skill.Document, error) {
	h, ok := s.heads[dir]
	if !ok {
		h.doc, h.err = readHead(s.view, path.Join(Dir, dir))
		s.heads[dir] = h
	}
	return h.doc, h.err
}

// readHead reads the frontmatter of the skill in the folder dir of view.
func readHead(view fsx.View, dir string) (*skill.Document, error) {
	f, err := view.Open(path.Join(dir, SkillFile))
	if err != nil {
		return nil, err
	}
	doc, err := skill.ParseHead(path.Base(dir), f, skill.ParseOptions{})
	return doc, errors.Join(err, f.Close())
}
