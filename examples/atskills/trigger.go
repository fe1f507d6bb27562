package main

import (
	"context"
	"errors"
	"flag"

	"github.com/atskills-go/atskills"
)

const changeHelp = `
The object: id, row (of a row that no id addresses), written and removed [{number, text}], note, warnings
[{code, message}]. A failure is as get --json prints it, with these codes besides:
  not_loadable  skill, findings [{code, message, line}]
  not_toggled   line {number, text} (number 0 when no line is in the way), covered, fix (a line that would do it, or "")
  locked        another program holds .atskills/.autotrigger.lock, or a crash left it behind
`

const installHelp = `Usage: atskills install [--json] <ref>...

Makes what each reference addresses fire on its own in every session, by one line in .atskills/.autotrigger: the path of
one of the project's skills or folders, or "@" and a gh: or hub: id, with a slash behind it for a whole folder. What
fires already is left as it is. A skill without a name or description that can be shown is refused. Standard error
says which lines were written.

  --json  print one object a reference, one on each line, in the order given
` + changeHelp

const uninstallHelp = `Usage: atskills uninstall [--json] <ref>...

Removes the lines of .atskills/.autotrigger that name what each reference addresses. No such line is no failure. What
fires all the same, through a pattern or a folder's line, is told. No network is touched.

  --json  print one object a reference, one on each line, in the order given
` + changeHelp

const toggleHelp = `Usage: atskills toggle [--json] <row>...

Turns one row of "atskills skills" on or off, and nothing else: a skill's or folder's path below .atskills, a followed
id, or line:<number> for another line. To turn off what a folder's line covers, that line is split into lines for all
that stays on. A row that a pattern covers is refused, and the line to edit named. No network is touched.

  --json  print one object a row, one on each line, in the order given
` + changeHelp

// change is what install, uninstall and toggle print with --json. Its arrays are never null.
type change struct {
	ID       string        `json:"id"`
	Row      string        `json:"row"`
	Written  []triggerLine `json:"written"`
	Removed  []triggerLine `json:"removed"`
	Note     string        `json:"note"`
	Warnings []warning     `json:"warnings"`
}

type triggerLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

func (h host) install(ctx context.Context, args []string, out *output) int {
	return h.edit(ctx, "install", "reference", args, out, atskills.Install)
}

func (h host) uninstall(ctx context.Context, args []string, out *output) int {
	return h.edit(ctx, "uninstall", "reference", args, out, atskills.Uninstall)
}

func (h host) toggle(ctx context.Context, args []string, out *output) int {
	return h.edit(ctx, "toggle", "row", args, out, atskills.Toggle)
}

// edit runs a command that edits the trigger file for each of its arguments, which are of the kind that what names.
func (h host) edit(ctx context.Context, name, what string, args []string, out *output,
	do func(context.Context, atskills.Env, string) (*atskills.Change, error)) int {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	refs, code, ok := parseSome(flags, args, what, out)
	if !ok {
		return code
	}
	return h.each(ctx, refs, *asJSON, out, func(ctx context.Context, env atskills.Env, ref string) error {
		c, err := do(ctx, env, ref)
		if err != nil {
			return err
		}
		_ = out.flush() // the error is kept for the end
		out.say("%s: %s", ref, c.Note)
		for _, w := range c.Warnings {
			out.say("  warning: %s", w.Message)
		}
		if *asJSON {
			out.object(newChange(c))
		}
		return nil
	})
}

func newChange(c *atskills.Change) change {
	return change{
		ID: c.ID.String(), Row: c.Row, Written: triggerLines(c.Written), Removed: triggerLines(c.Removed),
		Note: c.Note, Warnings: warnings(c.Warnings),
	}
}

func triggerLines(lines []atskills.TriggerLine) []triggerLine {
	out := []triggerLine{}
	for _, l := range lines {
		out = append(out, triggerLine(l))
	}
	return out
}

// notLoadable is what a refused install adds to a failure.
type notLoadable struct {
	Skill    string           `json:"skill"`
	Findings []loadingProblem `json:"findings"`
}

type loadingProblem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line"`
}

// notToggled is what a refused toggle adds to a failure.
type notToggled struct {
	Line    triggerLine `json:"line"`
	Covered bool        `json:"covered"`
	Fix     string      `json:"fix"`
}

// addTriggerDetails takes over the fields of the errors that editing the trigger file has, and reports whether err is one.
func (p *problem) addTriggerDetails(err error) bool {
	var unloadable *atskills.NotLoadableError
	var stuck *atskills.ToggleError
	switch {
	case errors.As(err, &unloadable):
		p.Code, p.notLoadable = "not_loadable", &notLoadable{unloadable.Skill.Reference(), []loadingProblem{}}
		for _, f := range unloadable.Findings {
			p.Findings = append(p.Findings, loadingProblem{string(f.Code), f.Message, f.Line})
		}
	case errors.As(err, &stuck):
		p.Code, p.notToggled = "not_toggled", &notToggled{triggerLine(stuck.Line), stuck.Covered, stuck.Fix}
	default:
		return false
	}
	return true
}
