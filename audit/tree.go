package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// Audit is what was found below a folder.
type Audit struct {
	// Skills are the reports, in byte order of folder. Each Dir is relative to the root of the file system.
	Skills []*Report
	// Problems are what the walk came upon and did not count as a skill (W6). Paths are relative to the folder.
	Problems []skill.Problem
	// Codes count the findings by code, the most frequent first.
	Codes   []CodeCount
	Summary Summary
	// Duplicates are skills that say the same or are called the same.
	Duplicates []Duplicate
	// Phrases count the words in descriptions that press a model to choose a skill, the most frequent first.
	Phrases []Phrase
}

// Valid reports whether every skill is valid and the walk had no problem.
func (a *Audit) Valid() bool { return a.Summary.Valid == a.Summary.Total && len(a.Problems) == 0 }

// CodeCount says how often a code was found and in how many skills.
type CodeCount struct {
	Code             skill.Code
	Severity         skill.Severity // the gravest it was found with
	Findings, Skills int
}

// Summary holds the numbers of an audit. Tokens are estimates; see [Tokens].
type Summary struct {
	Total, Valid, Loads int
	// NoWhen are skills that load and whose description does not say when to use them.
	NoWhen int
	// CommaTools are skills whose allowed-tools are separated by commas.
	CommaTools int
	// Scripts, References and Assets are skills that have the optional folder.
	Scripts, References, Assets int
	// DescriptionTokens is what the names and descriptions of all skills that load cost each session, BodyTokens what
	// their bodies cost when all are activated.
	DescriptionTokens, BodyTokens int
	// OverBudget are the folders whose description has more than skill.MaxDescriptionLength characters.
	OverBudget []string
}

// The kinds of a [Duplicate].
const (
	SameContent = "content" // the bodies are equal but for white space
	SameName    = "name"
)

// Duplicate is a group of skills that a model cannot tell apart, or that get in each other's way.
type Duplicate struct {
	Kind string
	Name string   // the common name, for SameName
	Dirs []string // in byte order
}

// Phrase is a phrase and how often it stands in descriptions.
type Phrase struct {
	Text          string // in small letters
	Count, Skills int
}

// Tree validates every skill in and below dir, by the leaf rule (W1); opts apply to each. A folder whose file is only
// nearly called SKILL.md is reported as a skill, too. The error is about dir itself or ctx.
func Tree(ctx context.Context, fsys billy.Filesystem, dir string, opts Options) (*Audit, error) {
	view := fsx.NewView(fsys, dir, true)
	if _, err := view.ReadDir(""); err != nil {
		return nil, err
	}
	dirs, problems := Find(ctx, view)
	a := &Audit{}
	for _, p := range problems {
		if p.Code == skill.ProblemCase {
			dirs = append(dirs, folderOf(p.Path))
			continue
		}
		a.Problems = append(a.Problems, p)
	}
	slices.Sort(dirs)
	for _, sub := range slices.Compact(dirs) {
		one := opts
		if sub != "" {
			one.Dir = path.Base(sub)
		}
		r, err := Validate(ctx, fsys, path.Join(dir, sub), one)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			a.Problems = append(a.Problems, skill.Problem{Path: sub, Code: skill.ProblemUnreadable, Err: err})
			continue
		}
		r.Dir = path.Join(dir, sub)
		a.Skills = append(a.Skills, r)
	}
	a.summarise()
	a.countCodes()
	a.findDuplicates()
	a.countPhrases()
	return a, ctx.Err()
}

// Find returns the folders of view that are skills, and what the walk could not use, as skill.Walk does.
func Find(ctx context.Context, view fsx.View) (dirs []string, problems []skill.Problem) {
	return skill.Walk(func(dir string) (skill.Listing, error) {
		if err := ctx.Err(); err != nil {
			return skill.Listing{}, err
		}
		d, err := view.ReadDir(dir)
		l := skill.Listing{Real: d.Real}
		for _, e := range d.Entries {
			n := skill.Node{Name: e.Name, Linked: e.Link, Err: e.Err}
			switch {
			case e.Err != nil && e.Link:
				n.Kind = skill.Link
			case e.IsDir():
				n.Kind = skill.Dir
			case e.IsFile():
				n.Kind = skill.File
			default:
				n.Kind = skill.Other
			}
			l.Nodes = append(l.Nodes, n)
		}
		return l, err
	})
}

func folderOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func (a *Audit) summarise() {
	s := &a.Summary
	s.Total = len(a.Skills)
	for _, r := range a.Skills {
		s.Valid += count(r.Valid())
		s.Scripts += count(slices.Contains(r.Folders, "scripts"))
		s.References += count(slices.Contains(r.Folders, "references"))
		s.Assets += count(slices.Contains(r.Folders, "assets"))
		s.CommaTools += count(r.has(skill.CodeToolsComma))
		if r.has(skill.CodeDescriptionTooLong) || r.Doc != nil && utf8.RuneCountInString(r.Doc.Description) > skill.MaxDescriptionLength {
			s.OverBudget = append(s.OverBudget, r.Dir)
		}
		if !r.Loads() {
			continue
		}
		s.Loads++
		s.NoWhen += count(!SaysWhen(r.Doc.Description))
		s.DescriptionTokens += Tokens(r.Doc.Name) + Tokens(r.Doc.Description)
		s.BodyTokens += Tokens(r.Doc.BodyText())
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *Report) has(code skill.Code) bool {
	is := func(f skill.Finding) bool { return f.Code == code }
	return r.Doc != nil && slices.ContainsFunc(r.Doc.Findings, is) ||
		slices.ContainsFunc(r.Findings, func(f Finding) bool { return is(f.Finding) })
}

// saysWhen are the words by which descriptions say when a skill is for.
var saysWhen = regexp.MustCompile(`(?i)\b(?:when(?:ever|\s+to)?|trigger(?:s|ed)?|us(?:e|ed|eful)\s+(?:this|it|for|if|to|before|after|as|in|on|with)|` +
	`if\s+(?:the\s+user|you|asked)|for\s+(?:tasks|requests|questions)|invoke)\b|[时時當当]|場合|とき|触发|觸發|使用|适用|適用|경우|때`)

// SaysWhen reports whether a description seems to say when to use the skill, beside what it does.
func SaysWhen(description string) bool { return saysWhen.MatchString(description) }

func (a *Audit) countCodes() {
	at := make(map[skill.Code]int)
	for _, r := range a.Skills {
		here := make(map[skill.Code]bool)
		for _, f := range r.Findings {
			i, ok := at[f.Code]
			if !ok {
				i = len(a.Codes)
				at[f.Code] = i
				a.Codes = append(a.Codes, CodeCount{Code: f.Code, Severity: f.Severity})
			}
			a.Codes[i].Findings++
			a.Codes[i].Skills += count(!here[f.Code])
			a.Codes[i].Severity = min(a.Codes[i].Severity, f.Severity)
			here[f.Code] = true
		}
	}
	slices.SortFunc(a.Codes, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Findings, a.Findings), cmp.Compare(a.Code, b.Code))
	})
}

func (a *Audit) findDuplicates() {
	content, name := make(map[string][]string), make(map[string][]string)
	for _, r := range a.Skills {
		if r.Doc == nil {
			continue
		}
		if body := strings.Join(strings.Fields(r.Doc.BodyText()), " "); body != "" {
			sum := sha256.Sum256([]byte(body))
			content[string(sum[:])] = append(content[string(sum[:])], r.Dir)
		}
		name[r.Doc.Name] = append(name[r.Doc.Name], r.Dir)
	}
	for _, dirs := range content {
		if len(dirs) > 1 {
			a.Duplicates = append(a.Duplicates, Duplicate{Kind: SameContent, Dirs: dirs})
		}
	}
	for n, dirs := range name {
		if len(dirs) > 1 {
			a.Duplicates = append(a.Duplicates, Duplicate{Kind: SameName, Name: n, Dirs: dirs})
		}
	}
	slices.SortFunc(a.Duplicates, func(a, b Duplicate) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Dirs, b.Dirs))
	})
}

// pressing are phrases that press a model to choose a skill instead of saying what it is for.
var pressing = regexp.MustCompile(`(?i)\b(?:always\s+(?:use|invoke|call|run|trigger)|must\s+(?:always\s+)?(?:use|be\s+used|invoke|call|run)|` +
	`you\s+must|mandatory|critical|important:|proactively|never\s+skip|even\s+if|before\s+any(?:thing|\s+other)?|` +
	`(?:use|invoke)\s+this\s+skill\s+(?:first|immediately|for\s+(?:any|all|every)\w*|whenever)|` +
	`do\s+not\s+use\s+(?:any\s+)?other|instead\s+of\s+(?:any\s+)?other\s+skills?|use\s+immediately|any\s+time|at\s+all\s+costs)`)

func (a *Audit) countPhrases() {
	at := make(map[string]int)
	for _, r := range a.Skills {
		if !r.Loads() {
			continue
		}
		here := make(map[string]bool)
		for _, text := range pressing.FindAllString(r.Doc.Description, -1) {
			text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
			i, ok := at[text]
			if !ok {
				i = len(a.Phrases)
				at[text] = i
				a.Phrases = append(a.Phrases, Phrase{Text: text})
			}
			a.Phrases[i].Count++
			a.Phrases[i].Skills += count(!here[text])
			here[text] = true
		}
	}
	slices.SortFunc(a.Phrases, func(a, b Phrase) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
}
