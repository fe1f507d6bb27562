package main

import (
	"context"
	"errors"
	"flag"
	"os/signal"
	"strings"
	"time"

	"github.com/atskills-go/atskills"
)

const saveHelp = `Usage: atskills save [--json] <ref>...

Copies what each gh: or hub: reference addresses into the project, to .atskills/ and the reference's own path, with a
stamp .source that says where it came from. From then on the copy answers for the reference, and it is yours to edit.

Saving again replaces the copy with what upstream has now, but only while it is unedited: equal, file for file, to
upstream at the revision in the stamp. An edited copy, or one that cannot be compared, is a conflict: nothing is
touched, and standard error names the files and the ways out. A folder without a stamp is your own work and is never
touched either. A collection takes over the unedited copies saved below it.

The references are saved one after the other, in the order given. One failure does not stop the others; the exit code
is then 1.

  --json  print one object a reference, one on each line, in the order given

The object: id, state (new|replaced|unchanged), kind (skill|menu), source (github|hub), served (fresh|cached|stale),
revision, dir, path, skills, files, executables, absorbed, reviewURL, warnings [{code, message}].

A failure is as get --json prints it, with these codes besides:
  conflict  dir, origin, revision, date, reason, files [{path, change (edited|extra|missing|mode)}], waysOut
  own_work
  names     names: those that the project's file system cannot hold
`

// saved is what save --json prints. Its arrays are never null.
type saved struct {
	ID          string    `json:"id"`
	State       string    `json:"state"`
	Kind        string    `json:"kind"`
	Source      string    `json:"source"`
	Served      string    `json:"served"`
	Revision    string    `json:"revision"`
	Dir         string    `json:"dir"`
	Path        string    `json:"path"`
	Skills      int       `json:"skills"`
	Files       int       `json:"files"`
	Executables []string  `json:"executables"`
	Absorbed    []string  `json:"absorbed"`
	ReviewURL   string    `json:"reviewURL"`
	Warnings    []warning `json:"warnings"`
}

// save copies references into the project.
func (h host) save(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("save", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	refs, code, ok := parseRefs(flags, args, out)
	if !ok {
		return code
	}
	return h.each(ctx, refs, *asJSON, out, func(ctx context.Context, env atskills.Env, ref string) error {
		s, err := atskills.Save(ctx, env, ref)
		if err != nil {
			return err
		}
		reportSaved(out, s)
		if *asJSON {
			out.object(newSaved(s))
		}
		return nil
	})
}

// each runs do for one reference after the other and reports the failures. The first interrupt ends it in order, a
// second one at once.
func (h host) each(ctx context.Context, refs []string, asJSON bool, out *output, do func(context.Context, atskills.Env, string) error) int {
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	code := exitOK
	for _, ref := range refs {
		err := h.quietly(out, func(env atskills.Env) error { return do(ctx, env, ref) })
		if err == nil {
			continue
		}
		code = exitFailed
		reportFailure(out, err)
		if asJSON {
			out.object(newFailure(atskills.Outcome{Ref: ref, Err: err}))
		}
	}
	return code
}

// quietly shows progress on a terminal while do runs, and nothing elsewhere.
func (h host) quietly(out *output, do func(atskills.Env) error) error {
	if !isTerminal(out.err) {
		return do(h.env(nil))
	}
	bar := &progress{to: out.err}
	defer bar.clear()
	return do(h.env(bar))
}

// reportFailure says why something was refused; a conflict takes more lines than one.
func reportFailure(out *output, err error) {
	var c *atskills.ConflictError
	if !errors.As(err, &c) {
		out.say("atskills: %v", err)
		return
	}
	out.say("atskills: %s %s: %s", c.Op, c.ID.Reference(), c.Reason)
	for i, f := range c.Files {
		if i == maxListed {
			out.say("  and %d more", len(c.Files)-i)
			break
		}
		out.say("  %s: %s", f.Change, f.Path)
	}
	for i, way := range c.WaysOut() {
		out.say("  %d. %s", i+1, way)
	}
}

// reportSaved says what a save did.
func reportSaved(out *output, s *atskills.Saved) {
	_ = out.flush() // the error is kept for the end
	out.say("%s %s: %s, %d %s in %s", s.Kind, s.ID.Reference(), map[atskills.SaveState]string{
		atskills.SavedNew:       "saved",
		atskills.SavedReplaced:  "replaced by what upstream has now",
		atskills.SavedUnchanged: "unchanged, the copy is what upstream has now",
	}[s.State], s.Files, plural(s.Files, "file"), s.Dir)
	out.say("  revision %s", s.Revision)
	if len(s.Executables) > 0 {
		out.say("  executable: %s", strings.Join(s.Executables, ", "))
	}
	for _, id := range s.Absorbed {
		out.say("  took over %s", id.Reference())
	}
	if s.ReviewURL != "" {
		out.say("  review at %s", s.ReviewURL)
	}
	for _, w := range s.Warnings {
		out.say("  warning: %s", w.Message)
	}
}

func newSaved(s *atskills.Saved) saved {
	v := saved{
		ID: s.ID.String(), State: string(s.State), Kind: string(s.Kind), Source: string(s.Source), Served: string(s.Served),
		Revision: string(s.Revision), Dir: s.Dir, Path: s.Path, Skills: s.Skills, Files: s.Files,
		Executables: list(s.Executables), Absorbed: []string{}, ReviewURL: s.ReviewURL, Warnings: warnings(s.Warnings),
	}
	for _, id := range s.Absorbed {
		v.Absorbed = append(v.Absorbed, id.String())
	}
	return v
}

func warnings(all []atskills.Warning) []warning {
	out := []warning{}
	for _, w := range all {
		out = append(out, warning{w.Code, w.Message})
	}
	return out
}

// conflict is what a conflict adds to a failure.
type conflict struct {
	Dir      string       `json:"dir"`
	Origin   string       `json:"origin"`
	Revision string       `json:"revision"`
	Date     string       `json:"date"`
	Reason   string       `json:"reason"`
	Files    []fileChange `json:"files"`
	WaysOut  []string     `json:"waysOut"`
}

type fileChange struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

// names is what names that cannot be held add to a failure.
type names struct {
	Names []string `json:"names"`
}

func newConflict(e *atskills.ConflictError) *conflict {
	c := &conflict{
		Dir: e.Dir, Origin: e.Origin.String(), Revision: string(e.Revision), Date: day(e.Date), Reason: e.Reason,
		Files: []fileChange{}, WaysOut: list(e.WaysOut()),
	}
	for _, f := range e.Files {
		c.Files = append(c.Files, fileChange{f.Path, string(f.Change)})
	}
	return c
}

// day spells a date, "" when it is not known.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
