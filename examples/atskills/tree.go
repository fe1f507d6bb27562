package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

const skillsHelp = `Usage: atskills skills [-i] [--edited] [--json]

Shows the project's skills as a tree, with what is resident and why, and the lines that follow cloud ids:

  [x] has a line of its own        [~] a folder, of which a part is resident
  [#] covered by another line      [ ] off

The last line is the budget: how many skills are resident, the project's own and those of followed ids, and what the
resident block costs in every turn, its header included. No network is touched; of followed ids the cache tells what
they hold.

  -i        on a terminal: move with the arrow keys or j and k, toggle with space, see the resident block with p,
            leave with q
  --edited  ask upstream which saved copies were edited since they were saved, and mark them
  --json    print one object: rows [{kind (dir|skill|cloud|broken), key, id, display, depth, state
            (on|covered|partly|off), line, lineText, origin, copy (unedited|edited|unverifiable, with --edited), name,
            description, path, skills, on, tokens, onTokens, hidden, warnings [{code, message}]}], skills, on, tokens,
            warnings
`

// tree is what skills --json prints. Its arrays are never null.
type tree struct {
	Rows     []treeRow `json:"rows"`
	Skills   int       `json:"skills"`
	On       int       `json:"on"`
	Tokens   int       `json:"tokens"`
	Warnings []warning `json:"warnings"`
}

type treeRow struct {
	Kind        string    `json:"kind"`
	Key         string    `json:"key"`
	ID          string    `json:"id"`
	Display     string    `json:"display"`
	Depth       int       `json:"depth"`
	State       string    `json:"state"`
	Line        int       `json:"line"`
	LineText    string    `json:"lineText"`
	Origin      string    `json:"origin"`
	Copy        string    `json:"copy"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Path        string    `json:"path"`
	Skills      int       `json:"skills"`
	On          int       `json:"on"`
	Tokens      int       `json:"tokens"`
	OnTokens    int       `json:"onTokens"`
	Hidden      int       `json:"hidden"`
	Warnings    []warning `json:"warnings"`
}

// skills shows the tree, or lets a person work on it.
func (h host) skills(ctx context.Context, args []string, stdin io.Reader, out *output) int {
	flags := flag.NewFlagSet("skills", flag.ContinueOnError)
	interactive := flags.Bool("i", false, "")
	edited := flags.Bool("edited", false, "")
	asJSON, code, ok := parseBare(flags, args, out)
	if !ok {
		return code
	}
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	if *interactive {
		return h.browse(ctx, stdin, out)
	}
	var copies copyStates
	t, err := atskills.ReadTree(ctx, h.env(nil))
	if err == nil && *edited {
		copies, err = h.copies(ctx, out)
	}
	if err != nil {
		return failed(out, "skills", asJSON, err)
	}
	if asJSON {
		out.object(newTree(t, copies))
		return exitOK
	}
	for _, r := range t.Rows {
		out.row("%s", rowText(r, copies.of(r)))
	}
	out.row("%s", budgetText(t))
	_ = out.flush() // before what is about it; the error is kept for the end
	for _, r := range t.Rows {
		for _, w := range r.Warnings {
			out.say("%s: %s", r.Key, w.Message)
		}
	}
	for _, w := range t.Warnings {
		out.say("%s", w.Message)
	}
	return exitOK
}

// copyStates tells what became of saved copies, by their folders.
type copyStates map[string]atskills.CopyState

// of is the state of the copy that r belongs to, "" when it is none or was not asked about.
func (c copyStates) of(r atskills.Row) atskills.CopyState {
	if r.Stamp == nil {
		return ""
	}
	return c[r.Stamp.Dir]
}

// copies asks upstream which copies were edited. What cannot be compared is told.
func (h host) copies(ctx context.Context, out *output) (copyStates, error) {
	var all []atskills.Copy
	err := h.quietly(out, func(env atskills.Env) (err error) {
		all, err = atskills.Verify(ctx, env)
		return err
	})
	states := copyStates{}
	for _, c := range all {
		states[c.Stamp.Dir] = c.State
		if c.State == atskills.CopyUnverifiable {
			out.say("%s: cannot be compared: %s", c.Dir, c.Reason)
		}
	}
	return states, err
}

// rowText is one row of the tree as a person sees it. State is that of the copy it belongs to, where that is known.
func rowText(r atskills.Row, state atskills.CopyState) string {
	text := r.State.Mark() + " " + r.Display
	if r.Kind == atskills.RowDir && !strings.HasSuffix(text, "/") {
		text += "/"
	}
	var about []string
	if r.Kind != atskills.RowSkill && r.Kind != atskills.RowBroken {
		about = append(about, fmt.Sprintf("%d of %d %s", r.On, r.Skills, plural(r.Skills, "skill")))
	}
	if r.Kind != atskills.RowBroken {
		about = append(about, fmt.Sprintf("%d tokens", r.Tokens))
	}
	if r.Kind == atskills.RowSkill && r.Origin != "yours" {
		about = append(about, r.Origin)
	}
	if state != "" {
		about = append(about, string(state))
	}
	if r.Line > 0 && r.State != atskills.StateOn {
		about = append(about, fmt.Sprintf("line %d: %s", r.Line, r.LineText))
	}
	if r.Hidden > 0 {
		about = append(about, fmt.Sprintf("%d more inside, by their own paths", r.Hidden))
	}
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	if r.Description != "" {
		text += ": " + r.Description
	}
	text, _ = skill.OneLine(text)
	return strings.Repeat("  ", r.Depth) + text
}

// budgetText says what is resident, whose it is and what it costs.
func budgetText(t *atskills.Tree) string {
	own := 0
	for _, r := range t.Rows {
		if r.Kind == atskills.RowSkill && r.OnTokens > 0 {
			own++
		}
	}
	return fmt.Sprintf("%d resident (%d of the project's %d, %d followed), %d tokens in every turn; at most %d are advised",
		t.On, own, t.Skills, t.On-own, t.Tokens, atskills.AdvisedSkills)
}

// browse lets a person work on the tree with single keys.
func (h host) browse(ctx context.Context, stdin io.Reader, out *output) int {
	in, inOK := stdin.(*os.File)
	if !inOK || !isTerminal(in) || !out.terminal {
		out.say("atskills skills: -i needs a terminal; without it the tree is printed")
		return exitUsage
	}
	b := &browser{ctx: ctx, env: h.env(nil)}
	if err := b.reload(); err != nil {
		return failed(out, "skills", false, err)
	}
	if err := onScreen(ctx, in, os.Stdout, b); err != nil {
		return failed(out, "skills", false, err)
	}
	return exitOK
}

func newTree(t *atskills.Tree, copies copyStates) tree {
	v := tree{Rows: []treeRow{}, Skills: t.Skills, On: t.On, Tokens: t.Tokens, Warnings: warnings(t.Warnings)}
	for _, r := range t.Rows {
		v.Rows = append(v.Rows, treeRow{
			Kind: string(r.Kind), Key: r.Key, ID: r.ID.Reference(), Display: r.Display, Depth: r.Depth, State: string(r.State),
			Line: r.Line, LineText: r.LineText, Origin: r.Origin, Copy: string(copies.of(r)), Name: r.Name, Description: r.Description, Path: r.Path,
			Skills: r.Skills, On: r.On, Tokens: r.Tokens, OnTokens: r.OnTokens, Hidden: r.Hidden, Warnings: warnings(r.Warnings),
		})
	}
	return v
}
