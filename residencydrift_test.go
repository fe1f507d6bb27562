package atskills_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// drifted lists drift as "line change id before -> after".
func drifted(b *atskills.Block) []string {
	var out []string
	for _, d := range b.Drift {
		out = append(out, fmt.Sprintf("%d %s %s %q -> %q", d.Line, d.Change, d.ID, d.Before, d.After))
	}
	return out
}

func (w *world) expectDrift(want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, drifted(w.block())); diff != "" {
		w.Errorf("drift (-want +got):\n%s", diff)
	}
}

func (w *world) delete(fsys billy.Filesystem, name string) {
	w.Helper()
	if err := fsx.RemoveAll(fsys, name); err != nil {
		w.Fatal(err)
	}
}

// records returns the files that say what was last seen.
func records(t *testing.T, cache billy.Filesystem) map[string]string {
	t.Helper()
	all := fstest.Read(t, cache, ".meta")
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasSuffix(name, ".seen") })
	return all
}

// B9: skills that appeared, vanished or changed their description are told under each followed line, once, and nothing
// the first time. The record outlives the refresh that brings them, and an unchanged one is not written again.
func TestDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var cached fstest.Counter
	w.env.Cache = fsx.Locked(cached.Wrap(memfs.New()))
	w.trigger("# what we follow", "@gh:acme/kit/skills/", "@gh:acme/kit/skills/review", "@gh:acme/kit/.claude/skills/plan")
	w.expectDrift()
	before := records(t, w.env.Cache)
	changes := len(cached.Mutations())
	w.expectDrift()
	if calls := cached.Mutations()[changes:]; len(calls) > 0 {
		t.Errorf("an unchanged block wrote to the cache: %v", calls)
	}

	w.commit(map[string]string{
		"skills/deploy/SKILL.md":        "",
		"skills/deploy/nested/SKILL.md": "",
		"skills/deploy/scripts/run.sh":  "",
		"skills/deploy/.hidden":         "",
		"skills/new/SKILL.md":           skillText("new", "Is new.", "b"),
		"skills/review/SKILL.md":        skillText("review", "Reads every change.", "b"),
	})
	w.expectDrift(
		`2 vanished gh:acme/kit/skills/deploy "Ships a build." -> ""`,
		`2 appeared gh:acme/kit/skills/new "" -> "Is new."`,
		`2 changed gh:acme/kit/skills/review "Reads a change." -> "Reads every change."`,
		`3 changed gh:acme/kit/skills/review "Reads a change." -> "Reads every change."`)
	w.expectDrift()

	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads every change.", "another body")})
	w.expectDrift()

	w.commit(map[string]string{"skills/new/SKILL.md": "---\nname: new\n---\n"})
	w.expectDrift(`2 vanished gh:acme/kit/skills/new "Is new." -> ""`)
	after := records(t, w.env.Cache)
	if len(before) != 3 || len(after) != 3 || maps.Equal(before, after) {
		t.Errorf("records before %v and after %v", before, after)
	}
}

// B9: the record is the machine's, in the cache, so that another project is told nothing twice; its bytes depend on what
// was seen alone.
func TestDriftRecord(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t, acme), newWorld(t, acme)
	for _, w := range []*world{w, other} {
		w.trigger("@gh:acme/kit/skills/")
		w.block()
	}
	want := "{\"id\":\"gh:acme/kit/skills\",\"skills\":{\"gh:acme/kit/skills/deploy\":{\"name\":\"deploy\",\"description\":\"Ships a build.\"}," +
		"\"gh:acme/kit/skills/review\":{\"name\":\"review\",\"description\":\"Reads a change.\"}}}\n"
	for _, w := range []*world{w, other} {
		if got := slices.Collect(maps.Values(records(t, w.env.Cache))); len(got) != 1 || got[0] != want {
			t.Errorf("records %q, want %q", got, want)
		}
	}
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads more.", "b")})
	other.env.Cache, other.env.Transport = w.env.Cache, w.env.Transport
	other.expectDrift(`1 changed gh:acme/kit/skills/review "Reads a change." -> "Reads more."`)
	w.expectDrift()
}

// C8: a record that is broken, another's or one that could harm a terminal counts as none: nothing is told, and a good
// one is written.
func TestDriftBrokenRecord(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "{", "[]", `{"id":"gh:acme/kit/other","skills":{}}`, `{"id":"gh:acme/kit/skills","skills":{"nope:":{}}}`,
		`{"id":"gh:acme/kit/skills","skills":{"gh:acme/kit/x":{"name":"a\u001b[0m","description":"d"}}}`,
		`{"id":"gh:acme/kit/skills","skills":{"":{"name":"a","description":"d"}}}`, `{"id":7}`} {
		w := newWorld(t, acme)
		w.trigger("@gh:acme/kit/skills/")
		w.block()
		good := records(t, w.env.Cache)
		for name := range good {
			write(t, w.env.Cache, map[string]string{".meta/" + name: bad})
		}
		w.expectDrift()
		if got := records(t, w.env.Cache); !maps.Equal(good, got) {
			t.Errorf("after %q the record is %v", bad, got)
		}
	}
}

// B9: a line that fails, names a collection without its slash, or is answered by the project's copy neither drifts nor
// forgets; a stale copy is what the block shows, and is compared.
func TestDriftKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/")
	w.block()
	w.trigger("@gh:acme/kit/skills")
	w.expectDrift()
	w.trigger("@gh:acme/kit/skills/")
	w.project(map[string]string{"gh/acme/kit/skills/review/": "My own."})
	w.expectDrift()
	w.delete(w.env.Project, ".atskills/gh")
	w.fake.SetOffline(true)
	w.expectDrift()
	w.delete(w.env.Cache, "gh")
	w.expectDrift()
	w.fake.SetOffline(false)
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads more.", "b")})
	w.expectDrift(`1 changed gh:acme/kit/skills/review "Reads a change." -> "Reads more."`)
}

// B9: a record that cannot be written is a note, and costs nothing else.
func TestDriftUnwritable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/review")
	if _, err := atskills.Resolve(t.Context(), w.env, "gh:acme/kit/skills/review"); err != nil {
		t.Fatal(err)
	}
	w.env.Cache = fstest.ReadOnly(w.env.Cache)
	b := w.block()
	w.expectNotes(b, "0 record ")
	if len(b.Rows) != 1 || len(b.Drift) > 0 {
		t.Errorf("rows %v, drift %v", b.Rows, b.Drift)
	}
}
