package atskills

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// Problem is what is odd about one line of the trigger file (T5).
type Problem struct {
	Line    int    // its number, from 1
	Code    string // one of the Lint constants
	Message string // one sentence, on one line
	// Fix is a whole line that works, for the place of the line with the number FixAt. That is Line, except for a negation
	// that another line keeps from taking effect. Both are zero when no single line puts it right; a line that does
	// nothing is then best deleted.
	Fix   string
	FixAt int
}

// String returns the problem for a person, as in "line 3: message".
func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

// The codes of problems.
const (
	LintReference    = "bad-reference"   // what follows "@" is no cloud id
	LintDuplicate    = "duplicate"       // another line follows the same id
	LintLocalCopy    = "local-copy"      // a copy in the project answers the id, and the plain line would say so
	LintMissingAt    = "missing-at"      // a cloud id without "@", which selects nothing
	LintSpace        = "white-space"     // white space at either end is part of the pattern, and keeps it from matching
	LintNothing      = "matches-nothing" // no skill, and no folder of skills, matches; or what does cannot be read or does not count
	LintDeadNegation = "dead-negation"   // a line with "!" that can take nothing back
	LintShadowed     = "shadowed"        // other lines decide on everything that this one matches
)

// Lint looks for lines of the trigger file that do not do what they seem to (T5), at most one problem a line, in file
// order. What a line means is judged by the skills that stand in the tree now. Nothing is written, and upstream is not
// asked: a cloud id may yet lead nowhere. Of dead negations the first 32 get the line that would work, if there is one:
// each is tried on the whole tree. The error is the file system's, or the context's.
func Lint(ctx context.Context, env Env) ([]Problem, error) {
	s, err := env.survey(ctx)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	l := newLinter(s)
	var out []Problem
	for i, line := range s.file.Lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var p Problem
		switch line.Kind {
		case trigger.Cloud:
			p = l.cloud(i)
		case trigger.Pattern:
			p = l.pattern(i)
		}
		if p.Code == "" {
			continue
		}
		p.Line = line.Number
		if p.Fix != "" && p.FixAt == 0 {
			p.FixAt = p.Line
		}
		p.Message = cut(p.Message, maxMessage)
		out = append(out, p)
	}
	return out, nil
}

// linter is one call of Lint.
type linter struct {
	*survey
	dirs      []string         // the skills and all folders above them, below Dir, parents first
	isDir     map[string]bool  // dirs as a set
	decidesAt map[int][]string // by the index of a line, the dirs on which it has the last word
	stays     map[skill.ID]int // by followed id, the index of the line that others repeat
	revived   int              // dead negations for which a fix was looked for
}

// maxRevived bounds the dead negations that Lint looks for a fix for.
const maxRevived = 32

func newLinter(s *survey) *linter {
	l := &linter{survey: s, isDir: make(map[string]bool), decidesAt: make(map[int][]string), stays: make(map[skill.ID]int)}
	for i, line := range s.file.Lines {
		if line.Ref == nil {
			continue
		}
		if first, ok := l.stays[line.Ref.ID]; !ok || line.Ref.Dir && !s.file.Lines[first].Ref.Dir {
			l.stays[line.Ref.ID] = i
		}
	}
	for _, dir := range s.skills {
		l.add(dir)
	}
	for _, dir := range l.dirs {
		if v := s.verdict(dir); v.At == dir {
			l.decidesAt[v.Line] = append(l.decidesAt[v.Line], dir)
		}
	}
	return l
}

// add notes dir and the folders above it.
func (l *linter) add(dir string) {
	if dir == "." || l.isDir[dir] {
		return
	}
	l.add(path.Dir(dir))
	l.isDir[dir] = true
	l.dirs = append(l.dirs, dir)
}

// at is the line with index i as messages show it.
func (l *linter) at(i int) TriggerLine { return triggerLine(l.file.Lines[i]) }

// cloud looks at a line that begins with "@".
func (l *linter) cloud(i int) Problem {
	line := l.file.Lines[i]
	if line.Err != nil {
		return Problem{Code: LintReference, Message: oneLine(line.Err.Error()), Fix: l.reference(line.Text)}
	}
	if other, ok := l.duplicate(i); ok {
		return Problem{Code: LintDuplicate, Message: fmt.Sprintf("%s already follows %s", l.at(other), line.Ref.ID.Reference())}
	}
	return l.localCopy(i)
}

// reference returns the line that was meant by one whose "@" has no cloud id behind it, "" when that cannot be told.
func (l *linter) reference(text string) string {
	rest := strings.TrimLeft(strings.TrimSpace(text), "@")
	if ref, ok := cloudRef(rest); ok {
		return l.brings(ref)
	}
	for _, dir := range []string{"@" + strings.TrimSuffix(rest, "/"), strings.TrimSuffix(rest, "/")} {
		if l.isDir[dir] {
			return l.literal(dir)
		}
	}
	return ""
}

// cloudRef reads text as a reference to a cloud id, with or without its prefix.
func cloudRef(text string) (skill.Ref, bool) {
	for _, s := range []string{text, "@" + text} {
		if ref, err := skill.ParseRef(s); err == nil && ref.ID.Scheme() != skill.Local {
			return ref, true
		}
	}
	return skill.Ref{}, false
}

// followLine is the line that follows what ref refers to.
func followLine(ref skill.Ref) string {
	if ref.Dir {
		return "@" + ref.ID.Reference() + "/"
	}
	return "@" + ref.ID.Reference()
}

// literal is the line of the skill or folder at dir, "" when no line can hold the name.
func (l *linter) literal(dir string) string {
	_, isSkill := slices.BinarySearch(l.skills, dir)
	text, err := trigger.Literal(dir, !isSkill, false)
	if err != nil {
		return ""
	}
	alone := gitignore.New([]string{text})
	if slices.ContainsFunc(l.skills, func(s string) bool { return alone.Match(s, true).Ignored && !within(dir, s) }) {
		text, _ = trigger.Literal(dir, !isSkill, true)
	}
	return text
}

// duplicate returns another line that follows the same id and makes the one at index i superfluous: of several, the
// first that takes the whole directory stays, else the first.
func (l *linter) duplicate(i int) (int, bool) {
	stays := l.stays[l.file.Lines[i].Ref.ID]
	return stays, stays != i
}

// localCopy says that a copy in the project answers the line at index i, when a plain line would select that copy.
func (l *linter) localCopy(i int) Problem {
	id := l.file.Lines[i].Ref.ID
	at := id.DiskPath()
	below := l.below(at)
	if len(below) == 0 {
		return Problem{}
	}
	p := Problem{Code: LintLocalCopy, Message: fmt.Sprintf("the project's own copy at %s answers this line, and upstream is not asked", oneLine(Dir+"/"+at))}
	if v := l.verdict(at); v.Ignored {
		p.Message += fmt.Sprintf("; %s selects that copy already", l.at(v.Line))
		return p
	}
	fix := l.literal(at)
	after := l.file.Replace(i, fix).Rules()
	if fix != "" && l.changes(after, func(dir string) bool { return within(at, dir) }) {
		p.Fix = fix
	}
	return p
}

// changes reports whether rules select what in says, and all other skills as before.
func (l *linter) changes(rules *gitignore.Rules, in func(dir string) bool) bool {
	is := rules.Walk()
	return !slices.ContainsFunc(l.skills, func(dir string) bool {
		return is.Match(dir, true).Ignored != (in(dir) || l.verdict(dir).Ignored)
	})
}
