package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/skill"
)

const auditHelp = `Usage: atskills audit [--json] [--allow-field f] [--unicode-names] [dir]

Looks through every skill below a folder, by default the project's .atskills, or the working directory when there is
none: how many are valid, the findings by code, what descriptions and bodies cost (a token for every four characters),
skills that say the same or are called the same, and phrases in descriptions that press a model to choose a skill.
"atskills validate" shows the single findings.

  --json             print one object: summary, codes, duplicates, phrases, problems, skills
  --allow-field f    do not report the top-level field f; may be given several times
  --unicode-names    allow letters and digits of every script in names

Exit codes: 0 every skill is valid, 1 one is not or cannot be read, 2 wrong usage or a path that is not there.
`

// audit looks through a tree of skills.
func (h host) audit(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("audit", flag.ContinueOnError)
	opts := audit.Options{Modeless: runtime.GOOS == "windows"}
	asJSON := flags.Bool("json", false, "")
	flags.BoolVar(&opts.UnicodeNames, "unicode-names", false, "")
	flags.Var((*words)(&opts.AllowFields), "allow-field", "")
	rest, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	if len(rest) > 1 {
		return out.misuse("audit", "want one folder")
	}
	p, err := h.auditPlace(rest)
	if errors.Is(err, errNoPlace) {
		out.say("atskills audit: %v", err)
		return exitUsage
	}
	var a *audit.Audit
	if err == nil {
		opts.Dir = p.name()
		a, err = audit.Tree(ctx, p.fsys, p.dir, opts)
	}
	if err != nil {
		out.say("atskills audit: %v", err)
		return exitFailed
	}
	v := auditView{a, p}
	if *asJSON {
		out.object(v.object())
	} else {
		v.print(out)
	}
	if !a.Valid() {
		return exitFailed
	}
	return exitOK
}

func (h host) auditPlace(args []string) (place, error) {
	if len(args) > 0 {
		return h.locate(args[0])
	}
	if dir, ok := h.projectTree(); ok {
		return h.locate(dir)
	}
	return h.locate(".")
}

// auditView shows an audit with the paths of the command line.
type auditView struct {
	*audit.Audit
	place
}

// shown is a folder of the file system as the command line would name it.
func (v auditView) shown(dir string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, v.dir), "/")
	return filepath.ToSlash(filepath.Join(v.place.shown, rel, "."))
}

func (v auditView) print(out *output) {
	line := func(format string, args ...any) {
		indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
		text, _ := skill.OneLine(fmt.Sprintf(format, args...))
		out.print(indent + text + "\n")
	}
	s := v.Summary
	line("%d %s, %d valid, %d load", s.Total, plural(s.Total, "skill"), s.Valid, s.Loads)
	line("  %d without when to use, %d with commas in allowed-tools", s.NoWhen, s.CommaTools)
	line("  %d with scripts/, %d with references/, %d with assets/", s.Scripts, s.References, s.Assets)
	line("  about %d tokens of names and descriptions each session, %d of bodies", s.DescriptionTokens, s.BodyTokens)
	for _, dir := range s.OverBudget {
		line("  description over %d characters: %s", skill.MaxDescriptionLength, v.shown(dir))
	}
	for _, c := range v.Codes {
		line("%v %s: %d in %d %s", c.Severity, c.Code, c.Findings, c.Skills, plural(c.Skills, "skill"))
	}
	for _, d := range v.Duplicates {
		what := "same content"
		if d.Kind == audit.SameName {
			what = "same name " + fmt.Sprintf("%q", d.Name)
		}
		line("%s: %s", what, strings.Join(v.all(d.Dirs), ", "))
	}
	for _, p := range v.Phrases {
		line("advice pressing phrase %q: %d in %d %s", p.Text, p.Count, p.Skills, plural(p.Skills, "skill"))
	}
	for _, p := range v.Problems {
		line("not counted: %s: %v", v.path(p.Path), p.Err)
	}
}

func (v auditView) all(dirs []string) []string {
	out := []string{}
	for _, dir := range dirs {
		out = append(out, v.shown(dir))
	}
	return out
}

// auditObject is what audit --json prints. Its arrays are never null.
type auditObject struct {
	Summary    auditSummary     `json:"summary"`
	Codes      []auditCode      `json:"codes"`
	Duplicates []auditDuplicate `json:"duplicates"`
	Phrases    []auditPhrase    `json:"phrases"`
	Problems   []auditProblem   `json:"problems"`
	Skills     []auditSkill     `json:"skills"`
}

type auditSummary struct {
	Total             int      `json:"total"`
	Valid             int      `json:"valid"`
	Loads             int      `json:"loads"`
	MissingWhen       int      `json:"missingWhen"`
	CommaTools        int      `json:"commaTools"`
	Scripts           int      `json:"scripts"`
	References        int      `json:"references"`
	Assets            int      `json:"assets"`
	DescriptionTokens int      `json:"descriptionTokens"`
	BodyTokens        int      `json:"bodyTokens"`
	OverBudget        []string `json:"overBudget"`
}

type auditCode struct {
	Code     skill.Code     `json:"code"`
	Severity skill.Severity `json:"severity"`
	Findings int            `json:"findings"`
	Skills   int            `json:"skills"`
}

type auditDuplicate struct {
	Kind  string   `json:"kind"`
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
}

type auditPhrase struct {
	Phrase string `json:"phrase"`
	Count  int    `json:"count"`
	Skills int    `json:"skills"`
}

type auditProblem struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type auditSkill struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Valid bool   `json:"valid"`
	Loads bool   `json:"loads"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

func (v auditView) object() auditObject {
	s := v.Summary
	o := auditObject{
		Summary: auditSummary{s.Total, s.Valid, s.Loads, s.NoWhen, s.CommaTools, s.Scripts, s.References, s.Assets,
			s.DescriptionTokens, s.BodyTokens, v.all(s.OverBudget)},
		Codes: []auditCode{}, Duplicates: []auditDuplicate{}, Phrases: []auditPhrase{}, Problems: []auditProblem{}, Skills: []auditSkill{},
	}
	for _, c := range v.Codes {
		o.Codes = append(o.Codes, auditCode(c))
	}
	for _, d := range v.Duplicates {
		o.Duplicates = append(o.Duplicates, auditDuplicate{d.Kind, d.Name, v.all(d.Dirs)})
	}
	for _, p := range v.Phrases {
		o.Phrases = append(o.Phrases, auditPhrase{p.Text, p.Count, p.Skills})
	}
	for _, p := range v.Problems {
		o.Problems = append(o.Problems, auditProblem{v.path(p.Path), p.Code, p.Err.Error()})
	}
	for _, r := range v.Skills {
		name := ""
		if r.Doc != nil {
			name = r.Doc.Name
		}
		o.Skills = append(o.Skills, auditSkill{v.shown(r.Dir), name, r.Valid(), r.Loads(), r.Files, r.Bytes})
	}
	return o
}
