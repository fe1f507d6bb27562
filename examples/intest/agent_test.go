package intest_test

import (
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/examples/intest"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const upstream = `
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

// world is what a test of a harness needs: an environment in memory, an upstream that can be switched off, and a count
// of what it was asked.
func world(t *testing.T) (atskills.Env, *transporttest.Fake, *transporttest.Counter) {
	t.Helper()
	u, err := transporttest.NewUpstream(upstream)
	if err != nil {
		t.Fatal(err)
	}
	fake := transporttest.NewFake(u)
	counter := transporttest.NewCounter(fake)
	return atskills.Env{
		Project: fsx.Locked(memfs.New()), Cache: fsx.Locked(memfs.New()), Transport: counter,
	}, fake, counter
}

func TestTurnReadsReferences(t *testing.T) {
	t.Parallel()
	env, _, counter := world(t)
	agent, err := intest.NewAgent(t.Context(), env, "You are an agent.")
	if err != nil {
		t.Fatal(err)
	}
	got := agent.Turn(t.Context(), "Do @skills:gh:acme/kit/deploy, then @skills:gh:acme/kit/review.")
	for _, want := range []string{"Run the checks, then tag.", "Look twice."} {
		if !strings.Contains(got, want) {
			t.Errorf("the turn lacks %q:\n%s", want, got)
		}
	}
	if n := counter.Counts(); n.Probes != 1 || n.Opens != 1 {
		t.Errorf("asked %+v, want one probe and one listing for both", n)
	}
}

func TestTurnWithoutUpstream(t *testing.T) {
	t.Parallel()
	env, fake, _ := world(t)
	fake.SetOffline(true)
	agent, err := intest.NewAgent(t.Context(), env, "You are an agent.")
	if err != nil {
		t.Fatal(err)
	}
	if got := agent.Turn(t.Context(), "Do @skills:gh:acme/kit/deploy."); !strings.Contains(got, "could not be read") {
		t.Errorf("the model is not told:\n%s", got)
	}
}

func TestSystemFollowsTheTriggers(t *testing.T) {
	t.Parallel()
	env, _, counter := world(t)
	agent, err := intest.NewAgent(t.Context(), env, "You are an agent.")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := agent.System(t.Context()); got != "You are an agent." || err != nil {
		t.Errorf("System = %q, %v", got, err)
	}
	if _, err := atskills.Install(t.Context(), env, "gh:acme/kit/review"); err != nil {
		t.Fatal(err)
	}
	if got, err := agent.System(t.Context()); !strings.Contains(got, "\n- review: Reads a change. (") || err != nil {
		t.Errorf("System = %q, %v", got, err)
	}
	counter.Reset()
	if _, err := agent.System(t.Context()); err != nil || counter.Counts() != (transporttest.Counts{}) {
		t.Errorf("the second block of a session asked %+v, %v", counter.Counts(), err)
	}
}
