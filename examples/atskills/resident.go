package main

import (
	"context"
	"flag"
	"os/signal"

	"github.com/atskills-go/atskills"
)

const promptHelp = `Usage: atskills prompt [--json]

Prints the resident block: what the lines of .atskills/.autotrigger make a model see in every turn, one row a skill.
Nothing is printed when nothing is resident. Its cost, what a person should know, and how followed skills changed since
this machine last built a block, go to standard error.

  --json  print one object: text, tokens, rows [{id, name, description, path, where (yours|saved|cloud), lines, stale,
          tokens, text}], notes [{line (0: none in particular), id, path, code, message}], drift [{line, followed, id,
          name, change (appeared|vanished|changed), before, after}]
`

const triggersHelp = `Usage: atskills triggers [--json]

Shows each line of .atskills/.autotrigger, which skills it brings into the resident block, and what they cost in tokens.
The total goes to standard error; it is more than the sum, since the block has a header.

  --json  print one object: lines [{line, number, kind (pattern|cloud|comment), skills [{id, name, description, path,
          tokens, where (yours|saved|cloud)}], problems [{code, message}]}], tokens
`

const lintHelp = `Usage: atskills lint [--json]

Tells what is wrong with the lines of .atskills/.autotrigger, and the line that would work. No network is touched. The
exit code is 1 when there is something to tell.

  --json  print one object: problems [{line, code, message, fix, fixAt (the line whose place fix takes)}]
`

// triggered is what triggers --json prints. Its arrays are never null.
type triggered struct {
	Lines  []line `json:"lines"`
	Tokens int    `json:"tokens"`
}

type line struct {
	Line     string    `json:"line"`
	Number   int       `json:"number"`
	Kind     string    `json:"kind"`
	Skills   []brought `json:"skills"`
	Problems []warning `json:"problems"`
}

type brought struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Path        string `json:"path"`
	Tokens      int    `json:"tokens"`
	Where       string `json:"where"`
}

// block is what prompt --json prints. Its arrays are never null.
type block struct {
	Text   string     `json:"text"`
	Tokens int        `json:"tokens"`
	Rows   []blockRow `json:"rows"`
	Notes  []note     `json:"notes"`
	Drift  []drift    `json:"drift"`
}

type blockRow struct {
	brought
	Lines []int  `json:"lines"`
	Stale bool   `json:"stale"`
	Text  string `json:"text"`
}

type note struct {
	Line    int    `json:"line"`
	ID      string `json:"id"`
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type drift struct {
	Line     int    `json:"line"`
	Followed string `json:"followed"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Change   string `json:"change"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

// prompt prints the resident block.
func (h host) prompt(ctx context.Context, args []string, out *output) int {
	b, asJSON, code := h.residency(ctx, "prompt", args, out)
	if b == nil {
		return code
	}
	if asJSON {
		out.object(newBlock(b))
		return exitOK
	}
	if b.Text != "" {
		out.print(b.Text + "\n")
	}
	_ = out.flush() // before what is about it; the error is kept for the end
	sayCost(out, b)
	for _, n := range b.Notes {
		if n.Line > 0 {
			out.say("  line %d: %s", n.Line, n.Message)
			continue
		}
		out.say("  %s", n.Message)
	}
	for _, d := range b.Drift {
		out.say("  line %d: %s %s since the last block", d.Line, d.ID.Reference(), driftWords(d.Change))
	}
	return exitOK
}

func driftWords(c atskills.DriftChange) string {
	if c == atskills.DriftChanged {
		return "changed its description"
	}
	return string(c)
}

// triggers shows what each line of the trigger file brings.
func (h host) triggers(ctx context.Context, args []string, out *output) int {
	b, asJSON, code := h.residency(ctx, "triggers", args, out)
	if b == nil {
		return code
	}
	if asJSON {
		out.object(newTriggered(b))
		return exitOK
	}
	for _, l := range b.Lines {
		if l.Kind == atskills.LineComment {
			continue
		}
		out.row("%d: %s (%d %s, %d tokens)", l.Number, l.Text, len(l.Rows), plural(len(l.Rows), "skill"), l.Tokens)
		for _, i := range l.Rows {
			r := b.Rows[i]
			out.row("    %s: %s (%s, %d tokens)", r.Name, r.Description, r.Where, r.Tokens)
		}
		for _, n := range l.Notes {
			out.row("    ! %s", n.Message)
		}
	}
	_ = out.flush() // before what is about it; the error is kept for the end
	sayCost(out, b)
	return exitOK
}

// sayCost says what the block costs, which is more than its rows do.
func sayCost(out *output, b *atskills.Block) {
	header := ""
	if len(b.Rows) > 0 {
		header = " with the block's header"
	}
	out.say("%d resident %s, %d tokens%s", len(b.Rows), plural(len(b.Rows), "skill"), b.Tokens, header)
}

// residency builds the block for a command that takes no arguments; without a block the command ends with the code.
func (h host) residency(ctx context.Context, name string, args []string, out *output) (b *atskills.Block, asJSON bool, code int) {
	asJSON, code, ok := parseBare(flag.NewFlagSet(name, flag.ContinueOnError), args, out)
	if !ok {
		return nil, asJSON, code
	}
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := h.quietly(out, func(env atskills.Env) (err error) {
		b, err = atskills.Residency(ctx, env)
		return err
	})
	if err != nil {
		return nil, asJSON, failed(out, name, asJSON, err)
	}
	return b, asJSON, exitOK
}

// parseBare is parse for a command that takes no arguments, and --json beside its flags.
func parseBare(flags *flag.FlagSet, args []string, out *output) (asJSON bool, code int, ok bool) {
	flags.BoolVar(&asJSON, "json", false, "")
	code, ok = parseNone(flags, args, out)
	return asJSON, code, ok
}

// failed reports the failure of a command as a whole.
func failed(out *output, name string, asJSON bool, err error) int {
	out.say("atskills %s: %v", name, err)
	if asJSON {
		out.object(newFailure(atskills.Outcome{Err: err}))
	}
	return exitFailed
}

// lint tells what is wrong with the trigger file.
func (h host) lint(ctx context.Context, args []string, out *output) int {
	asJSON, code, ok := parseBare(flag.NewFlagSet("lint", flag.ContinueOnError), args, out)
	if !ok {
		return code
	}
	problems, err := atskills.Lint(ctx, h.env(nil))
	if err != nil {
		return failed(out, "lint", asJSON, err)
	}
	if len(problems) > 0 {
		code = exitFailed
	}
	if asJSON {
		out.object(newLinted(problems))
		return code
	}
	for _, p := range problems {
		out.row("%s/%s:%d: %s (%s)", atskills.Dir, atskills.TriggerFile, p.Line, p.Message, p.Code)
		if p.Fix != "" {
			out.row("  write in place of line %d: %s", p.FixAt, p.Fix)
		}
	}
	return code
}

// linted is what lint --json prints.
type linted struct {
	Problems []lintProblem `json:"problems"`
}

type lintProblem struct {
	Line    int    `json:"line"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
	FixAt   int    `json:"fixAt"`
}

func newLinted(problems []atskills.Problem) linted {
	v := linted{Problems: []lintProblem{}}
	for _, p := range problems {
		v.Problems = append(v.Problems, lintProblem{p.Line, p.Code, p.Message, p.Fix, p.FixAt})
	}
	return v
}

func newBlock(b *atskills.Block) block {
	v := block{Text: b.Text, Tokens: b.Tokens, Rows: []blockRow{}, Notes: []note{}, Drift: []drift{}}
	for _, r := range b.Rows {
		v.Rows = append(v.Rows, blockRow{newBrought(r), append([]int{}, r.Lines...), r.Stale, r.Text})
	}
	for _, n := range b.Notes {
		v.Notes = append(v.Notes, note{n.Line, n.ID.Reference(), n.Path, n.Code, n.Message})
	}
	for _, d := range b.Drift {
		v.Drift = append(v.Drift, drift{d.Line, d.Followed.Reference(), d.ID.Reference(), d.Name, string(d.Change), d.Before, d.After})
	}
	return v
}

func newBrought(r atskills.BlockRow) brought {
	return brought{r.ID.Reference(), r.Name, r.Description, r.Path, r.Tokens, string(r.Where)}
}

func newTriggered(b *atskills.Block) triggered {
	v := triggered{Lines: []line{}, Tokens: b.Tokens}
	for _, l := range b.Lines {
		at := line{Line: l.Text, Number: l.Number, Kind: string(l.Kind), Skills: []brought{}, Problems: []warning{}}
		for _, i := range l.Rows {
			at.Skills = append(at.Skills, newBrought(b.Rows[i]))
		}
		for _, n := range l.Notes {
			at.Problems = append(at.Problems, warning{n.Code, n.Message})
		}
		v.Lines = append(v.Lines, at)
	}
	return v
}
