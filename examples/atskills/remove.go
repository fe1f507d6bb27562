package main

import (
	"context"
	"flag"

	"github.com/atskills-go/atskills"
)

const removeHelp = `Usage: atskills remove [--force] [--lines] [--json] <ref>...

Deletes the project's folder for each reference. An unedited copy goes without further ado, since it can be saved
again; it is compared with upstream for that. A copy that is edited or cannot be compared, and your own work, need
--force. Lines of .autotrigger that name the folder are told, and deleted only with --lines.

  --force  remove what nobody could bring back, too; upstream is not asked
  --lines  delete the lines of .autotrigger that name the folder, too
  --json   print one object a reference, one on each line, in the order given

The object: id, dir, origin, revision, date (of the copy's stamp, "" without one), files, absorbed (copies with stamps
of their own that were below it), lines (of .autotrigger that name it, counted from 1), git: null when the project is
no repository, else {same, other, none}: the files of which git has the very bytes, another version, nothing.

A failure is as save --json prints it.
`

// removed is what remove --json prints. Its arrays are never null.
type removed struct {
	ID       string   `json:"id"`
	Dir      string   `json:"dir"`
	Origin   string   `json:"origin"`
	Revision string   `json:"revision"`
	Date     string   `json:"date"`
	Files    []string `json:"files"`
	Absorbed []string `json:"absorbed"`
	Lines    []int    `json:"lines"`
	Git      *gitHas  `json:"git"`
}

type gitHas struct {
	Same  []string `json:"same"`
	Other []string `json:"other"`
	None  []string `json:"none"`
}

// remove deletes folders of the project.
func (h host) remove(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("remove", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	force := flags.Bool("force", false, "")
	lines := flags.Bool("lines", false, "")
	refs, code, ok := parseSome(flags, args, "reference", out)
	if !ok {
		return code
	}
	return h.each(ctx, refs, *asJSON, out, func(ctx context.Context, env atskills.Env, ref string) error {
		r, err := atskills.Remove(ctx, env, ref, atskills.RemoveOptions{Force: *force, Lines: *lines})
		if r == nil {
			return err
		}
		reportRemoved(out, r, *lines && err == nil)
		if *asJSON {
			out.object(newRemoved(r))
		}
		return err
	})
}

// reportRemoved says what a removal did, and what could still be brought back.
func reportRemoved(out *output, r *atskills.Removed, linesToo bool) {
	_ = out.flush() // the error is kept for the end
	out.say("removed %s: %d %s in %s", r.ID.Reference(), len(r.Files), plural(len(r.Files), "file"), r.Dir)
	if r.Origin != nil && !r.Origin.ID.IsZero() {
		out.say("  it was a copy of %s at revision %s", r.Origin.ID.Reference(), r.Origin.Revision)
	}
	for _, id := range r.Absorbed {
		out.say("  and with it %s", id.Reference())
	}
	if g := r.Git; g != nil {
		out.say("  git has %d of the files as they were, %d in another version, %d not at all", len(g.Same), len(g.Other), len(g.None))
	}
	for _, n := range r.Lines {
		if linesToo {
			out.say("  line %d of %s/.autotrigger, which named it, is deleted", n, atskills.Dir)
			continue
		}
		out.say("  warning: line %d of %s/.autotrigger still names it", n, atskills.Dir)
	}
}

func newRemoved(r *atskills.Removed) removed {
	v := removed{ID: r.ID.String(), Dir: r.Dir, Files: list(r.Files), Absorbed: []string{}, Lines: append([]int{}, r.Lines...)}
	if r.Origin != nil {
		v.Origin, v.Revision, v.Date = r.Origin.ID.String(), string(r.Origin.Revision), day(r.Origin.Date)
	}
	for _, id := range r.Absorbed {
		v.Absorbed = append(v.Absorbed, id.String())
	}
	if r.Git != nil {
		v.Git = &gitHas{list(r.Git.Same), list(r.Git.Other), list(r.Git.None)}
	}
	return v
}
