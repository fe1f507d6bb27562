package transporttest_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func newFake(_ *testing.T, u *transporttest.Upstream) transport.Transport {
	return transporttest.NewFake(u)
}

func newPartialFake(_ *testing.T, u *transporttest.Upstream) transport.Transport {
	f := transporttest.NewFake(u)
	f.SetPartial(true)
	return f
}

func newCounter(_ *testing.T, u *transporttest.Upstream) transport.Transport {
	return transporttest.NewCounter(transporttest.NewFake(u))
}

func TestContract(t *testing.T) {
	t.Parallel()
	hub := transporttest.Setup{New: newFake, Hub: true, Conditional: true, Playlists: true, Visibility: true}
	t.Run("gh", func(t *testing.T) { transporttest.Test(t, transporttest.Setup{New: newFake, Conditional: true}) })
	t.Run("hub", func(t *testing.T) { transporttest.Test(t, hub) })
	t.Run("partial", func(t *testing.T) { transporttest.Test(t, transporttest.Setup{New: newPartialFake}) })
	t.Run("counter", func(t *testing.T) { transporttest.Test(t, transporttest.Setup{New: newCounter, Conditional: true}) })
	hub.New = newCounter
	t.Run("counted hub", func(t *testing.T) { transporttest.Test(t, hub) })
}

func parseID(t *testing.T, text string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const bothSchemes = archive + `
-- hub:acme/notes/SKILL.md --
Takes notes about the build.
-- hub:acme/notes/more/extra.txt --
extra
`

// A fake's revisions are a server's commits, and its hashes git's.
func TestFakeSpeaksGitHashes(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	fake := transporttest.NewFake(s.Upstream)
	id := parseID(t, "gh:acme/skills/deploy")
	head, err := fake.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	git(t, dir, "clone", "-q", "--bare", s.URL()+"/acme/skills", ".")
	snap, err := fake.Open(t.Context(), head.Revision, id)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(id)
	if err != nil {
		t.Fatal(err)
	}
	got := "tree " + tree.Hash + "\n"
	for _, e := range tree.Entries {
		got += e.Path + " " + e.Hash + "\n"
	}
	want := "tree git:" + git(t, dir, "rev-parse", string(head.Revision)+":deploy") +
		git(t, dir, "ls-tree", "-r", "--format=%(path) git:%(objectname)", string(head.Revision)+":deploy")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hashes (-git +fake):\n%s", diff)
	}
}

// H3: a hub's revision is a digest of what is served; it knows sizes and has no tree hashes.
func TestFakeHub(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, bothSchemes))
	id := parseID(t, "hub:acme/notes")
	head, err := fake.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := fake.Open(t.Context(), head.Revision, id)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	got, err := snap.Tree(id)
	want := transport.Tree{Entries: []transport.Entry{
		{Path: "SKILL.md", Size: 29, Hash: "sha256:a04c5978b0655764ef7013a63216794025e017609eb410870b8262e65badff51"},
		{Path: "more/extra.txt", Size: 6, Hash: "sha256:65110ea3b8b62b0c09742c368bf1527f0978b06dff7a1371ef7b4c98e244d91a"},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("tree: %v (-want +got):\n%s", err, diff)
	}
	fake.Remove("hub:acme/notes")
	if _, err := fake.Head(t.Context(), id); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("Head of a removed entry = %v, want ErrNotFound", err)
	}
	if _, err := fake.Open(t.Context(), "sha256:old", parseID(t, "hub:acme/other")); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("Open of nothing = %v, want ErrNotFound", err)
	}
}

func TestFakeHubServesOneRevision(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, bothSchemes))
	id := parseID(t, "hub:acme/notes")
	old, err := fake.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	change := map[string]transporttest.File{"more": {Deleted: true}}
	if _, err := fake.Commit("hub:acme/notes", fixedDate, change); err != nil {
		t.Fatal(err)
	}
	if _, err := fake.Open(t.Context(), old.Revision, id); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open of an old revision = %v, want ErrNoRevision", err)
	}
	// The same content again is the same revision.
	change = map[string]transporttest.File{"more/extra.txt": {Body: "extra\n"}}
	if _, err := fake.Commit("hub:acme/notes", fixedDate, change); err != nil {
		t.Fatal(err)
	}
	if now, err := fake.Head(t.Context(), id); err != nil || now != old {
		t.Errorf("Head of the same content = %+v, %v, want %+v", now, err, old)
	}
}

func TestFakeOffline(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, bothSchemes))
	id := parseID(t, "gh:acme/skills/deploy")
	rev := transport.Revision(fake.Tip("acme/skills"))
	snap, err := fake.Open(t.Context(), rev, id)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := snap.Tree(id)
	if err != nil {
		t.Fatal(err)
	}
	put := func(transport.Entry, io.Reader) error { return nil }
	fake.SetOffline(true)
	_, probe := fake.Head(t.Context(), id)
	_, list := fake.Open(t.Context(), rev, id)
	_, branches := fake.Branches(t.Context(), id)
	_, search := fake.Search(t.Context(), "build")
	fetch := snap.Fetch(t.Context(), tree.Entries, put)
	for op, err := range map[string]error{"probe": probe, "list": list, "branches": branches, "search": search, "fetch": fetch} {
		if !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("%s while offline = %v, want ErrUnreachable", op, err)
		}
	}
	fake.SetOffline(false)
	if err := snap.Fetch(t.Context(), tree.Entries, put); err != nil {
		t.Errorf("fetch after coming back = %v", err)
	}
	if err := snap.Close(); err != nil {
		t.Error(err)
	}
	if err := snap.Fetch(t.Context(), tree.Entries, put); err == nil {
		t.Error("a closed snapshot fetches")
	}
}

func TestFakeSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := transporttest.NewFake(newUpstream(t, archive))
		id := parseID(t, "gh:acme/skills")
		release := make(chan struct{})
		fake.Slow(release)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error)
		for _, ctx := range []context.Context{ctx, t.Context()} {
			go func() {
				_, err := fake.Head(ctx, id)
				errs <- err
			}()
		}
		synctest.Wait()
		select {
		case err := <-errs:
			t.Fatalf("Head did not wait: %v", err)
		default:
		}
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("Head = %v, want %v", err, context.Canceled)
		}
		close(release)
		if err := <-errs; err != nil {
			t.Errorf("Head after the release = %v", err)
		}
	})
}

func TestFakeIntercept(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, archive))
	id := parseID(t, "gh:acme/skills/deploy")
	boom := errors.New("boom")
	var seen []string
	fake.Intercept(func(_ context.Context, op string, origin skill.ID) error {
		seen = append(seen, op+" "+origin.String())
		if op == "fetch" {
			return boom
		}
		return nil
	})
	head, err := fake.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := fake.Open(t.Context(), head.Revision, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := snap.Fetch(t.Context(), nil, nil); !errors.Is(err, boom) {
		t.Errorf("Fetch = %v, want %v", err, boom)
	}
	want := []string{"probe gh:acme/skills", "list gh:acme/skills", "fetch gh:acme/skills"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("intercepted (-want +got):\n%s", diff)
	}
}

func TestFakePartial(t *testing.T) {
	t.Parallel()
	fake := newPartialFake(t, newUpstream(t, archive))
	u := fake.(*transporttest.Fake)
	id := parseID(t, "gh:acme/skills/deploy")
	snap, err := fake.Open(t.Context(), transport.Revision(u.Tip("acme/skills")), id)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	got, err := snap.Tree(id.Origin())
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]transport.Mode{}
	for _, e := range got.Entries {
		modes[e.Path] = e.Mode
	}
	want := map[string]transport.Mode{
		"README.md": transport.Regular, "deploy": transport.Directory, "latest": transport.Symlink, "vendored": transport.Submodule,
	}
	if diff := cmp.Diff(want, modes); diff != "" || !got.Partial {
		t.Errorf("partial %t, entries (-want +got):\n%s", got.Partial, diff)
	}
}

func TestFakeRefusesLocalAndMixedIDs(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, archive))
	local, one, two := parseID(t, "team/x"), parseID(t, "gh:acme/skills"), parseID(t, "gh:acme/empty")
	if _, err := fake.Head(t.Context(), local); err == nil {
		t.Error("Head of a local id: no error")
	}
	for _, ids := range [][]skill.ID{nil, {local}, {one, two}} {
		if _, err := fake.Open(t.Context(), transport.Revision(fake.Tip("acme/skills")), ids...); err == nil {
			t.Errorf("Open(%v): no error", ids)
		}
	}
}

func TestFakeSearch(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake(newUpstream(t, bothSchemes))
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"BUILD", []string{"gh:acme/skills/deploy", "hub:acme/notes"}},
		{"build notes", []string{"hub:acme/notes"}},
		{"lint", nil}, // deleted since
	} {
		ids, err := fake.Search(t.Context(), c.query)
		var got []string
		for _, id := range ids {
			got = append(got, id.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("Search(%q): %v (-want +got):\n%s", c.query, err, diff)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	counter := transporttest.NewCounter(transporttest.NewFake(newUpstream(t, archive)))
	id := parseID(t, "gh:acme/skills/deploy")
	head, err := counter.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := counter.Open(t.Context(), head.Revision, id)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(id)
	if err != nil {
		t.Fatal(err)
	}
	err = snap.Fetch(t.Context(), tree.Entries[1:], func(_ transport.Entry, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = counter.Branches(t.Context(), id)
	_, _ = counter.Search(t.Context(), "x")
	if _, err := counter.Open(t.Context(), "none", id); err == nil {
		t.Error("Open of no revision: no error")
	}
	want := transporttest.Counts{Probes: 1, Opens: 2, Fetches: 1, Bodies: 2, BodyBytes: 25, Branches: 1, Searches: 1}
	if got := counter.Reset(); got != want {
		t.Errorf("counts = %+v, want %+v", got, want)
	}
	if got := counter.Counts(); got != (transporttest.Counts{}) {
		t.Errorf("counts after a reset = %+v", got)
	}
	bare := transporttest.NewCounter(struct{ transport.Transport }{counter})
	if _, err := bare.Branches(t.Context(), id); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Branches = %v, want %v", err, errors.ErrUnsupported)
	}
	if _, err := bare.Search(t.Context(), "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Search = %v, want %v", err, errors.ErrUnsupported)
	}
}
