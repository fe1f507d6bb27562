package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const archive = `
-- acme/kit/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
Run the checks, then tag.
-- acme/kit/review/SKILL.md --
---
name: review
description: Reads a change.
---
Look twice.
`

// A session of four turns, word for word: a skill is read, and not a second time; one is installed and stands in the
// block of the next turn; a miss says what was meant. Upstream is asked once.
func TestSession(t *testing.T) {
	t.Parallel()
	up, err := transporttest.NewUpstream(archive)
	if err != nil {
		t.Fatal(err)
	}
	counter := transporttest.NewCounter(transporttest.NewFake(up))
	env := atskills.Env{Project: fsx.Locked(memfs.New()), Cache: fsx.Locked(memfs.New()), Transport: counter}
	in := strings.NewReader(`Ship it as @skills:gh:acme/kit/deploy says.
Once more, by @skills:gh:acme/kit/deploy, please.
From now on @skills:gh:acme/kit/review:install is to be there.
What does @skills:gh:acme/kit/revue say?
`)
	var out, people strings.Builder
	if err := run(t.Context(), env, in, &out, &people); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/session.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()+"=== people\n"+people.String()); diff != "" {
		t.Errorf("testdata/session.txt (-want +got):\n%s", diff)
	}
	if n := counter.Counts(); n.Probes != 1 {
		t.Errorf("%d probes, want one for the session", n.Probes)
	}
}
