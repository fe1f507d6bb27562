package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
)

// triggers is the part of the tour about what fires on its own.
func (t *tour) triggers(ctx context.Context) error {
	if err := t.write(".atskills/team/review", "review", "Reads a change. Use before a merge."); err != nil {
		return err
	}
	if err := t.write(".atskills/team/flows/hotfix", "hotfix", "Fixes what is on fire."); err != nil {
		return err
	}
	if err := t.write(".atskills/team/flows/retro", "retro", "Looks back on a release."); err != nil {
		return err
	}

	t.title("Installed: one line in .atskills/.autotrigger, and only that costs prompt; a folder's line ends in a slash")
	t.change(ctx, "install", "gh:acme/skills/deploy", atskills.Install)
	t.change(ctx, "install", "gh:acme/skills/writing", atskills.Install)
	t.change(ctx, "install", "team", atskills.Install)

	t.title("The resident block: one string for the system prompt, and what it costs in every turn")
	session := t.env
	session.Transport = transport.Memo(t.counter)
	t.block(ctx, session)

	t.title("One of the folder's skills is turned off: its line is split into lines for all that stays on")
	t.change(ctx, "toggle", "team/flows/hotfix", atskills.Toggle)

	t.title("The block is built again in the same session: nobody is asked")
	t.block(ctx, session)

	t.title("Uninstalled: the line goes, and the block with it; reading by reference goes on as before")
	t.change(ctx, "uninstall", "gh:acme/skills/writing", atskills.Uninstall)
	t.change(ctx, "uninstall", "gh:acme/skills/deploy", atskills.Uninstall)
	return nil
}

// write makes a skill of the project's own.
func (t *tour) write(dir, name, description string) error {
	text := fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nDo it well.\n", name, description)
	return fsx.WriteFile(t.env.Project, dir+"/"+atskills.SkillFile, []byte(text), 0o644)
}

// change edits the trigger file and prints which lines came and went.
func (t *tour) change(ctx context.Context, verb, what string, do func(context.Context, atskills.Env, string) (*atskills.Change, error)) {
	t.begin(verb + " " + what)
	c, err := do(ctx, t.env, what)
	var refused *atskills.ToggleError
	switch {
	case errors.As(err, &refused):
		t.printf("   refused: %s\n", refused.Reason)
	case err != nil:
		t.failure(err)
	default:
		t.printf("   %s\n", c.Note)
	}
	t.cost()
}

// block prints the resident block.
func (t *tour) block(ctx context.Context, env atskills.Env) {
	t.begin("the block")
	b, err := atskills.Residency(ctx, env)
	if err != nil {
		t.failure(err)
	} else {
		for line := range strings.Lines(b.Text) {
			t.printf("   | %s\n", strings.TrimSuffix(line, "\n"))
		}
		t.printf("   %s, %d tokens\n", count(len(b.Rows), "skill", "skills"), b.Tokens)
		for _, n := range b.Notes {
			t.printf("   note: %s\n", n.Message)
		}
	}
	t.cost()
}
