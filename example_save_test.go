package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// savable is an upstream with two skills and a playlist, and a project and a cache in memory.
func savable() atskills.Env {
	up, err := transporttest.NewUpstream(`
-- acme/kit/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
Run scripts/run.sh.
-- acme/kit/deploy/scripts/run.sh (executable) --
make ship
-- acme/kit/review/SKILL.md --
---
name: review
description: Reads a change.
---
Look twice.
-- hub:acme/starter/.playlist --
gh:acme/kit/deploy Ships a build.
gh:acme/kit/rewiev Is spelled wrong.
gh:acme/kit/review Reads a change.
`)
	if err != nil {
		panic(err)
	}
	return atskills.Env{
		Project:   fsx.Locked(memfs.New()),
		Cache:     fsx.Locked(memfs.New()),
		Transport: transporttest.NewFake(up),
		Now:       func() time.Time { return time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC) },
	}
}

// A saved skill is the project's from then on; saving it again touches nothing that was edited.
func ExampleSave() {
	ctx, env := context.Background(), savable()
	saved, err := atskills.Save(ctx, env, "gh:acme/kit/deploy")
	if err != nil {
		panic(err)
	}
	fmt.Println(saved.State, saved.Files, "files, executable:", saved.Executables)

	err = fsx.WriteFile(env.Project, ".atskills/gh/acme/kit/deploy/scripts/run.sh", []byte("make check ship\n"), 0o755)
	if err != nil {
		panic(err)
	}
	_, err = atskills.Save(ctx, env, "gh:acme/kit/deploy")
	var conflict *atskills.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println("conflict:", conflict.Files)
	}
	// Output:
	// new 2 files, executable: [scripts/run.sh]
	// conflict: [{scripts/run.sh edited}]
}

// A playlist is saved as a set: each row at its own id's path, with one report of what landed and what did not.
func ExampleSave_playlist() {
	ctx, env := context.Background(), savable()
	saved, err := atskills.Save(ctx, env, "hub:acme/starter")
	if err != nil {
		panic(err)
	}
	for _, row := range saved.Set {
		if row.Err != nil {
			fmt.Println(row.Err)
			continue
		}
		fmt.Println(row.Saved.State, row.ID)
	}
	fmt.Println("all of it:", saved.Err() == nil)
	// Output:
	// new gh:acme/kit/deploy
	// save gh:acme/kit/rewiev: nothing at gh:acme/kit/rewiev: no such folder in gh:acme/kit; there is deploy/, review/; did you mean gh:acme/kit/review
	// new gh:acme/kit/review
	// all of it: false
}

// The stamp says where a copy came from.
func ExampleOrigin() {
	ctx, env := context.Background(), savable()
	if _, err := atskills.Save(ctx, env, "gh:acme/kit/deploy"); err != nil {
		panic(err)
	}
	stamp, err := atskills.Origin(env, "gh:acme/kit/deploy")
	if err != nil {
		panic(err)
	}
	fmt.Println(stamp.ID, stamp.Date.Format(time.DateOnly), len(stamp.Revision))
	// Output: gh:acme/kit/deploy 2026-03-04 40
}

// Which copies were edited since they were saved: upstream tells, at the revisions that their stamps record.
func ExampleVerify() {
	ctx, env := context.Background(), savable()
	for _, ref := range []string{"gh:acme/kit/deploy", "gh:acme/kit/review"} {
		if _, err := atskills.Save(ctx, env, ref); err != nil {
			panic(err)
		}
	}
	if err := env.Project.Remove(".atskills/gh/acme/kit/deploy/scripts/run.sh"); err != nil {
		panic(err)
	}
	copies, err := atskills.Verify(ctx, env)
	if err != nil {
		panic(err)
	}
	for _, c := range copies {
		fmt.Println(c.Stamp.ID, c.State, c.Files)
	}
	// Output:
	// gh:acme/kit/deploy edited [{scripts/run.sh missing}]
	// gh:acme/kit/review unedited []
}

// What changed since a skill was saved, on both sides.
func ExampleDiff() {
	ctx, env := context.Background(), savable()
	if _, err := atskills.Save(ctx, env, "gh:acme/kit/deploy"); err != nil {
		panic(err)
	}
	if err := fsx.WriteFile(env.Project, ".atskills/gh/acme/kit/deploy/notes.md", []byte("Ask first.\n"), 0o644); err != nil {
		panic(err)
	}
	d, err := atskills.Diff(ctx, env, "gh:acme/kit/deploy", atskills.WithText())
	if err != nil {
		panic(err)
	}
	for _, f := range d.Files {
		fmt.Printf("%s: yours %q, theirs %q, %q\n", f.Path, f.Yours, f.Theirs, f.Copy.Text)
	}
	// Output: notes.md: yours "extra", theirs "", "Ask first.\n"
}

// An unedited copy goes without force: it can be saved again.
func ExampleRemove() {
	ctx, env := context.Background(), savable()
	if _, err := atskills.Save(ctx, env, "gh:acme/kit/deploy"); err != nil {
		panic(err)
	}
	removed, err := atskills.Remove(ctx, env, "gh:acme/kit/deploy", atskills.RemoveOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(removed.Files)
	// Output: [SKILL.md scripts/run.sh]
}
