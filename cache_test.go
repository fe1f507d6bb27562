package atskills_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const (
	deployRef = "gh:acme/kit/skills/deploy"
	skillsRef = "gh:acme/kit/skills"
)

func metaName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return ".meta/" + hex.EncodeToString(sum[:])[:32] + ".json"
}

func (w *world) meta(id string) map[string]any {
	w.Helper()
	data, err := fsx.ReadFile(w.env.Cache, metaName(id), 1<<20)
	if err != nil {
		w.Fatalf("metadata of %s: %v", id, err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		w.Fatalf("metadata of %s: %v", id, err)
	}
	return m
}

func (w *world) setMeta(id string, m map[string]any) {
	w.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		w.Fatal(err)
	}
	write(w.T, w.env.Cache, map[string]string{metaName(id): string(data)})
}

// C3: content and metadata stand where other clients look, in their form.
func TestCacheLayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(skillsRef)
	want := map[string]string{
		"gh/acme/kit/skills/deploy/SKILL.md":        skillText("deploy", "Ships a build.", "Run scripts/run.sh."),
		"gh/acme/kit/skills/deploy/scripts/run.sh":  "#!/bin/sh\n",
		"gh/acme/kit/skills/deploy/.hidden":         "marker\n",
		"gh/acme/kit/skills/deploy/nested/SKILL.md": "---\nname: nested\ndescription: Belongs to deploy.\n---\n",
		"gh/acme/kit/skills/review/SKILL.md":        skillText("review", "Reads a change.", "Look twice."),
		"gh/acme/kit/skills/review/ref/style.md":    "style\n",
	}
	if diff := cmp.Diff(want, tree(t, w.env.Cache, "")); diff != "" {
		t.Errorf("cache (-want +got):\n%s", diff)
	}
	m := w.meta(skillsRef)
	if m["id"] != skillsRef || m["revision"] != w.fake.Tip("acme/kit") || m["fetchedAt"] != "2026-03-04T05:06:07.008Z" {
		t.Errorf("metadata = %v", m)
	}
	infos, err := w.env.Cache.ReadDir(".meta")
	if err != nil || len(infos) != 1 {
		t.Errorf(".meta holds %d files, error %v; want the metadata alone", len(infos), err)
	}
	// F2: the executable bit is kept.
	for name, want := range map[string]bool{"scripts/run.sh": true, "SKILL.md": false} {
		fi, err := w.env.Cache.Stat("gh/acme/kit/skills/deploy/" + name)
		if err != nil || (fi.Mode()&0o111 != 0) != want {
			t.Errorf("%s has mode %v, error %v; want executable %v", name, fi.Mode(), err, want)
		}
	}
}

// C3: an entry that another client wrote is served, and its unknown fields outlive a rewrite.
func TestCacheOfAnotherClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	rev := w.fake.Tip("acme/kit")
	write(t, w.env.Cache, map[string]string{"gh/acme/kit/skills/deploy/SKILL.md": skillText("deploy", "Theirs.", "theirs")})
	w.setMeta(deployRef, map[string]any{"id": deployRef, "revision": rev, "fetchedAt": "2026-01-01T00:00:00.000Z", "pinned": true, "tree": 7})
	if res := w.resolve(deployRef); res.Content != "theirs" || res.Served != atskills.ServedCached {
		t.Errorf("Resolve = %q served %s", res.Content, res.Served)
	}
	w.asked("an entry of another client", transporttest.Counts{Probes: 1})
	w.commit(map[string]string{"other.md": "moved"})
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." {
		t.Errorf("after HEAD moved: %q", res.Content)
	}
	if m := w.meta(deployRef); m["pinned"] != true || m["tree"] != 7.0 || m["revision"] != w.fake.Tip("acme/kit") {
		t.Errorf("metadata = %v, want the foreign fields kept", m)
	}
}

// C4: an unchanged origin costs one probe and leaves the cache untouched; a changed one is fetched.
func TestWarmAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.asked("a cold skill", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4})
	var count fstest.Counter
	w.env.Cache = count.Wrap(w.env.Cache)
	if res := w.resolve(deployRef); res.Served != atskills.ServedCached {
		t.Errorf("warm: served %s", res.Served)
	}
	w.asked("a warm skill", transporttest.Counts{Probes: 1})
	if calls := count.Mutations(); len(calls) != 0 {
		t.Errorf("a warm use changed the cache: %v", calls)
	}
	w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
	if res := w.resolve(deployRef); res.Served != atskills.ServedFresh || res.Content != "New." {
		t.Errorf("changed: %q served %s", res.Content, res.Served)
	}
	w.asked("one file of a skill changed", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 1}) // C10
}

// C4, C5, C6: what upstream says decides what is served, and in which words.
func TestFallbacks(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	cause := func(kind error) error { return &transport.Error{Op: "probe", URL: "x", Kind: kind} }
	tests := []struct {
		name, op string
		err      error
		code     string
		text     string
	}{
		{"unreachable", "probe", cause(transport.ErrUnreachable), atskills.WarnStale, "may be stale, cached 2026-03-04"},
		{"not found", "probe", cause(transport.ErrNotFound), atskills.WarnGone, "gone upstream, cached 2026-03-04, or no longer shown to you: "},
		{"no access", "probe", cause(transport.ErrNoAccess), atskills.WarnGone, "gone upstream, cached 2026-03-04, or no longer shown to you: "},
		{"nonsense", "probe", cause(transport.ErrProtocol), atskills.WarnRefresh, "the refresh failed, cached 2026-03-04"},
		{"listing fails", "list", boom, atskills.WarnRefresh, "boom"},
		{"listing too large", "list", &transport.LimitError{What: "tree entries", Max: 9, Field: "Entries"}, atskills.WarnRefresh, "Limits.Entries"},
		{"bodies fail", "fetch", boom, atskills.WarnRefresh, "boom"},
		{"unreachable midway", "fetch", cause(transport.ErrUnreachable), atskills.WarnStale, "may be stale"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			fail := func(_ context.Context, op string, _ skill.ID) error {
				if op == tt.op {
					return tt.err
				}
				return nil
			}
			w.fake.Intercept(fail)
			w.refuse(deployRef, tt.err) // nothing is cached: it fails, and says exactly why
			w.fake.Intercept(nil)
			w.resolve(deployRef)
			before := tree(t, w.env.Cache, "")
			w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
			w.fake.Intercept(fail)
			res := w.resolve(deployRef)
			if res.Content != "Run scripts/run.sh." || res.Served != atskills.ServedStale || !hasWarning(res.Warnings, tt.code, tt.text) {
				t.Errorf("Resolve = %q served %s, warnings %v; want the old copy and %s %q", res.Content, res.Served, res.Warnings, tt.code, tt.text)
			}
			if diff := cmp.Diff(before, tree(t, w.env.Cache, "")); diff != "" {
				t.Errorf("a failed refresh changed the cache (-before +after):\n%s", diff)
			}
			w.fake.Intercept(nil)
			if res := w.resolve(deployRef); res.Content != "New." || res.Served != atskills.ServedFresh {
				t.Errorf("after it recovered: %q served %s", res.Content, res.Served)
			}
		})
	}
}

// C5: a path that left its repository is gone upstream, and the copy says so.
func TestPathGoneUpstream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve("gh:acme/kit/skills/review")
	w.commit(map[string]string{"skills/review/SKILL.md": "", "skills/review/ref/style.md": ""})
	if res := w.resolve("gh:acme/kit/skills/review"); res.Content != "Look twice." || !hasWarning(res.Warnings, atskills.WarnGone, "2026-03-04") {
		t.Errorf("Resolve = %q, warnings %v", res.Content, res.Warnings)
	}
}

// dropDeploy deletes the skill deploy upstream.
func (w *world) dropDeploy() {
	w.Helper()
	w.commit(map[string]string{"skills/deploy/SKILL.md": "", "skills/deploy/scripts/run.sh": "", "skills/deploy/.hidden": "",
		"skills/deploy/nested/SKILL.md": ""})
}

// C5, C10: where a folder above comes at the revision that no longer has a path, nothing of the path's copy is left to
// serve: neither in one call, in whatever order, nor in two.
func TestPathGoneBelowAncestor(t *testing.T) {
	t.Parallel()
	for _, refs := range [][]string{{"gh:acme/kit", deployRef}, {deployRef, "gh:acme/kit"}} {
		w := newWorld(t, acme)
		w.resolve(refs[0])
		w.resolve(refs[1])
		w.dropDeploy()
		w.counter.Reset()
		for _, out := range atskills.ResolveAll(t.Context(), w.env, refs) {
			switch {
			case out.Ref == deployRef && !errors.Is(out.Err, atskills.ErrNotFound):
				t.Errorf("%s = content %v, error %v; want not found", out.Ref, out.Resolution != nil, out.Err)
			case out.Ref != deployRef && (out.Err != nil || len(out.Resolution.Entries) != 2):
				t.Errorf("%s error %v, want a menu of two", out.Ref, out.Err)
			}
		}
		w.asked("both", transporttest.Counts{Probes: 1, Opens: 1})
	}
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.dropDeploy()
	w.resolve(skillsRef)
	w.refuse(deployRef, atskills.ErrNotFound)
}

// C5, C6: where the folder above does not land, the copy of the path that is gone still stands, and answers.
func TestPathGoneBelowAncestorThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve("gh:acme/kit")
	w.dropDeploy()
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads it all.", "")})
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
		if op == "fetch" {
			return transport.ErrProtocol
		}
		return nil
	})
	out := atskills.ResolveAll(t.Context(), w.env, []string{deployRef, "gh:acme/kit"})
	if out[0].Err != nil || !hasWarning(out[0].Resolution.Warnings, atskills.WarnGone) {
		t.Errorf("%s: %+v, want the copy, gone upstream", deployRef, out[0])
	}
	if out[1].Err != nil || !hasWarning(out[1].Resolution.Warnings, atskills.WarnRefresh) || len(out[1].Resolution.Entries) != 3 {
		t.Errorf("gh:acme/kit: %+v, want the old menu", out[1])
	}
}

// C7, C11: when HEAD moves between the probe and the listing, all references of the call come to the revision that can be
// read: one that the cache had confirmed is not left to a folder that another one replaces.
func TestMovedUnderConfirmedEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
		if op == "list" {
			w.fake.Intercept(nil)
			old := w.fake.Tip("acme/kit")
			w.dropDeploy()
			return w.fake.Forget("acme/kit", old)
		}
		return nil
	})
	out := atskills.ResolveAll(t.Context(), w.env, []string{deployRef, "gh:acme/kit"})
	if !errors.Is(out[0].Err, atskills.ErrNotFound) {
		t.Errorf("%s: content %v, error %v; want not found", deployRef, out[0].Resolution != nil, out[0].Err)
	}
	if out[1].Err != nil || len(out[1].Resolution.Entries) != 2 {
		t.Errorf("gh:acme/kit: error %v, want a menu of two", out[1].Err)
	}
}

// C8: entries may be deleted or damaged at any time; they are fetched again, and heal.
func TestDamagedEntriesHeal(t *testing.T) {
	t.Parallel()
	dir := "gh/acme/kit/skills/deploy/"
	damage := map[string]func(w *world){
		"metadata removed": func(w *world) { _ = w.env.Cache.Remove(metaName(deployRef)) },
		"metadata corrupt": func(w *world) { write(w.T, w.env.Cache, map[string]string{metaName(deployRef): "{"}) },
		"metadata of another": func(w *world) {
			m := w.meta(deployRef)
			m["id"] = "gh:acme/kit/other"
			w.setMeta(deployRef, m)
		},
		"metadata without revision": func(w *world) {
			m := w.meta(deployRef)
			delete(m, "revision")
			w.setMeta(deployRef, m)
		},
		"folder removed":       func(w *world) { _ = fsx.RemoveAll(w.env.Cache, dir[:len(dir)-1]) },
		"SKILL.md removed":     func(w *world) { _ = w.env.Cache.Remove(dir + "SKILL.md") },
		"bundled file removed": func(w *world) { _ = w.env.Cache.Remove(dir + "scripts/run.sh") },
		"file truncated":       func(w *world) { write(w.T, w.env.Cache, map[string]string{dir + "scripts/run.sh": ""}) },
		"file of equal size": func(w *world) {
			write(w.T, w.env.Cache, map[string]string{dir + "SKILL.md": skillText("deploy", "Ships a build.", "Run scripts/ran.sh.")})
		},
		"file added": func(w *world) { write(w.T, w.env.Cache, map[string]string{dir + "extra": "x"}) },
		"crash within a swap": func(w *world) {
			write(w.T, w.env.Cache, map[string]string{strings.TrimSuffix(metaName(deployRef), "json") + "swap": "", dir + "SKILL.md": "half"})
		},
	}
	for name, break_ := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.resolve(deployRef)
			want := tree(t, w.env.Cache, "")
			break_(w)
			if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || res.Served == atskills.ServedStale {
				t.Errorf("Resolve = %q served %s", res.Content, res.Served)
			}
			if diff := cmp.Diff(want, tree(t, w.env.Cache, "")); diff != "" {
				t.Errorf("not healed (-want +got):\n%s", diff)
			}
			w.counter.Reset()
			if res := w.resolve(deployRef); res.Served != atskills.ServedCached {
				t.Errorf("after it healed: served %s", res.Served)
			}
			w.asked("a healed entry", transporttest.Counts{Probes: 1})
		})
	}
}

// C8: what stands in the place of an entry, its metadata or a folder on the way, is replaced and never written through.
func TestReplacedEntriesHeal(t *testing.T) {
	t.Parallel()
	replaced := map[string]func(t *testing.T, fsys billy.Filesystem){
		"entry by a file": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsx.RemoveAll(fsys, "gh/acme/kit/skills/deploy")
			write(t, fsys, map[string]string{"gh/acme/kit/skills/deploy": "a file"})
		},
		"a folder above by a file": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsx.RemoveAll(fsys, "gh/acme")
			write(t, fsys, map[string]string{"gh/acme": "a file"})
		},
		"entry by a link": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsx.RemoveAll(fsys, "gh/acme/kit/skills/deploy")
			write(t, fsys, map[string]string{"mine/SKILL.md": "mine"})
			symlink(t, fsys, "../../../../mine", "gh/acme/kit/skills/deploy")
		},
		"a folder above by a link": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsx.RemoveAll(fsys, "gh/acme")
			write(t, fsys, map[string]string{"mine/keep": "mine"})
			symlink(t, fsys, "../mine", "gh/acme")
		},
		"metadata by a folder": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsys.Remove(metaName(deployRef))
			write(t, fsys, map[string]string{metaName(deployRef) + "/x": "x"})
		},
		".meta by a file": func(t *testing.T, fsys billy.Filesystem) {
			_ = fsx.RemoveAll(fsys, ".meta")
			write(t, fsys, map[string]string{".meta": "x"})
		},
	}
	for name, replace := range replaced {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.env.Cache = fsx.OS(t.TempDir())
			w.resolve(deployRef)
			replace(t, w.env.Cache)
			if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || len(res.Warnings) != 0 {
				t.Errorf("Resolve = %q, warnings %v", res.Content, res.Warnings)
			}
			w.counter.Reset()
			if res := w.resolve(deployRef); res.Served != atskills.ServedCached {
				t.Errorf("after it healed: served %s", res.Served)
			}
			for name := range tree(t, w.env.Cache, "mine") {
				if name != "mine/SKILL.md" && name != "mine/keep" {
					t.Errorf("written through a link: %s", name)
				}
			}
		})
	}
}

// An upstream file that became a folder does not keep what is below it from landing.
func TestFileBecomesFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- acme/kit/a/SKILL.md --\n"+skillText("a", "A.", "a")+"-- acme/kit/a/b --\nfile\n")
	w.resolve("gh:acme/kit/a")
	w.commit(map[string]string{"a/b": ""})
	w.commit(map[string]string{"a/b/SKILL.md": skillText("b", "B.", "bb")})
	if res := w.resolve("gh:acme/kit/a/b"); res.Content != "bb" || len(res.Warnings) != 0 {
		t.Errorf("Resolve = %q, warnings %v", res.Content, res.Warnings)
	}
}

// C7: a staged folder that lost files, to a deleted cache or to another process, never takes a whole copy's place.
func TestStageVanishesMidway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.commit(map[string]string{"skills/deploy/scripts/run.sh": "#!/bin/bash\n"})
	var once sync.Once
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) (err error) {
		if op == "fetch" { // what does not move is staged by now
			once.Do(func() { err = fsx.RemoveAll(w.env.Cache, ".meta") })
		}
		return err
	})
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || len(res.Files) != 2 || len(res.Warnings) != 0 {
		t.Errorf("Resolve = %q, files %v, warnings %v", res.Content, res.Files, res.Warnings)
	}
}

// C6: a SKILL.md that cannot be read does not take the place of one that can.
func TestOversizedSkillFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.commit(map[string]string{"skills/deploy/SKILL.md": strings.Repeat("x", skill.MaxFile+1)})
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || !hasWarning(res.Warnings, atskills.WarnRefresh, "larger than 1048576 bytes") {
		t.Errorf("Resolve = %q, warnings %v", res.Content, res.Warnings)
	}
}

// C6, R10: such a file costs nobody else the refresh of the same call.
func TestOversizedSkillFileAmongOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	refs := []string{deployRef, "gh:acme/kit/skills/deploy/nested", "gh:acme/kit/skills/review"}
	for _, ref := range refs {
		w.resolve(ref)
	}
	w.commit(map[string]string{"skills/deploy/SKILL.md": strings.Repeat("x", skill.MaxFile+1), "skills/deploy/nested/SKILL.md": skillText("nested", "New.", ""),
		"skills/review/SKILL.md": skillText("review", "Reads a change.", "Look once.")})
	out := atskills.ResolveAll(t.Context(), w.env, refs)
	for _, o := range out {
		if o.Err != nil {
			t.Fatalf("%s: %v", o.Ref, o.Err)
		}
	}
	if got := out[0].Resolution; got.Content != "Run scripts/run.sh." || !hasWarning(got.Warnings, atskills.WarnRefresh) {
		t.Errorf("%s: %q, warnings %v, want the old copy", out[0].Ref, got.Content, got.Warnings)
	}
	if got := out[1].Resolution; got.Description != "Belongs to deploy." || !hasWarning(got.Warnings, atskills.WarnRefresh) {
		t.Errorf("%s, which did not land either: %q, warnings %v", out[1].Ref, got.Description, got.Warnings)
	}
	if got := out[2].Resolution; got.Content != "Look once." || hasWarning(got.Warnings, atskills.WarnRefresh) {
		t.Errorf("%s: %q, warnings %v, want the new text", out[2].Ref, got.Content, got.Warnings)
	}
}

// R5, C4: a SKILL.md that is too long lands like any other, is confirmed by a probe alone, and says what is wrong with it
// whenever it is resolved; in a menu it is a row with its description.
func TestOversizedSkillFileLands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads a change.", strings.Repeat("x", 2*skill.MaxFile))})
	for _, ref := range []string{"gh:acme/kit/skills/review", skillsRef} {
		for try := range 2 {
			res, err := atskills.Resolve(t.Context(), w.env, ref)
			if ref != skillsRef {
				if !errors.As(err, new(*fsx.SizeError)) || !strings.Contains(err.Error(), "SKILL.md") || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
					t.Errorf("Resolve(%q) error %v, want one that names the limit", ref, err)
				}
			} else if err != nil || !strings.HasSuffix(res.Content, "review: Reads a change.") || codes(res.Warnings)[0] != atskills.WarnFrontmatter || len(res.Warnings) != 1 {
				t.Errorf("Resolve(%q) = %+v, %v, want a menu and one warning", ref, res, err)
			}
			if n := w.counter.Reset(); (n.Opens == 0) != (try == 1) || n.Probes != 1 {
				t.Errorf("Resolve(%q), try %d, asked %+v", ref, try, n)
			}
		}
	}
	for name, body := range tree(t, w.env.Cache, "gh/acme/kit/skills/review") {
		if strings.HasSuffix(name, "SKILL.md") {
			write(t, w.env.Cache, map[string]string{name: body[:len(body)-1] + "y"})
		}
	}
	w.resolve(skillsRef)
	w.asked("a menu over a long file of which one byte changed", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 1})
}

// C10, F2: a change of the executable bit alone lands, without a body.
func TestExecutableBitChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.counter.Reset()
	_, err := w.fake.Commit("acme/kit", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), map[string]transporttest.File{
		"skills/deploy/scripts/run.sh": {Body: "#!/bin/sh\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.resolve(deployRef)
	w.asked("a changed mode", transporttest.Counts{Probes: 1, Opens: 1})
	if fi, err := w.env.Cache.Stat("gh/acme/kit/skills/deploy/scripts/run.sh"); err != nil || fi.Mode()&0o111 != 0 {
		t.Errorf("mode %v, error %v; want none to execute", fi.Mode(), err)
	}
}

// C3: what this library adds to the metadata is believed only for the revision it was written for.
func TestAnotherClientKeepsOurField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	rev := w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "Theirs.")})
	write(t, w.env.Cache, map[string]string{"gh/acme/kit/skills/deploy/SKILL.md": skillText("deploy", "Ships.", "Theirs.")})
	m := w.meta(deployRef)
	m["revision"] = rev
	w.setMeta(deployRef, m)
	w.counter.Reset()
	if res := w.resolve(deployRef); res.Content != "Theirs." || res.Served != atskills.ServedCached {
		t.Errorf("Resolve = %q served %s", res.Content, res.Served)
	}
	w.asked("an entry another client brought up to date", transporttest.Counts{Probes: 1})
}

// C10: an ancestor whose copy was damaged below the folder asked for does not answer for it.
func TestDamagedAncestor(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{skillsRef, deployRef} {
		w := newWorld(t, acme)
		w.resolve("gh:acme/kit")
		_ = fsx.RemoveAll(w.env.Cache, "gh/acme/kit/skills/review")
		_ = w.env.Cache.Remove("gh/acme/kit/skills/deploy/scripts/run.sh")
		if res := w.resolve(ref); res.Kind == atskills.Menu && len(res.Entries) != 2 || res.Kind == atskills.Skill && len(res.Files) != 2 {
			t.Errorf("Resolve(%q) = rows %v, files %v", ref, res.Entries, res.Files)
		}
	}
}

// C8: an entry deleted between the check and the read is fetched again.
func TestDeletedBetweenCheckAndRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
		if op == "probe" {
			return fsx.RemoveAll(w.env.Cache, "gh")
		}
		return nil
	})
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || res.Served != atskills.ServedFresh {
		t.Errorf("Resolve = %q served %s", res.Content, res.Served)
	}
}

// A damaged copy is better than none when upstream is away, and says so.
func TestDamagedOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	_ = w.env.Cache.Remove("gh/acme/kit/skills/deploy/scripts/run.sh")
	w.fake.SetOffline(true)
	res := w.resolve(deployRef)
	if diff := cmp.Diff([]string{atskills.WarnDamaged, atskills.WarnStale}, codes(res.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// C9: the revision moved, the sub-tree did not: no body moves and only the revision is rewritten.
func TestRevisionMovedSkillDidNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.counter.Reset()
	before := w.meta(deployRef)
	rev := w.commit(map[string]string{"README.md": "changed"})
	w.env.Now = func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	if res := w.resolve(deployRef); res.Served != atskills.ServedCached || string(res.Revision) != rev {
		t.Errorf("served %s at %s, want cached at %s", res.Served, res.Revision, rev)
	}
	w.asked("a moved HEAD", transporttest.Counts{Probes: 1, Opens: 1})
	after := w.meta(deployRef)
	if after["revision"] != rev || after["fetchedAt"] != before["fetchedAt"] {
		t.Errorf("metadata %v became %v", before, after)
	}
}

// C10: an ancestor cached at the same revision answers a descendant; offline too.
func TestAncestorAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(skillsRef)
	w.counter.Reset()
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || res.Served != atskills.ServedCached || len(res.Files) != 2 {
		t.Errorf("Resolve = %q served %s", res.Content, res.Served)
	}
	w.asked("the child of a cached collection", transporttest.Counts{Probes: 1})
	w.fake.SetOffline(true)
	if res := w.resolve("gh:acme/kit/skills/review"); res.Content != "Look twice." || !hasWarning(res.Warnings, atskills.WarnStale) {
		t.Errorf("offline: %q, warnings %v", res.Content, res.Warnings)
	}
}

// C10: parent and child keep one another's bodies, and neither speaks for the other's revision.
func TestParentAndChild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.counter.Reset()
	w.resolve(skillsRef)
	w.asked("the parent of a cached skill", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 2})

	// Same size, so that only the revisions tell.
	w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships a build.", "Run scripts/RUN.sh.")})
	if res := w.resolve(deployRef); res.Content != "Run scripts/RUN.sh." {
		t.Errorf("child = %q", res.Content)
	}
	w.fake.SetOffline(true)
	res := w.resolve(skillsRef)
	if !hasWarning(res.Warnings, atskills.WarnDamaged) || !hasWarning(res.Warnings, atskills.WarnStale) {
		t.Errorf("a parent with a newer child offline: warnings %v", res.Warnings)
	}
	w.fake.SetOffline(false)
	w.counter.Reset()
	if res := w.resolve(skillsRef); res.Served == atskills.ServedStale || len(res.Warnings) != 0 {
		t.Errorf("parent served %s, warnings %v", res.Served, res.Warnings)
	}
	w.asked("the parent of a newer skill", transporttest.Counts{Probes: 1, Opens: 1})
	if _, err := w.env.Cache.Stat(metaName(deployRef)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the child's own metadata outlived its parent's refresh: %v", err)
	}
	if res := w.resolve(deployRef); res.Content != "Run scripts/RUN.sh." || res.Served != atskills.ServedCached {
		t.Errorf("child = %q served %s", res.Content, res.Served)
	}
}

// C11: references into one repository share one probe, one listing and one body request, nested ones too.
func TestOneExchangeForOneRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+many("acme/kit", "more", 3))
	refs := []string{deployRef, "gh:acme/kit/more/s0001", "gh:acme/kit/more", "gh:acme/kit/skills/review", "gh:acme/kit/.claude"}
	for _, out := range atskills.ResolveAll(t.Context(), w.env, refs) {
		if out.Err != nil {
			t.Errorf("%s: %v", out.Ref, out.Err)
		}
	}
	w.asked("five references", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4 + 2 + 1 + 3})
}

// C12: with a memoising transport a session asks once.
func TestMemoisedProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Transport = transport.Memo(w.counter)
	for range 3 {
		w.resolve(deployRef)
	}
	w.asked("three uses in one session", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4})
}

// F2: links and submodules never land; those inside a skill and those that stand for one are named, with the id they
// point to, also when the entry is served again.
func TestLinksAndSubmodules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- acme/kit/skills/latest (symlink) --
deploy
-- acme/kit/skills/alias/SKILL.md (symlink) --
../review/SKILL.md
-- acme/kit/skills/outside (symlink) --
../../../elsewhere
-- acme/kit/skills/readme (symlink) --
../README.md
-- acme/kit/skills/deploy/notes (symlink) --
../review/ref
-- acme/kit/skills/deploy/vendor (submodule) --
0123456789012345678901234567890123456789
`)
	for _, served := range []atskills.Served{atskills.ServedFresh, atskills.ServedCached} {
		res := w.resolve(skillsRef)
		if res.Served != served || len(res.Entries) != 2 {
			t.Errorf("served %s with %d rows, want %s with 2", res.Served, len(res.Entries), served)
		}
		for _, want := range [][]string{
			{"skills/latest", "points to gh:acme/kit/skills/deploy"},
			{"skills/alias/SKILL.md", "points to gh:acme/kit/skills/review"},
			{"skills/deploy/notes", "points to gh:acme/kit/skills/review/ref"},
			{"skills/deploy/vendor", "it is a submodule"},
		} {
			if !hasWarning(res.Warnings, atskills.WarnSkipped, want...) {
				t.Errorf("no warning says %q in %v", want, res.Warnings)
			}
		}
		if len(res.Warnings) != 4 {
			t.Errorf("%d warnings, want 4: %v", len(res.Warnings), res.Warnings)
		}
	}
	for name := range tree(t, w.env.Cache, "") {
		if strings.Contains(name, "latest") || strings.Contains(name, "alias") || strings.Contains(name, "notes") {
			t.Errorf("%s landed", name)
		}
	}
	if res := w.resolve("gh:acme/kit/skills/review"); len(res.Warnings) != 0 {
		t.Errorf("a sibling repeats the warnings: %v", res.Warnings)
	}
	// The link itself, addressed, names the reference that works.
	var miss *atskills.NotFoundError
	for ref, near := range map[string]string{
		"gh:acme/kit/skills/latest": deployRef,
		"gh:acme/kit/skills/alias":  "gh:acme/kit/skills/review",
	} {
		if err := w.refuse(ref, atskills.ErrNotFound); !errors.As(err, &miss) || !cmp.Equal(miss.Near, []string{near}) {
			t.Errorf("Resolve(%q) error %v, want %s named", ref, err, near)
		}
	}
}

// F2: .git in any case never lands.
func TestGitFolderNeverLands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	snap := transport.Tree{Entries: []transport.Entry{{Path: ".GIT/hooks/x"}, {Path: "SKILL.md"}}}
	w.env.Transport = fixed{w.fake, snap}
	w.resolve(deployRef)
	if got := tree(t, w.env.Cache, ""); len(got) != 1 {
		t.Errorf("cache holds %v", got)
	}
}

// F5: a renamed repository is followed, and said.
func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	if err := w.fake.Rename("acme/kit", "acme/tools"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if res := w.resolve(deployRef); !hasWarning(res.Warnings, atskills.WarnMoved, "acme/tools") || res.ID.String() != deployRef {
			t.Errorf("Resolve = %s, warnings %v", res.ID, res.Warnings)
		}
	}
}

// C7: whatever file-system call fails, and wherever the process dies, an answer is the old content or the new one whole,
// and the next call answers with the new one.
func TestCacheFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]func(billy.Filesystem, int) (billy.Filesystem, func() bool){
		"fails": fstest.FailNth, "dies": fstest.LosePower,
	}
	for name, fault := range faults {
		for _, cold := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/cold=%v", name, cold), func(t *testing.T) {
				t.Parallel()
				sweep := func(t *testing.T, stride int, newCache func(testing.TB) billy.Filesystem) {
					fstest.Sweep(t, func(t *testing.T, n int) (reached bool) {
						n = (n-1)*stride + 1
						synctest.Test(t, func(t *testing.T) { // waiting for the lock of the dead takes no time here
							reached = cacheFault(t, newCache(t), cold, func(fsys billy.Filesystem) (billy.Filesystem, func() bool) {
								return fault(fsys, n)
							})
						})
						return reached
					})
				}
				t.Run("memfs", func(t *testing.T) {
					t.Parallel()
					sweep(t, 1, func(testing.TB) billy.Filesystem { return memfs.New() })
				})
				if name == "dies" && !cold { // a failed call is undone alike everywhere, and a cold entry on a disk is one rename
					t.Run("disk", func(t *testing.T) {
						t.Parallel()
						stride := 7
						if everyFault() {
							stride = 1
						}
						sweep(t, stride, func(t testing.TB) billy.Filesystem { return fsx.OS(t.TempDir()) })
					})
				}
			})
		}
	}
}

func cacheFault(t *testing.T, cache billy.Filesystem, cold bool, fault func(billy.Filesystem) (billy.Filesystem, func() bool)) bool {
	w := newWorld(t, acme)
	w.env.Cache = fsx.Locked(cache)
	allowed := map[string]int{"Run scripts/run.sh.": 2}
	want := "Run scripts/run.sh."
	if !cold {
		w.resolve(deployRef)
		w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New."), "skills/deploy/scripts/run.sh": ""})
		want, allowed["New."] = "New.", 1
	}
	sound := w.env.Cache
	broken, reached := fault(sound)
	w.env.Cache = broken
	res, err := atskills.Resolve(t.Context(), w.env, deployRef)
	if err == nil {
		files, ok := allowed[res.Content]
		if !ok || len(res.Files) != files && len(res.Warnings) == 0 {
			t.Errorf("during the fault: %q, files %v, warnings %v", res.Content, res.Files, res.Warnings)
		}
	}
	w.env.Cache = sound
	if res := w.resolve(deployRef); res.Content != want || len(res.Files) != allowed[want] || res.Served == atskills.ServedStale {
		t.Errorf("after the fault (%v): %q, files %v, served %s, warnings %v", err, res.Content, res.Files, res.Served, res.Warnings)
	}
	return reached()
}

// A cache that cannot be written is no reason not to read: the content is answered from memory, and says so.
func TestUnusableCache(t *testing.T) {
	t.Parallel()
	broken := map[string]func(billy.Filesystem) billy.Filesystem{
		"read-only": fstest.ReadOnly,
		"full":      func(fsys billy.Filesystem) billy.Filesystem { return fstest.Full(fsys, 300) },
	}
	for name, break_ := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.env.Cache = break_(memfs.New())
			for _, want := range []string{"Run scripts/run.sh.", "New."} {
				res := w.resolve(deployRef)
				if res.Content != want || res.Served != atskills.ServedFresh || res.Path != "" || !hasWarning(res.Warnings, atskills.WarnCache) {
					t.Errorf("Resolve = %q served %s at %q, warnings %v", res.Content, res.Served, res.Path, res.Warnings)
				}
				w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
			}
			w.fake.SetOffline(true)
			w.refuse(deployRef, atskills.ErrUnreachable)
		})
	}
}

// fixed serves one listing whatever is asked, with empty bodies.
type fixed struct {
	transport.Transport
	tree transport.Tree
}

func (f fixed) Open(context.Context, transport.Revision, ...skill.ID) (transport.Snapshot, error) {
	return fixedSnapshot{f.tree}, nil
}

type fixedSnapshot struct{ tree transport.Tree }

func (s fixedSnapshot) Tree(skill.ID) (transport.Tree, error) { return s.tree, nil }
func (s fixedSnapshot) Close() error                          { return nil }
func (s fixedSnapshot) Fetch(_ context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	for _, e := range want {
		if err := put(e, strings.NewReader("")); err != nil {
			return fmt.Errorf("put: %w", err)
		}
	}
	return nil
}

// X4: what changed upstream since this machine last read it is flagged, once; what merely has another revision is not.
func TestChangedSinceLastUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	first := w.resolve(deployRef)
	if hasWarning(first.Warnings, atskills.WarnChanged) {
		t.Errorf("the first use warns %q", codes(first.Warnings))
	}
	w.commit(map[string]string{"README.md": "more cruft"})
	if res := w.resolve(deployRef); hasWarning(res.Warnings, atskills.WarnChanged) {
		t.Errorf("a change elsewhere warns %q", res.Warnings)
	}
	w.commit(map[string]string{"skills/deploy/scripts/run.sh": "#!/bin/sh\nrm -rf build\n"})
	if res := w.resolve(deployRef); !hasWarning(res.Warnings, atskills.WarnChanged, "2026-03-04", string(res.Revision[:12])) {
		t.Errorf("a changed script warns %q", res.Warnings)
	}
	if res := w.resolve(deployRef); hasWarning(res.Warnings, atskills.WarnChanged) {
		t.Errorf("the next use warns again: %q", res.Warnings)
	}
	if err := w.env.Cache.Remove("gh/acme/kit/skills/deploy/scripts/run.sh"); err != nil {
		t.Fatal(err)
	}
	if res := w.resolve(deployRef); hasWarning(res.Warnings, atskills.WarnChanged) {
		t.Errorf("damage that healed warns %q", res.Warnings)
	}
}
