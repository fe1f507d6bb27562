package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// Options change what is found. The zero value is the format as written.
type Options struct {
	// AllowFields names top-level fields that are not reported as unknown.
	AllowFields []string
	// UnicodeNames allows letters and digits of every script in a name.
	UnicodeNames bool
	// Severity replaces the severity of findings by code, in the strict reading and for the folder.
	Severity map[skill.Code]skill.Severity
	// Dir is the name of the folder, where the path does not tell: the root of a file system, or a folder that is known
	// under a link's name. Empty means the last segment of the path.
	Dir string
	// File is the spelling of the file to read. Empty means SKILL.md, else whatever is spelled so but for case.
	File string
	// Modeless says that the file system keeps no executable bit, as those of Windows do. Scripts need none then.
	Modeless bool
	// MaxBytes and MaxFiles are what a bundle may have before it is reported. Zero means 10 MiB and 1000 files.
	MaxBytes int64
	MaxFiles int
}

// Finding is one remark about a skill.
type Finding struct {
	skill.Finding
	// Path is the file it is about, slash-separated, relative to the skill's folder.
	Path string
}

// Report is what was found in one skill's folder.
type Report struct {
	// Dir is the folder, as it was asked for.
	Dir string
	// File is the name of the file that was read, "" if there is none.
	File string
	// Doc is the file, nil if there is none. Its findings are those of the lenient reading.
	Doc *skill.Document
	// Source is the file's bytes, at most one more than skill.MaxFile.
	Source []byte
	// Findings are those of the strict reading and of the folder, by path, SKILL.md first, and place.
	Findings []Finding
	// Files and Bytes are the number and size of the regular files, SKILL.md included.
	Files int
	Bytes int64
	// Folders are the names of the folders at the top.
	Folders []string
}

// Valid reports whether no finding is an error.
func (r *Report) Valid() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == skill.SeverityError })
}

// Loads reports whether a client may offer the skill; see skill.Document.Loads.
func (r *Report) Loads() bool { return r.Doc != nil && r.Doc.Loads() }

// Lenient returns the findings of the lenient reading.
func (r *Report) Lenient() []Finding {
	if r.Doc == nil {
		return slices.Clone(r.Findings)
	}
	out := make([]Finding, 0, len(r.Doc.Findings))
	for _, f := range r.Doc.Findings {
		out = append(out, Finding{f, r.File})
	}
	return out
}

// Tokens is the usual estimate of what text costs a model: a token for every four characters, rounded up.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// MaxBodyTokens is how long a body should be at most, by the estimate of [Tokens].
const MaxBodyTokens = 5000

// Validate reads the skill in dir, "" for the root of fsys. Links are followed where they stay inside fsys. A folder
// without a SKILL.md is a finding; the error, which matches fs.ErrNotExist and the like, is about dir itself or ctx.
func Validate(ctx context.Context, fsys billy.Filesystem, dir string, opts Options) (*Report, error) {
	view := fsx.NewView(fsys, dir, true)
	top, err := view.ReadDir("")
	if err != nil {
		return nil, err
	}
	v := &validator{ctx: ctx, view: view, opts: opts, top: top, report: &Report{Dir: dir}}
	v.file()
	v.folder()
	if v.report.Doc != nil {
		v.references()
		v.body()
	}
	v.finish()
	return v.report, ctx.Err()
}

// validator is one call of Validate.
type validator struct {
	ctx    context.Context
	view   fsx.View
	opts   Options
	top    fsx.Dir
	report *Report
	files  map[string]bool // every path in the folder, and whether it is a folder
	cut    bool            // files is not complete
}

func (v *validator) add(file string, line, column int, code skill.Code, fix, format string, args ...any) {
	v.report.Findings = append(v.report.Findings, Finding{Path: file, Finding: skill.Finding{
		Code: code, Severity: severity(code), Line: line, Column: column, Message: fmt.Sprintf(format, args...), Fix: fix,
	}})
}

// file reads SKILL.md.
func (v *validator) file() {
	e, ok := v.find()
	if !ok {
		v.add(skill.SkillFile, 1, 1, CodeFileMissing, "create it", "the folder has no SKILL.md")
		return
	}
	data, _, err := v.view.ReadHead(e.Name, skill.MaxFile+1)
	if err != nil {
		v.add(e.Name, 1, 1, CodeFileUnreadable, "make it a file", "%s cannot be read: %s", quote(e.Name), reason(err))
		return
	}
	r := v.report
	r.File, r.Source = e.Name, data
	r.Doc = skill.Parse(v.dirName(), data, skill.ParseOptions{
		UnicodeNames: v.opts.UnicodeNames, AllowFields: v.opts.AllowFields, FileName: e.Name,
	})
	problems, advice := r.Doc.Strict()
	for _, f := range append(problems, advice...) {
		r.Findings = append(r.Findings, Finding{f, e.Name})
	}
}

// find returns the entry to read: that of the spelling asked for, SKILL.md, or the nearest to it.
func (v *validator) find() (fsx.Entry, bool) {
	want := cmp.Or(v.opts.File, skill.SkillFile)
	var near fsx.Entry
	for _, e := range v.top.Entries {
		if e.Name == want {
			return e, true
		}
		if near.Name == "" && strings.EqualFold(e.Name, want) {
			near = e
		}
	}
	return near, near.Name != ""
}

func (v *validator) dirName() string {
	if v.opts.Dir != "" {
		return v.opts.Dir
	}
	if v.report.Dir == "" {
		return ""
	}
	return path.Base(v.report.Dir)
}

func (v *validator) body() {
	doc := v.report.Doc
	if n := Tokens(doc.BodyText()); n > MaxBodyTokens {
		v.add(v.report.File, doc.BodyLine(), 1, CodeBodyTokens, "move details into files that are read when needed",
			"the body has about %d tokens, more than %d", n, MaxBodyTokens)
	}
}

// finish orders the findings and gives them the severities asked for.
func (v *validator) finish() {
	fs := v.report.Findings
	for i, f := range fs {
		if s, ok := v.opts.Severity[f.Code]; ok {
			fs[i].Severity = s
		}
	}
	other := func(f Finding) int {
		if f.Path == v.report.File {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(other(a), other(b)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
}

// quote cites a name in a message.
func quote(s string) string {
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// reason is an error on one line, without the path that the message names already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	s, _ := skill.OneLine(err.Error())
	return s
}
