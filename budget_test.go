package atskills_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// wire is an upstream that counts what crosses the network.
type wire interface {
	// commit makes files the whole content of acme/kit.
	commit(files map[string]string)
	url() string
	// take returns requests and bytes of answers since the last call, and the connections since the start.
	take() (requests int, bytes int64, connections int)
}

// wires are the in-process server and git's own http-backend (skipped where git is missing).
var wires = map[string]func(t *testing.T) wire{
	"in-process": func(t *testing.T) wire {
		up, err := transporttest.NewUpstream("")
		if err != nil {
			t.Fatal(err)
		}
		s, err := transporttest.NewServer(up)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		up.Create("acme/kit")
		return &ownServer{T: t, up: up, s: s, have: map[string]string{}}
	},
	"http-backend": func(t *testing.T) wire {
		s := gittest.NewServer(t)
		return &gitServer{s, gittest.NewRepo(t, s.Root, "acme/kit")}
	},
}

type ownServer struct {
	*testing.T
	up          *transporttest.Upstream
	s           *transporttest.Server
	have        map[string]string
	commits     int
	connections int
}

func (o *ownServer) url() string { return o.s.URL() }

func (o *ownServer) commit(files map[string]string) {
	changes := make(map[string]transporttest.File)
	for name := range o.have {
		changes[name] = transporttest.File{Deleted: true}
	}
	for name, body := range files {
		changes[name] = transporttest.File{Body: body}
	}
	o.have = maps.Clone(files)
	o.commits++
	if _, err := o.up.Commit("acme/kit", time.Date(2026, 1, o.commits, 0, 0, 0, 0, time.UTC), changes); err != nil {
		o.Fatal(err)
	}
}

func (o *ownServer) take() (int, int64, int) {
	stats := o.s.Stats()
	o.s.ResetStats()
	o.connections += stats.Connections
	sum := stats.Total()
	return sum.Requests, sum.Sent, o.connections
}

type gitServer struct {
	s    *gittest.Server
	repo *gittest.Repo
}

func (g *gitServer) url() string                    { return g.s.URL }
func (g *gitServer) commit(files map[string]string) { g.repo.Commit("main", gittest.Text(files)) }
func (g *gitServer) take() (requests int, bytes int64, connections int) {
	for _, r := range g.s.TakeLog() {
		requests++
		bytes += int64(r.Bytes)
	}
	return requests, bytes, g.s.Connections()
}

// The budgets of a resolve, in requests and bytes, against our own server and git's. They hold the order of F1 too: a
// refusal moves no body.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for name, start := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budgets(t, start(t))
		})
	}
}

func budgets(t *testing.T, up wire) {
	files := map[string]string{"README.md": "cruft"}
	for i := range 20 {
		dir := fmt.Sprintf("skills/s%02d/", i)
		files[dir+"SKILL.md"] = skillText(fmt.Sprintf("s%02d", i), "Numbered.", "Body.")
		files[dir+"ref.md"] = fmt.Sprintf("reference %d", i)
	}
	for i := range 129 {
		files[fmt.Sprintf("many/s%03d/SKILL.md", i)] = skillText("m", "M.", fmt.Sprint(i))
	}
	up.commit(files)
	counter := transporttest.NewCounter(git.New(git.Options{BaseURL: up.url()}))
	env := atskills.Env{Project: memfs.New(), Cache: fsx.Locked(memfs.New()), Transport: counter}
	resolve := func(ref string) (atskills.Served, error) {
		res, err := atskills.Resolve(t.Context(), env, ref)
		if err != nil {
			return "", err
		}
		return res.Served, nil
	}
	expect := func(what string, served, want atskills.Served, requests, bodies int, maxBytes int64) {
		t.Helper()
		gotRequests, bytes, connections := up.take()
		got := counter.Reset()
		t.Logf("%-45s %d requests, %6d bytes, %d bodies", what, gotRequests, bytes, got.Bodies)
		if served != want || gotRequests != requests || got.Bodies != bodies || bytes > maxBytes {
			t.Errorf("%s: served %q with %d requests, %d bodies, %d bytes; want %q with %d, %d, at most %d",
				what, served, gotRequests, got.Bodies, bytes, want, requests, bodies, maxBytes)
		}
		if connections != 1 {
			t.Errorf("%s: %d connections, want 1", what, connections)
		}
	}
	must := func(ref string) atskills.Served {
		t.Helper()
		served, err := resolve(ref)
		if err != nil {
			t.Fatalf("Resolve(%q) error: %v", ref, err)
		}
		return served
	}

	const all = 1 << 20
	expect("cold resolve of one skill", must("gh:acme/kit/skills/s00"), atskills.ServedFresh, 3, 2, all)
	expect("warm resolve, unchanged", must("gh:acme/kit/skills/s00"), atskills.ServedCached, 1, 0, 1024)
	files["README.md"] = "changed"
	up.commit(files)
	expect("HEAD moved, skill unchanged", must("gh:acme/kit/skills/s00"), atskills.ServedCached, 2, 0, all)
	files["skills/s00/ref.md"] = "changed"
	up.commit(files)
	expect("one file of a skill changed", must("gh:acme/kit/skills/s00"), atskills.ServedFresh, 3, 1, all)
	expect("the collection around a cached skill", must("gh:acme/kit/skills"), atskills.ServedFresh, 3, 38, all)
	expect("child of a cached collection, same revision", must("gh:acme/kit/skills/s07"), atskills.ServedCached, 1, 0, 1024)

	_, err := resolve("gh:acme/kit/many")
	if err == nil {
		t.Error("129 skills are not refused")
	}
	expect("refusal over the cap", "", "", 2, 0, all)

	env.Cache = fsx.Locked(memfs.New())
	var refs []string
	for i := range 5 {
		refs = append(refs, fmt.Sprintf("gh:acme/kit/skills/s%02d", i))
	}
	for _, out := range atskills.ResolveAll(t.Context(), env, refs) {
		if out.Err != nil {
			t.Errorf("%s: %v", out.Ref, out.Err)
		}
	}
	expect("five references into one repository", "", "", 3, 10, all)

	write(t, env.Project, map[string]string{".atskills/mine/SKILL.md": skillText("mine", "Mine.", "b")})
	expect("a local skill", must("mine"), atskills.ServedLocal, 0, 0, 0)
}
