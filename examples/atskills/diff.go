package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

const diffHelp = `Usage: atskills diff [--json] <ref>

Compares a saved copy with the revision it was saved at, and that with what upstream has now. A summary comes first, a
line for each file that changed: what you did, what they did, and "both" where both did, and not to the same. Then the
changes as text, yours before theirs, in unified form. Nothing is written.

  --json  print the summary as one object

The object: id, dir, head (upstream's revision, "" when it did not answer), stamps [{dir, id, date, revision}],
files [{path, yours, theirs, clash, base, copy, upstream}], warnings [{code, message}]. yours and theirs are "" or
edited, extra, missing, mode; base, copy and upstream are {exists, executable}.

A failure is as save --json prints it.
`

// difference is what diff --json prints. Its arrays are never null.
type difference struct {
	ID       string     `json:"id"`
	Dir      string     `json:"dir"`
	Head     string     `json:"head"`
	Stamps   []stamp    `json:"stamps"`
	Files    []fileDiff `json:"files"`
	Warnings []warning  `json:"warnings"`
}

type stamp struct {
	Dir      string `json:"dir"`
	ID       string `json:"id"`
	Date     string `json:"date"`
	Revision string `json:"revision"`
}

type fileDiff struct {
	Path     string    `json:"path"`
	Yours    string    `json:"yours"`
	Theirs   string    `json:"theirs"`
	Clash    bool      `json:"clash"`
	Base     fileState `json:"base"`
	Copy     fileState `json:"copy"`
	Upstream fileState `json:"upstream"`
}

type fileState struct {
	Exists     bool `json:"exists"`
	Executable bool `json:"executable"`
}

// diff compares a saved copy three ways.
func (h host) diff(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	refs, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	if len(refs) != 1 {
		return out.misuse("diff", "want one reference")
	}
	return h.each(ctx, refs, *asJSON, out, func(ctx context.Context, env atskills.Env, ref string) error {
		var opts []atskills.DiffOption
		if !*asJSON {
			opts = append(opts, atskills.WithText())
		}
		d, err := atskills.Diff(ctx, env, ref, opts...)
		if err != nil {
			return err
		}
		if *asJSON {
			out.object(newDifference(d))
		} else {
			showDifference(out, d)
		}
		for _, w := range d.Warnings {
			out.say("  warning: %s", w.Message)
		}
		return nil
	})
}

// showDifference prints the summary and then the texts.
func showDifference(out *output, d *atskills.Difference) {
	for _, s := range d.Stamps {
		out.print(fmt.Sprintf("%s saved %s at revision %s\n", s.ID.Reference(), cmp.Or(day(s.Date), "some day"), oneLine(string(s.Revision))))
	}
	out.print(fmt.Sprintf("upstream is at %s\n", cmp.Or(oneLine(string(d.Head)), "an unknown revision")))
	if len(d.Files) == 0 {
		out.print("nothing changed\n")
	}
	for _, f := range d.Files {
		out.print(fmt.Sprintf("%-17s %s\n", summary(f), oneLine(f.Path)))
	}
	saved := "saved"
	if len(d.Stamps) == 1 {
		saved += " " + short(d.Stamps[0].Revision)
	}
	for _, f := range d.Files {
		if f.Yours != "" {
			showUnified(out, f.Path, saved, f.Base, "yours", f.Copy)
		}
	}
	for _, f := range d.Files {
		if f.Theirs != "" {
			showUnified(out, f.Path, saved, f.Base, "upstream "+short(d.Head), f.Upstream)
		}
	}
}

// summary says who changed a file, and how.
func summary(f atskills.FileDiff) string {
	switch {
	case f.Clash:
		return fmt.Sprintf("both  %s/%s", f.Yours, f.Theirs)
	case f.Yours != "" && f.Theirs != "":
		return "same  " + string(f.Yours)
	case f.Yours != "":
		return "you   " + string(f.Yours)
	}
	return "they  " + string(f.Theirs)
}

// showUnified prints how a file changed, both sides labelled.
func showUnified(out *output, name, oldLabel string, old atskills.Version, newLabel string, new atskills.Version) {
	name = oneLine(name)
	from, to := fmt.Sprintf("%s (%s)", name, oldLabel), fmt.Sprintf("%s (%s)", name, newLabel)
	if old.Exists && new.Exists && old.Executable != new.Executable {
		out.print(fmt.Sprintf("mode %s: %s, %s: %s\n", from, mode(old), to, mode(new)))
	}
	switch {
	case bytes.Equal(old.Text, new.Text):
	case isText(old.Text) && isText(new.Text):
		_, text, _ := strings.Cut(string(diff.Diff(from, old.Text, to, new.Text)), "\n") // the first line repeats the labels
		out.print(text)
	default:
		out.print(fmt.Sprintf("binary files %s and %s differ\n", from, to))
	}
}

func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

func mode(v atskills.Version) string {
	if v.Executable {
		return "executable"
	}
	return "plain"
}

// short cuts a revision for a label.
func short[T ~string](rev T) string {
	const length = 12
	s := oneLine(string(rev))
	return s[:min(len(s), length)]
}

func oneLine(s string) string {
	s, _ = skill.OneLine(s)
	return s
}

func newDifference(d *atskills.Difference) difference {
	v := difference{ID: d.ID.String(), Dir: d.Dir, Head: string(d.Head), Stamps: []stamp{}, Files: []fileDiff{}, Warnings: warnings(d.Warnings)}
	for _, s := range d.Stamps {
		v.Stamps = append(v.Stamps, stamp{s.Dir, s.ID.String(), day(s.Date), string(s.Revision)})
	}
	for _, f := range d.Files {
		v.Files = append(v.Files, fileDiff{
			f.Path, string(f.Yours), string(f.Theirs), f.Clash,
			fileState{f.Base.Exists, f.Base.Executable}, fileState{f.Copy.Exists, f.Copy.Executable}, fileState{f.Upstream.Exists, f.Upstream.Executable},
		})
	}
	return v
}
