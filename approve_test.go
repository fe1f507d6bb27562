package atskills_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const runScript = "scripts/run.sh"

func (w *world) approval(ref, script string) *atskills.Approval {
	w.Helper()
	a, err := atskills.NeedsApproval(w.Context(), w.env, ref, script)
	if err != nil {
		w.Fatalf("NeedsApproval(%q, %q) error: %v", ref, script, err)
	}
	return a
}

func (w *world) approve(a *atskills.Approval) {
	w.Helper()
	if err := atskills.Approve(w.Context(), w.env, a); err != nil {
		w.Fatalf("Approve(%q) error: %v", a.Script, err)
	}
}

// X1: the first run of a cloud skill's script asks, the next does not, and another revision does, with what changed.
func TestApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	first := w.resolve(deployRef).Revision
	w.counter.Reset()

	a := w.approval(deployRef, runScript)
	if !a.Needed || a.State != atskills.ScriptNew || a.Last != nil || a.Diff != "" || a.Revision != first ||
		a.Source != atskills.FromGitHub || !strings.HasSuffix(a.Path, "gh/acme/kit/skills/deploy/scripts/run.sh") || len(a.SHA256) != 64 {
		t.Errorf("the first run: %+v", a)
	}
	w.approve(a)
	if a := w.approval("@skills:"+deployRef+":save", runScript); a.Needed || a.State != atskills.ScriptSame {
		t.Errorf("after it was confirmed: %+v", a)
	}
	w.asked("approvals", transporttest.Counts{})

	w.commit(map[string]string{"skills/deploy/scripts/run.sh": "#!/bin/sh\nrm -r \u202eelif\n"})
	w.resolve(deployRef)
	a = w.approval(deployRef, runScript)
	last := &atskills.ApprovedScript{Revision: first, SHA256: a.Last.SHA256, Date: w.env.Now().UTC()}
	if !a.Needed || a.State != atskills.ScriptChanged || a.Added != 1 || a.Removed != 0 || !cmp.Equal(a.Last, last) {
		t.Errorf("another revision: %+v, last %+v, want %+v", a, a.Last, last)
	}
	if want := " #!/bin/sh\n+rm -r \\u{202E}elif\n"; a.Diff != want {
		t.Errorf("Diff = %q, want %q", a.Diff, want)
	}
	w.approve(a)

	w.commit(map[string]string{"README.md": "another revision, the same script"})
	w.resolve(deployRef)
	if a := w.approval(deployRef, runScript); !a.Needed || a.State != atskills.ScriptSame || a.Diff != "" {
		t.Errorf("another revision with the same script: %+v", a)
	}
}

// X1: an approval survives restarts, and is for one machine's cache: another environment over it sees it.
func TestApprovalSurvives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	dir := t.TempDir()
	w.env.Cache = fsx.OS(dir)
	w.resolve(deployRef)
	w.approve(w.approval(deployRef, runScript))
	w.env.Cache = fsx.OS(dir)
	w.env.Project, w.env.Transport = nil, nil
	if a := w.approval(deployRef, runScript); a.Needed {
		t.Errorf("after a restart: %+v", a)
	}
}

// X1, R1: saved and local skills never ask, and a saved copy answers before the cache does.
func TestApprovalOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{".atskills/own/SKILL.md": skillText("own", "Own.", ""), ".atskills/own/run.sh": "x"})
	w.resolve(deployRef)
	w.save(deployRef)
	for ref, script := range map[string]string{"own": "run.sh", deployRef: runScript} {
		a := w.approval(ref, script)
		if a.Needed || a.Source != atskills.FromProject || !strings.Contains(a.Path, atskills.Dir) {
			t.Errorf("%s: %+v", ref, a)
		}
		w.approve(a)
	}
	for name := range tree(t, w.env.Cache, ".meta") {
		if strings.HasSuffix(name, ".approved") {
			t.Errorf("what never asks was recorded in %s", name)
		}
	}
}

// X1: what is confirmed is what was shown. A script that was fetched anew since, edited in the cache, or saved is not.
func TestApproveWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(w *world){
		"fetched anew": func(w *world) {
			w.commit(map[string]string{"skills/deploy/scripts/run.sh": "#!/bin/sh\nnew\n"})
			w.resolve(deployRef)
		},
		"another revision": func(w *world) {
			w.commit(map[string]string{"README.md": "x"})
			w.resolve(deployRef)
		},
		"edited": func(w *world) {
			write(w.T, w.env.Cache, map[string]string{"gh/acme/kit/skills/deploy/scripts/run.sh": "#!/bin/zz\n"})
		},
		"saved": func(w *world) { w.save(deployRef) },
	} {
		w := newWorld(t, acme)
		w.resolve(deployRef)
		a := w.approval(deployRef, runScript)
		meddle(w)
		if err := atskills.Approve(t.Context(), w.env, a); !errors.Is(err, atskills.ErrScriptChanged) {
			t.Errorf("%s: Approve error = %v, want ErrScriptChanged", name, err)
		}
		if name != "saved" && !w.approval(deployRef, runScript).Needed {
			t.Errorf("%s: nothing was confirmed, and nobody is asked", name)
		}
	}
}

// X1: bytes that changed under a confirmed revision ask again; a copy that is not what was fetched does not run.
func TestApprovalTampered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.approve(w.approval(deployRef, runScript))
	write(t, w.env.Cache, map[string]string{"gh/acme/kit/skills/deploy/scripts/run.sh": "#!/bin/zz\n"})
	if a := w.approval(deployRef, runScript); !a.Needed || a.State != atskills.ScriptChanged {
		t.Errorf("other bytes of the same length: %+v", a)
	}
	write(t, w.env.Cache, map[string]string{"gh/acme/kit/skills/deploy/scripts/run.sh": "#!/bin/sh\nmore\n"})
	if a, err := atskills.NeedsApproval(t.Context(), w.env, deployRef, runScript); err == nil {
		t.Errorf("a damaged copy: %+v", a)
	}
}

// X1, G7: a script is a file that the skill lists, by its exact path; nothing else has an approval.
func TestApprovalPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve("gh:acme/kit/skills")
	w.resolve("gh:acme/kit/skills/deploy")
	for _, script := range []string{
		"", ".", "/", "..", "../review/SKILL.md", "scripts", "scripts/", ".//scripts/run.sh", "scripts//run.sh", "scripts/../scripts/run.sh",
		"/scripts/run.sh", `scripts\run.sh`, "SCRIPTS/RUN.SH", "scripts/run.sh\x00", "SKILL.md", ".hidden", "scripts/absent",
	} {
		a, err := atskills.NeedsApproval(t.Context(), w.env, deployRef, script)
		var miss *atskills.NotFoundError
		if !errors.As(err, &miss) || !slices.Contains(miss.There, runScript) {
			t.Errorf("NeedsApproval(%q) = %+v, error %v; want a NotFoundError that lists the files", script, a, err)
		}
	}
	w.approve(w.approval(deployRef, "././"+runScript)) // as a shell has it
	if a := w.approval(deployRef, "./"+runScript); a.Needed || a.Script != runScript {
		t.Errorf("NeedsApproval(./%s) = %+v, want the script that was confirmed", runScript, a)
	}
	for ref, want := range map[string]string{
		"gh:acme/kit/skills": "a menu", "gh:other/repo": "resolve it first", "absent": "nothing at absent", "gh:": "reference",
	} {
		if a, err := atskills.NeedsApproval(t.Context(), w.env, ref, "deploy/scripts/run.sh"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NeedsApproval of %q = %+v, error %v, want %q", ref, a, err, want)
		}
	}
}

// X1, C3, C8: the record is apart from the metadata that other clients rewrite, the cache takes no notice of it, and one
// that cannot be used means that the host asks.
func TestApprovalRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.approve(w.approval(deployRef, runScript))
	id, err := skill.ParseID(deployRef)
	if err != nil {
		t.Fatal(err)
	}
	record := atskills.ApprovalsPath(id)

	rev := w.fake.Tip("acme/kit")
	meta := strings.TrimSuffix(record, ".approved") + ".json"
	write(t, w.env.Cache, map[string]string{meta: fmt.Sprintf(`{"id":%q,"revision":%q,"fetchedAt":"2026-01-01T00:00:00.000Z"}`, deployRef, rev)})
	if a := w.approval(deployRef, runScript); a.Needed {
		t.Errorf("after another client wrote the metadata: %+v", a)
	}
	w.resolve("gh:acme/kit/skills")
	if got := w.resolve("gh:acme/kit/skills").Served; got != atskills.ServedCached {
		t.Errorf("the collection above was served %s", got)
	}
	if got := w.resolve(deployRef).Served; got != atskills.ServedCached {
		t.Errorf("the skill was served %s", got)
	}
	if a := w.approval(deployRef, runScript); a.Needed {
		t.Errorf("read through the collection: %+v", a)
	}
	whole, err := fsx.ReadFile(w.env.Cache, record, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "{", "null", `{"id":"gh:acme/kit/skills/review","scripts":{}}`,
		strings.Replace(string(whole), `"id":"`+deployRef, `"id":"`+reviewRef, 1), strings.Replace(string(whole), rev, strings.Repeat("0", 40), 1),
	} {
		write(t, w.env.Cache, map[string]string{record: text})
		if a := w.approval(deployRef, runScript); !a.Needed {
			t.Errorf("with the record %q: %+v", text, a)
		}
	}
	if err := w.env.Cache.Remove(record); err != nil {
		t.Fatal(err)
	}
	a := w.approval(deployRef, runScript)
	if !a.Needed {
		t.Errorf("without a record: %+v", a)
	}
	w.approve(a)
	if w.approval(deployRef, runScript).Needed {
		t.Error("a record cannot be made again")
	}
}

// X1: approvals given at the same time, through caches that share nothing but the disk, are all kept.
func TestApproveConcurrently(t *testing.T) {
	t.Parallel()
	const n = 8
	archive := "-- o/r/x/SKILL.md --\n" + skillText("x", "X.", "")
	for i := range n {
		archive += fmt.Sprintf("-- o/r/x/s%d.sh --\necho %d\n", i, i)
	}
	w := newWorld(t, archive)
	dir := t.TempDir()
	w.env.Cache = fsx.OS(dir)
	w.resolve("gh:o/r/x")
	var wg sync.WaitGroup
	for i := range n {
		env := w.env
		env.Cache = fsx.OS(dir)
		wg.Go(func() {
			a, err := atskills.NeedsApproval(t.Context(), env, "gh:o/r/x", fmt.Sprintf("s%d.sh", i))
			if err == nil {
				err = atskills.Approve(t.Context(), env, a)
			}
			if err != nil {
				t.Errorf("s%d.sh: %v", i, err)
			}
		})
	}
	wg.Wait()
	for i := range n {
		if a := w.approval("gh:o/r/x", fmt.Sprintf("s%d.sh", i)); a.Needed {
			t.Errorf("s%d.sh was lost: %+v", i, a)
		}
	}
}

// X1: whatever fails while an approval is recorded, nothing else is approved than what was, and the next try works.
func TestApproveFaults(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for n, done := 1, false; !done; n++ {
		w := newWorld(t, acme)
		w.resolve(deployRef)
		a := w.approval(deployRef, runScript)
		disk := w.env.Cache
		calls := 0
		w.env.Cache = fstest.Hook(disk, func(c fstest.Call) error {
			if c.Op.Mutates() {
				if calls++; calls == n {
					return broken
				}
			}
			return nil
		})
		err := atskills.Approve(t.Context(), w.env, a)
		done = calls < n
		w.env.Cache = disk
		if needed := w.approval(deployRef, runScript).Needed; err == nil && needed || done && err != nil {
			t.Errorf("call %d fails: Approve error = %v, and an approval is needed: %v", n, err, needed)
		}
		w.approve(w.approval(deployRef, runScript))
		if w.approval(deployRef, runScript).Needed {
			t.Errorf("after call %d failed nothing can be approved", n)
		}
		if n > 100 {
			t.Fatal("an approval makes more than 100 changes")
		}
	}
}

// X1: scripts that are no text, or long, are confirmed by their digest alone; a record has a bound.
func TestApprovalBounds(t *testing.T) {
	t.Parallel()
	archive := "-- o/r/x/SKILL.md --\n" + skillText("x", "X.", "") + "-- o/r/x/long --\n" + strings.Repeat("echo\n", 8000) + "-- o/r/x/bin --\na\x00b\n"
	for i := range 70 {
		archive += fmt.Sprintf("-- o/r/x/s%02d --\n%d\n", i, i)
	}
	w := newWorld(t, archive)
	w.resolve("gh:o/r/x")
	clock := w.env.Now()
	w.env.Now = func() time.Time { return clock }
	for _, script := range []string{"long", "bin"} {
		w.approve(w.approval("gh:o/r/x", script))
		if a := w.approval("gh:o/r/x", script); a.Needed || a.Diff != "" {
			t.Errorf("%s: %+v", script, a)
		}
	}
	for i := range 70 {
		clock = clock.Add(time.Minute)
		w.approve(w.approval("gh:o/r/x", fmt.Sprintf("s%02d", i)))
	}
	asked := 0
	for i := range 70 {
		if w.approval("gh:o/r/x", fmt.Sprintf("s%02d", i)).Needed {
			asked++
		}
	}
	if asked != 6 || w.approval("gh:o/r/x", "s69").Needed {
		t.Errorf("of 70 scripts %d are asked about again, want the 6 oldest", asked)
	}
}

// X1: what changed is shown whole, with nothing that hides.
func TestDiffLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b, want     string
		added, removed int
	}{
		{"a\n", "a\n", "…\n", 0, 0},
		{"", "a\nb\n", "+a\n+b\n", 2, 0},
		{"a\nb\n", "", "-a\n-b\n", 0, 2},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "…\n 3\n 4\n-5\n+five\n 6\n 7\n…\n", 1, 1},
		{"a\n", "a", "-a\n+a (no line break at the end)\n", 1, 1},
		{"x\n", "\u200bx\x1b[2J\r\n", "-x\n+\\u{200B}x\\u{1B}[2J\\u{D}\n", 1, 1},
		{"b\nc\n", "a\nb\nd\nc\n", "+a\n b\n+d\n c\n", 2, 0},
	} {
		got, added, removed := atskills.DiffLines(c.a, c.b)
		if got != c.want || added != c.added || removed != c.removed {
			t.Errorf("DiffLines(%q, %q) = %q, %d, %d; want %q, %d, %d", c.a, c.b, got, added, removed, c.want, c.added, c.removed)
		}
	}
}

// X1: the steps of a difference lead from one text to the other, whatever their length.
func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc", "b\nc\nd")
	f.Add("", "x")
	f.Add(strings.Repeat("a\n", 1100), strings.Repeat("b\na\n", 1000))
	f.Fuzz(func(t *testing.T, a, b string) {
		from, to := slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b))
		before, after := atskills.DiffSteps(from, to)
		if !slices.Equal(before, from) || !slices.Equal(after, to) {
			t.Errorf("DiffSteps(%q, %q) = %q, %q", from, to, before, after)
		}
	})
}
