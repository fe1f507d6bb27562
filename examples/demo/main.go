// Command demo shows what a reference costs. It walks through the life of one: first use, a menu, a warm use, a change
// upstream, an outage, a refusal, a copy of one's own, the lines that make skills fire on their own, and a team's hub. The
// upstreams are a git server and a hub in this process, the project and the cache stand in a temporary directory; no
// network is needed, and neither the home directory nor the environment is read.
//
//	go run ./examples/demo
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

//go:embed upstream.txtar
var archive string

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

// run takes the tour and writes it to w.
func run(ctx context.Context, w io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "atskills-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	upstream, err := transporttest.NewUpstream(archive)
	if err != nil {
		return err
	}
	server, err := transporttest.NewServer(upstream)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	mirror, err := startMirror()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mirror.close()) }()
	client, err := mirror.client()
	if err != nil {
		return err
	}

	// What a host sets up. The real one takes fsx.UserCache and upstream.Default; the counter is for the demo alone.
	counter := transporttest.NewCounter(transport.Mux{GitHub: git.New(git.Options{BaseURL: server.URL()}), Hub: client})
	t := &tour{w: w, server: server, mirror: mirror, counter: counter, env: atskills.Env{
		Project:   fsx.OS(filepath.Join(dir, "project")),
		Cache:     fsx.OS(filepath.Join(dir, "cache")),
		Transport: counter,
		Now:       func() time.Time { return time.Date(2026, 2, 2, 10, 0, 0, 0, time.UTC) },
	}}
	t.printf("The project and the cache stand in %s, the upstream answers at %s.\n", dir, server.URL())
	return t.walk(ctx)
}

// walk is the tour, in order.
func (t *tour) walk(ctx context.Context) error {
	t.title("A reference to one skill: a probe, a listing without bodies, the bodies of that skill")
	t.resolve(ctx, "@skills:gh:acme/skills/deploy")

	t.title("A directory is a menu, and each row a reference; the files of deploy are there already")
	t.resolve(ctx, "@skills:gh:acme/skills")

	t.title("A warm use: upstream is asked whether anything changed, and that is all")
	t.resolve(ctx, "@skills:gh:acme/skills/deploy")

	t.title("Upstream changes one file: one body moves, and the result is whole")
	if err := t.commit(); err != nil {
		return err
	}
	t.resolve(ctx, "@skills:gh:acme/skills/deploy")

	t.title("Upstream is gone: the cached copy answers, and says so")
	if err := t.server.SetOffline(true); err != nil {
		return err
	}
	t.resolve(ctx, "@skills:gh:acme/skills/deploy")

	t.title("Nothing cached and upstream gone: an error that says why")
	t.resolve(ctx, "@skills:gh:acme/catalog")
	if err := t.server.SetOffline(false); err != nil {
		return err
	}

	t.title("More skills than one reference may cover: refused before any body moves, with what would fit")
	if err := t.fill("acme/catalog"); err != nil {
		return err
	}
	t.resolve(ctx, "@skills:gh:acme/catalog")

	t.title("Saved: the files are copied into the project, with a stamp that says where they came from")
	t.save(ctx, "gh:acme/skills/deploy")

	t.title("From now on the project's copy answers, and nobody is asked")
	t.resolve(ctx, "@skills:gh:acme/skills/deploy")

	t.title("The copy is edited: saving again compares it by its hashes, and touches nothing")
	if err := t.edit(".atskills/gh/acme/skills/deploy/SKILL.md", "4. Open a bottle.\n"); err != nil {
		return err
	}
	t.save(ctx, "gh:acme/skills/deploy")

	if err := t.triggers(ctx); err != nil {
		return err
	}
	t.hub(ctx)
	return nil
}

// edit adds a line to a file of the project, as its owner would.
func (t *tour) edit(name, line string) error {
	data, err := fsx.ReadFile(t.env.Project, name, 1<<20)
	if err != nil {
		return err
	}
	return fsx.WriteFile(t.env.Project, name, append(data, line...), 0o644)
}

// commit adds a commit upstream that touches one file of one skill.
func (t *tour) commit() error {
	const path = "deploy/SKILL.md"
	files, err := t.server.Files("acme/skills", t.server.Tip("acme/skills"))
	if err != nil {
		return err
	}
	_, err = t.server.Commit("acme/skills", time.Time{}, map[string]transporttest.File{
		path: {Body: files[path].Body + "3. Tell the others.\n"},
	})
	return err
}

// fill makes a repository with more skills than the cap allows.
func (t *tour) fill(repo string) error {
	files := make(map[string]transporttest.File)
	for name, count := range map[string]int{"legal": 90, "sales": 50, "travel": 4} {
		for i := range count {
			path := fmt.Sprintf("%s/task-%02d/SKILL.md", name, i+1)
			body := fmt.Sprintf("---\nname: task-%02d\ndescription: Number %d of %s.\n---\nDo it.\n", i+1, i+1, name)
			files[path] = transporttest.File{Body: body}
		}
	}
	_, err := t.server.Commit(repo, time.Time{}, files)
	return err
}

// tour is the demonstration under way.
type tour struct {
	w       io.Writer
	server  *transporttest.Server
	mirror  *mirror
	counter *transporttest.Counter
	env     atskills.Env
	steps   int
}

// resolve is what every host does with a reference; the rest of the program looks at what came of it.
func (t *tour) resolve(ctx context.Context, ref string) {
	t.begin(ref)
	res, err := atskills.Resolve(ctx, t.env, ref)
	if err != nil {
		t.failure(err)
	} else {
		t.show(res)
	}
	t.cost()
}

// save copies what ref addresses into the project.
func (t *tour) save(ctx context.Context, ref string) {
	t.begin("save " + ref)
	saved, err := atskills.Save(ctx, t.env, ref)
	var conflict *atskills.ConflictError
	switch {
	case errors.As(err, &conflict):
		t.printf("   conflict: %s\n", conflict.Reason)
		for _, f := range conflict.Files {
			t.printf("   | %s: %s\n", f.Change, f.Path)
		}
		for i, way := range conflict.WaysOut() {
			t.printf("   %d. %s\n", i+1, way)
		}
	case err != nil:
		t.failure(err)
	default:
		t.printf("   %s %s, %d files, revision %.12s\n", saved.State, saved.Kind, saved.Files, saved.Revision)
		t.printf("   executable: %s\n", strings.Join(saved.Executables, ", "))
	}
	t.cost()
}

// begin names what is done, and counts anew.
func (t *tour) begin(what string) {
	t.server.ResetStats()
	t.mirror.requests.Store(0)
	t.mirror.bytes.Store(0)
	t.counter.Reset()
	t.printf("   %s\n", what)
}

// cost prints what was asked of upstream since begin.
func (t *tour) cost() {
	sum, bodies := t.server.Stats().Total(), t.counter.Counts().Bodies
	requests, bytes := sum.Requests+int(t.mirror.requests.Load()), sum.Received+sum.Sent+t.mirror.bytes.Load()
	t.printf("   cost: %s, %d bytes, %s\n", count(requests, "request", "requests"), bytes, count(bodies, "body", "bodies"))
}

// show prints the head of the content and where it came from.
func (t *tour) show(res *atskills.Resolution) {
	const head = 5
	lines := strings.Split(strings.TrimRight(res.Content, "\n"), "\n")
	for _, line := range lines[:min(head, len(lines))] {
		t.printf("   | %s\n", line)
	}
	if more := len(lines) - head; more > 0 {
		t.printf("   | ... and %d lines more\n", more)
	}
	if res.Served == atskills.ServedLocal {
		t.printf("   %s, the project's own\n", res.Kind)
	} else {
		t.printf("   %s, %s from %s, revision %.12s\n", res.Kind, res.Served, res.Source, res.Revision)
	}
	if len(res.Files) > 0 {
		t.printf("   files: %s\n", strings.Join(res.Files, ", "))
	}
	for _, w := range res.Warnings {
		t.printf("   warning: %s\n", w.Message)
	}
}

// failure prints what a host learns from an error: data where there is some, words in any case.
func (t *tour) failure(err error) {
	var large *atskills.TooLargeError
	if !errors.As(err, &large) {
		t.printf("   error: %v\n", err)
		return
	}
	t.printf("   refused: %d skills, the cap is %d; these fit:\n", large.Count, atskills.MaxSkills)
	for _, s := range large.Suggestions {
		t.printf("   | %s (%d skills)\n", s.ID.Reference(), s.Count)
	}
}

func (t *tour) title(text string) {
	t.steps++
	t.printf("\n%d. %s\n", t.steps, text)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// printf writes to the reader of the tour. A demonstration has nowhere to report that nobody can see it.
func (t *tour) printf(format string, args ...any) { _, _ = fmt.Fprintf(t.w, format, args...) }
