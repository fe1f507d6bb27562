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

const skillsHelp = `Usage: atskills skills [-i] [--json]

Shows the project's skills as a tree, with what is resident and why, and the lines that follow cloud ids:

  [x] has a line of its own        [~] a folder, of which a part is resident
  [#] covered by another line      [ ] off

The last line is the budget: how many skills are resident, and what they cost in every turn. No network is touched; of
followed ids the cache tells what they hold.

  -i      on a terminal: move with the arrow keys or j and k, toggle with space, see the resident block with p,
          leave with q
  --json  print one object: rows [{kind (dir|skill|cloud|broken), key, id, display, depth, state
          (on|covered|partly|off), line, lineText, origin, name, description, path, skills, on, tokens, onTokens,
          hidden, warnings [{code, message}]}], skills, on, tokens, warnings
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
	t, err := atskills.ReadTree(ctx, h.env(nil))
	if err != nil {
		return failed(out, "skills", asJSON, err)
	}
	if asJSON {
		out.object(newTree(t))
		return exitOK
	}
	for _, r := range t.Rows {
		out.row("%s", rowText(r))
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

// rowText is one row of the tree as a person sees it.
func rowText(r atskills.Row) string {
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

// budgetText says what is resident and what it costs.
func budgetText(t *atskills.Tree) string {
	return fmt.Sprintf("%d resident of %d in the project, %d tokens in every turn; advised are %d skills at most", t.On, t.Skills, t.Tokens, atskills.AdvisedSkills)
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

func newTree(t *atskills.Tree) tree {
	v := tree{Rows: []treeRow{}, Skills: t.Skills, On: t.On, Tokens: t.Tokens, Warnings: warnings(t.Warnings)}
	for _, r := range t.Rows {
		v.Rows = append(v.Rows, treeRow{
			Kind: string(r.Kind), Key: r.Key, ID: r.ID.Reference(), Display: r.Display, Depth: r.Depth, State: string(r.State),
			Line: r.Line, LineText: r.LineText, Origin: r.Origin, Name: r.Name, Description: r.Description, Path: r.Path,
			Skills: r.Skills, On: r.On, Tokens: r.Tokens, OnTokens: r.OnTokens, Hidden: r.Hidden, Warnings: warnings(r.Warnings),
		})
	}
	return v
}
