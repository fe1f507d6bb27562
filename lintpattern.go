package atskills

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// pattern looks at a plain line. One that has the last word on some folder does something; for a negation that is not
// enough, since there has to be something to take back.
func (l *linter) pattern(i int) Problem {
	matched := l.matched(i)
	switch {
	case len(matched) == 0:
		return l.nothing(i)
	case l.rules.Negated(i):
		return l.negation(i, matched)
	case len(l.decidesAt[i]) > 0:
		return Problem{}
	}
	return l.shadowed(i, matched)
}

// matched returns the folders that the line at index i matches, its "!" aside.
func (l *linter) matched(i int) []string {
	var out []string
	for _, dir := range l.dirs {
		if l.rules.Alone(i, dir, true) {
			out = append(out, dir)
		}
	}
	return out
}

// shadowed says which lines have the last word on what the line at index i matches.
func (l *linter) shadowed(i int, matched []string) Problem {
	var by []int
	for _, dir := range matched {
		by = append(by, l.verdict(dir).Line)
	}
	slices.Sort(by)
	lines := triggerLinesAt(l.file, slices.Compact(by))
	texts := make([]string, len(lines))
	for j, line := range lines {
		texts[j] = line.String()
	}
	return Problem{Code: LintShadowed, Message: fmt.Sprintf(
		"it decides nothing: %s has the last word on what it matches", strings.Join(firstNames(texts), ", and "))}
}

// negation looks at a line with "!" that matches something.
func (l *linter) negation(i int, matched []string) Problem {
	selects := func(dir string) bool { // whether a line before this one selects dir
		for j := range l.rules.MatchingUp(dir, i) {
			if !l.rules.Negated(j) {
				return true
			}
		}
		return false
	}
	if slices.ContainsFunc(l.decidesAt[i], selects) {
		return Problem{}
	}
	for _, dir := range matched {
		if v := l.verdict(dir); v.Ignored && v.At != dir {
			return l.dead(i, v)
		}
	}
	if len(l.decidesAt[i]) == 0 {
		return l.shadowed(i, matched)
	}
	return Problem{Code: LintDeadNegation, Message: "it takes nothing back: no line before it selects what it matches"}
}

// dead says that the line at index i would take back something below a folder that v's line selects, which git never
// does (T3), and tries what would work in the place of that line.
func (l *linter) dead(i int, v gitignore.Verdict) Problem {
	p := Problem{Code: LintDeadNegation, Message: fmt.Sprintf(
		"it takes nothing back: %s selects the folder %s, and nothing below a selected folder can be taken back", l.at(v.Line), oneLine(v.At))}
	if l.revived++; l.revived > maxRevived {
		return p
	}
	base := strings.TrimSuffix(strings.TrimRight(l.file.Lines[v.Line].Text, " "), "/")
	for _, fix := range []string{base + "/*", "**/" + base + "/*"} {
		if !l.revives(i, v.Line, fix) {
			continue
		}
		p.Fix, p.FixAt = fix, l.file.Lines[v.Line].Number
		p.Message += fmt.Sprintf("; in place of line %d, %s would work", p.FixAt, quoteLine(fix))
		return p
	}
	if steps := l.steps(i, v); steps != "" {
		p.Message += "; in place of both lines, these would work: " + steps
	}
	return p
}

// revives reports whether, with the line fix in the place of the one at index k, the negation at index i takes
// something back, and nothing but what it matches changes.
func (l *linter) revives(i, k int, fix string) bool {
	f := l.file.Replace(k, fix)
	is, without := f.Rules().Walk(), f.Replace(i, "").Rules().Walk()
	some := slices.ContainsFunc(l.skills, func(dir string) bool {
		return is.Match(dir, true).Ignored != without.Match(dir, true).Ignored
	})
	return some && l.takesBack(f.Rules(), func(dir string) bool {
		for d := dir; d != "."; d = path.Dir(d) {
			if l.rules.Alone(i, d, true) {
				return true
			}
		}
		return false
	}, false)
}

// takesBack reports whether rules, in comparison with what is, select no skill more and only such skills less as in
// says: all of them, or at least one.
func (l *linter) takesBack(rules *gitignore.Rules, in func(dir string) bool, all bool) bool {
	some := false
	is := rules.Walk()
	for _, dir := range l.skills {
		was, now := l.verdict(dir).Ignored, is.Match(dir, true).Ignored
		switch {
		case was == now && !(all && now && in(dir)):
		case was && !now && in(dir):
			some = true
		default:
			return false
		}
	}
	return some
}

// steps lists the lines that take a skill or folder deep below a selected one back, when the negation at index i names
// one literally: each folder on the way is selected by its content.
func (l *linter) steps(i int, v gitignore.Verdict) string {
	text := strings.TrimPrefix(l.file.Lines[i].Text, "!")
	at, ok := trigger.Parse([]byte(text)).Lines[0].Literal()
	if !ok || !strings.HasPrefix(at, v.At+"/") {
		return ""
	}
	var lines []string
	for d := v.At; d != at; {
		lit, err := trigger.Literal(d, false, true)
		if err != nil {
			return ""
		}
		if d != v.At {
			lines = append(lines, "!"+lit+"/")
		}
		lines = append(lines, lit+"/*")
		rest, _, _ := strings.Cut(at[len(d)+1:], "/")
		d += "/" + rest
	}
	lines = append(lines, l.file.Lines[i].Text)
	f := l.file.Delete(i)
	k := v.Line
	if k > i {
		k--
	}
	if !l.takesBack(f.Replace(k, lines...).Rules(), func(dir string) bool { return within(at, dir) }, true) {
		return ""
	}
	for j := range lines {
		lines[j] = quoteLine(lines[j])
	}
	return strings.Join(lines, ", ")
}

// nothing says that no skill matches the line at index i, and what may have been meant.
func (l *linter) nothing(i int) Problem {
	text := l.file.Lines[i].Text
	sign, body := "", text
	if l.rules.Negated(i) {
		sign, body = "!", text[1:]
	}
	trimmed := strings.TrimFunc(body, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	ref, isCloud := cloudRef(trimmed)
	isCloud = isCloud && sign == ""
	if isCloud && !isDiskSpelling(trimmed) {
		return Problem{Code: LintMissingAt, Message: "it looks like a cloud id, and as a pattern it matches no skill", Fix: l.brings(ref)}
	}
	if trimmed != body && l.works(sign+trimmed) {
		return Problem{Code: LintSpace, Message: "white space at its end or beginning is part of the pattern, which matches no skill", Fix: sign + trimmed}
	}
	if told := l.passed(i); told != "" {
		return Problem{Code: LintNothing, Message: "it matches no skill: " + told}
	}
	p := Problem{Code: LintNothing, Message: "it matches no skill"}
	meant := l.literal(l.intended(trimmed))
	switch {
	case meant != "":
		p.Fix = sign + meant
	case isCloud:
		p.Message = "it matches no skill, for no copy stands there; to follow the id, put \"@\" in front"
		p.Fix = followLine(ref)
	default:
		if near := skill.Nearest(strings.Trim(trimmed, "/"), l.skills, maxNear); len(near) > 0 {
			for j, dir := range near {
				near[j] = shownDir(dir)
			}
			p.Message += "; did you mean " + strings.Join(near, ", ")
		}
	}
	return p
}

// isDiskSpelling reports whether text names the folder of a copy, where a plain line is right.
func isDiskSpelling(text string) bool {
	text = strings.TrimPrefix(text, "/")
	return strings.HasPrefix(text, "gh/") || strings.HasPrefix(text, "hub/")
}

// brings is the line that brings what ref refers to: the plain one where a copy stands.
func (l *linter) brings(ref skill.Ref) string {
	if at := ref.ID.DiskPath(); l.isDir[at] {
		return l.literal(at)
	}
	return followLine(ref)
}

// works reports whether text as a line matches some folder.
func (l *linter) works(text string) bool {
	f := trigger.Parse([]byte(text))
	if len(f.Lines) != 1 || f.Lines[0].Kind != trigger.Pattern {
		return false
	}
	alone := f.Rules()
	return slices.ContainsFunc(l.dirs, func(dir string) bool { return alone.Alone(0, dir, true) })
}

// intended returns the folder that text names in a way that git does not read: from the project's root, with its
// SKILL.md, with backslashes, or in other case. "" is none.
func (l *linter) intended(text string) string {
	at := path.Clean("/" + strings.ReplaceAll(text, `\`, "/"))[1:]
	at = strings.TrimPrefix(at, Dir+"/")
	at = strings.TrimSuffix(at, "/"+SkillFile)
	if l.isDir[at] {
		return at
	}
	for _, dir := range l.dirs {
		if strings.EqualFold(dir, at) {
			return dir
		}
	}
	return ""
}
