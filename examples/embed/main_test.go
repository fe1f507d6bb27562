package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
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

// A message may be long, up to a bound that the error names; the last line needs no line end.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	env := atskills.Env{Project: fsx.Locked(memfs.New()), Transport: transport.Mux{}}
	long := strings.Repeat("x", 200<<10)
	var out, people strings.Builder
	if err := run(t.Context(), env, strings.NewReader(long+"\n\n"+long), &out, &people); err != nil || strings.Count(out.String(), long) != 2 {
		t.Errorf("run with two long messages = %v, %d bytes out", err, out.Len())
	}
	err := run(t.Context(), env, strings.NewReader("hi\n"+strings.Repeat("x", maxMessage+1)), &out, &people)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("run with a message too long = %v", err)
	}
}

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
