package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

const approveHelp = `Usage: atskills approve [--yes] [--json] <ref> <script>

Tells whether a person has to agree before a script of a skill is run, a file bundled with it: for one from GitHub or a
hub the first time, and again whenever the skill's revision, or the script itself, is another than the one that was
confirmed. What stands in .atskills/ is the project's own and needs none. Shown are the script's path and digest, and
what changed since it was confirmed. What counts is what stands on disk, which is what would run: no network is touched,
so read the skill first.

  --yes   record that a person has agreed to the script as it is shown; the record is kept with the cache
  --json  print one object

The object: id, script, path, source (local|github|hub), revision, sha256, needed, recorded, state (new|same|changed, ""
for the project's own), last {revision, sha256, date} or null, diff, added, removed.

A failure is as get --json prints it, with this code besides:
  script_changed  it was fetched anew or edited while it was shown; nothing was recorded

Exit codes: 0 none is needed or it was recorded, 1 one is needed, or the script cannot be read, 2 wrong usage.
`

// approval is what approve --json prints.
type approval struct {
	ID       string     `json:"id"`
	Script   string     `json:"script"`
	Path     string     `json:"path"`
	Source   string     `json:"source"`
	Revision string     `json:"revision"`
	SHA256   string     `json:"sha256"`
	Needed   bool       `json:"needed"`
	Recorded bool       `json:"recorded"`
	State    string     `json:"state"`
	Last     *confirmed `json:"last"`
	Diff     string     `json:"diff"`
	Added    int        `json:"added"`
	Removed  int        `json:"removed"`
}

type confirmed struct {
	Revision string `json:"revision"`
	SHA256   string `json:"sha256"`
	Date     string `json:"date"`
}

// approve tells whether a script may run without asking, and records that it may.
func (h host) approve(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("approve", flag.ContinueOnError)
	yes := flags.Bool("yes", false, "")
	asJSON := flags.Bool("json", false, "")
	rest, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	if len(rest) != 2 {
		return out.misuse("approve", "want one reference and one script")
	}
	ask := approving{script: path.Clean(rest[1]), yes: *yes, asJSON: *asJSON, out: out}
	return h.each(ctx, rest[:1], *asJSON, out, ask.about)
}

// approving is one call of approve.
type approving struct {
	script      string
	yes, asJSON bool
	out         *output
}

// about tells of the script of the skill at ref.
func (c approving) about(ctx context.Context, env atskills.Env, ref string) error {
	a, err := atskills.NeedsApproval(ctx, env, ref, c.script)
	if miss := (*atskills.NotFoundError)(nil); errors.As(err, &miss) && miss.ID.Scheme() != skill.Local && len(miss.There) == 0 {
		reportEach(c.out, ref, err, c.asJSON)
		c.out.say("  to fetch and read it: atskills get %s", shellWord(miss.ID.Reference()))
		return errReported
	}
	if err != nil {
		return err
	}
	record := a.Needed && c.yes
	if record {
		if err := atskills.Approve(ctx, env, a); err != nil {
			return err
		}
	}
	if c.asJSON {
		c.out.object(newApproval(a, record))
	} else {
		showApproval(c.out, a)
	}
	_ = c.out.flush() // before what is about it; the error is kept for the end
	switch {
	case record:
		c.out.say("recorded: it needs no approval until it or its skill's revision changes")
	case a.Needed:
		c.out.say("not approved; when a person has agreed: atskills approve --yes %s %s", shellWord(a.ID.Reference()), shellWord(c.script))
		return errReported
	}
	return nil
}

// showApproval prints what a person has to know to agree.
func showApproval(out *output, a *atskills.Approval) {
	out.row("%s of %s: %s", a.Script, a.ID.Reference(), approvalWords(a))
	out.row("  path: %s", a.Path)
	out.row("  sha256: %s", a.SHA256)
	if a.Revision != "" {
		out.row("  revision: %s", a.Revision)
	}
	if !a.Needed || a.Last == nil {
		return
	}
	out.row("  confirmed: %s at revision %s, sha256 %s", day(a.Last.Date), a.Last.Revision, a.Last.SHA256)
	if a.State != atskills.ScriptChanged {
		return
	}
	if a.Diff == "" {
		out.row("  what changed cannot be shown")
		return
	}
	out.row("  since then %d %s came and %d went:", a.Added, plural(a.Added, "line"), a.Removed)
	out.print(a.Diff)
}

func approvalWords(a *atskills.Approval) string {
	switch {
	case a.Source == atskills.FromProject:
		return "no approval is needed, it is the project's own"
	case !a.Needed:
		return fmt.Sprintf("no approval is needed, it was confirmed %s", day(a.Last.Date))
	case a.State == atskills.ScriptChanged:
		return "approval is needed, it changed since it was confirmed"
	case a.State == atskills.ScriptSame:
		return "approval is needed, its skill has another revision; the script itself is as it was confirmed"
	}
	return "approval is needed, it was never confirmed"
}

func newApproval(a *atskills.Approval, recorded bool) approval {
	v := approval{
		ID: a.ID.String(), Script: a.Script, Path: a.Path, Source: string(a.Source), Revision: string(a.Revision), SHA256: a.SHA256,
		Needed: a.Needed, Recorded: recorded, State: string(a.State), Diff: a.Diff, Added: a.Added, Removed: a.Removed,
	}
	if a.Last != nil {
		v.Last = &confirmed{string(a.Last.Revision), a.Last.SHA256, day(a.Last.Date)}
	}
	return v
}
