package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/signal"
	"strings"
	"time"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport"
)

const saveHelp = `Usage: atskills save [--json] <ref>...

Copies what each gh: or hub: reference addresses into the project, to .atskills/ and the reference's own path, with a
stamp .source that says where it came from. From then on the copy answers for the reference, and it is yours to edit.

Saving again replaces the copy with what upstream has now, but only while it is unedited: equal, file for file, to
upstream at the revision in the stamp. An edited copy, or one that cannot be compared, is a conflict: nothing is
touched, and standard error names the files and the ways out. A folder without a stamp is your own work and is never
touched either. A collection takes over the unedited copies saved below it.

A playlist is saved as a set: each of its rows at the row's own path, in the list's order, with one report of what
landed and what did not. Nothing stands at the playlist's own path. A row that fails does not stop the others.

The references are saved one after the other, in the order given. One failure does not stop the others; the exit code
is then 1.

  --json  print one object a reference, one on each line, in the order given

The object: id, state (new|replaced|unchanged|set), kind (skill|menu), source (github|hub), served (fresh|cached|stale),
revision, dir, path, skills, files, executables, absorbed, set, reviewURL, warnings [{code, message}].

A playlist's state is set, and its set has the rows in order: [{id, name, whole, saved, error}]. saved is the row's own
object, null when it failed; error is null or what stands in a failure's error. Such a set is printed as an object, and
the exit code is 1 all the same. The set of anything else is empty.

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
	Set         []setItem `json:"set"`
	ReviewURL   string    `json:"reviewURL"`
	Warnings    []warning `json:"warnings"`
}

// setItem is a row of a playlist that was saved.
type setItem struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Whole bool     `json:"whole"`
	Saved *saved   `json:"saved"`
	Error *problem `json:"error"`
}

// errReported says that something failed and that the report of it is out.
var errReported = errors.New("reported")

// save copies references into the project.
func (h host) save(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("save", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	refs, code, ok := parseSome(flags, args, "reference", out)
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
		if s.Err() != nil {
			return errReported
		}
		return nil
	})
}

// each runs do for one reference after the other and reports the failures. Those of one repository share a probe (C11).
// The first interrupt ends it in order, a second one at once.
func (h host) each(ctx context.Context, refs []string, asJSON bool, out *output, do func(context.Context, atskills.Env, string) error) int {
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	code := exitOK
	_ = h.quietly(out, func(env atskills.Env) error {
		defer h.tellWaits(out)()
		env.Transport = transport.Memo(env.Transport)
		for _, ref := range refs {
			if err := do(ctx, env, ref); err != nil {
				code = exitFailed
				reportEach(out, ref, err, asJSON)
			}
		}
		return nil // the failures are told, one for each reference
	})
	return code
}

// reportEach tells of one reference's failure, unless that is done.
func reportEach(out *output, ref string, err error, asJSON bool) {
	if errors.Is(err, errReported) {
		return
	}
	reportFailure(out, err)
	if asJSON {
		out.object(newFailure(atskills.Outcome{Ref: ref, Err: err}))
	}
}

// quietly shows progress on a terminal while do runs, and nothing elsewhere.
func (h host) quietly(out *output, do func(atskills.Env) error) error {
	if !isTerminal(out.err) {
		return do(h.env(nil))
	}
	bar := &progress{to: out.err}
	out.drawOn(bar)
	defer out.drawOn(nil)
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
		out.say("  %s: %s", changeWords(f.Change), f.Path)
	}
	for i, way := range waysOut(c) {
		out.say("  %d. %s", i+1, way)
	}
}

func changeWords(c atskills.ChangeKind) string {
	if c == atskills.Mode {
		return "executable bit changed"
	}
	return string(c)
}

// waysOut are the ways out of a conflict as commands (S5).
func waysOut(c *atskills.ConflictError) []string {
	ref := shellWord(c.ID.Reference())
	keep := fmt.Sprintf("keep yours: nothing was touched, and %s goes on answering", c.Dir)
	if c.Op == "remove" {
		return []string{keep, "remove it all the same, and its edits with it: atskills remove --force " + ref}
	}
	base := "what was saved"
	if c.Revision != "" {
		base = "revision " + string(c.Revision)
	}
	theirs := "take theirs"
	if errors.Is(c, atskills.ErrNotFound) || errors.Is(c, atskills.ErrUnreachable) || errors.Is(c, atskills.ErrNoAccess) {
		theirs += ", once upstream has it again" // who removes the copy before that has neither
	}
	return []string{
		keep,
		fmt.Sprintf("%s: atskills remove --force %s, then atskills save %s", theirs, ref, ref),
		fmt.Sprintf("merge: atskills diff %s shows yours and theirs, both with %s as the base", ref, base),
	}
}

// reportSaved says what a save did.
func reportSaved(out *output, s *atskills.Saved) {
	_ = out.flush() // the error is kept for the end
	if s.State == atskills.SavedSet {
		reportSet(out, s)
		return
	}
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

// reportSet says what became of each row of a playlist, and then how many landed.
func reportSet(out *output, s *atskills.Saved) {
	landed := 0
	for _, item := range s.Set {
		if item.Err != nil {
			reportFailure(out, item.Err)
			continue
		}
		landed++
		reportSaved(out, item.Saved)
	}
	out.say("playlist %s: %d of %d %s saved", s.ID.Reference(), landed, len(s.Set), plural(len(s.Set), "row"))
	out.say("  revision %s", s.Revision)
	for _, w := range s.Warnings {
		out.say("  warning: %s", w.Message)
	}
}

func newSaved(s *atskills.Saved) saved {
	v := saved{
		ID: s.ID.String(), State: string(s.State), Kind: string(s.Kind), Source: string(s.Source), Served: string(s.Served),
		Revision: string(s.Revision), Dir: s.Dir, Path: s.Path, Skills: s.Skills, Files: s.Files,
		Executables: list(s.Executables), Absorbed: []string{}, Set: []setItem{}, ReviewURL: s.ReviewURL, Warnings: warnings(s.Warnings),
	}
	for _, id := range s.Absorbed {
		v.Absorbed = append(v.Absorbed, id.String())
	}
	for _, item := range s.Set {
		row := setItem{ID: item.ID.String(), Name: item.Name, Whole: item.Whole}
		if item.Err != nil {
			why := newFailure(atskills.Outcome{Ref: item.ID.Reference(), Err: item.Err}).Error
			row.Error = &why
		} else {
			one := newSaved(item.Saved)
			row.Saved = &one
		}
		v.Set = append(v.Set, row)
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
