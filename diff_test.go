package atskills_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// diff compares ref, and fails the test on an error and when anything was written.
func (w *world) diff(ref string, opts ...atskills.DiffOption) *atskills.Difference {
	w.Helper()
	var count fstest.Counter
	env := w.env
	env.Project = count.Wrap(env.Project)
	if env.Cache != nil {
		env.Cache = count.Wrap(env.Cache)
	}
	got, err := atskills.Diff(w.Context(), env, ref, opts...)
	if err != nil {
		w.Fatalf("Diff(%q) error: %v", ref, err)
	}
	if calls := count.Mutations(); len(calls) > 0 {
		w.Errorf("Diff(%q) wrote: %v", ref, calls)
	}
	return got
}

// changes spells rows for comparing: "path yours/theirs", with "!" for a clash.
func changes(d *atskills.Difference) (out []string) {
	for _, f := range d.Files {
		row := f.Path + " " + string(f.Yours) + "/" + string(f.Theirs)
		if f.Clash {
			row += " !"
		}
		out = append(out, row)
	}
	return out
}

// S13: an unchanged copy under an unchanged upstream costs one probe, without a cache a listing more.
func TestDiffUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	rev := w.save(deployRef).Revision
	w.counter.Reset()
	got := w.diff(deployRef)
	w.asked("an unchanged copy", transporttest.Counts{Probes: 1})
	if len(got.Files) != 0 || got.Head != rev || len(got.Stamps) != 1 || got.Stamps[0].Revision != rev || len(got.Warnings) != 0 {
		t.Errorf("Diff = %+v", got)
	}
	w.env.Cache = nil
	if got := w.diff(deployRef, atskills.WithText()); len(got.Files) != 0 {
		t.Errorf("Diff = %+v", got)
	}
	w.asked("an unchanged copy without a cache", transporttest.Counts{Probes: 1, Opens: 1})
}

// S13: what you changed, what they changed, and where both did; files, modes and text.
func TestDiffThreeWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
-- acme/kit/s/SKILL.md --
base
-- acme/kit/s/both.txt --
base
-- acme/kit/s/alike.txt --
base
-- acme/kit/s/theirs.txt --
base
-- acme/kit/s/dropped.txt --
base
-- acme/kit/s/mode.sh (executable) --
base
-- acme/kit/s/clean.txt --
clean
`)
	w.save("gh:acme/kit/s")
	const at = ".atskills/gh/acme/kit/s/"
	w.edit(at+"SKILL.md", "mine\n")
	w.edit(at+"both.txt", "mine\n")
	w.edit(at+"alike.txt", "same\n")
	w.edit(at+"added.txt", "mine\n")
	w.remove(at + "dropped.txt")
	w.remove(at + "mode.sh")
	w.edit(at+"mode.sh", "base\n")
	fstest.Write(t, w.env.Project, at[:len(at)-1], fstest.Tree{"link@": "SKILL.md"})
	w.commit(map[string]string{"s/both.txt": "theirs\n", "s/alike.txt": "same\n", "s/theirs.txt": "theirs\n", "s/dropped.txt": "theirs\n", "s/new.txt": "theirs\n"})
	want := []string{
		"SKILL.md edited/", "added.txt extra/", "alike.txt edited/edited", "both.txt edited/edited !",
		"dropped.txt missing/edited !", "link extra/", "mode.sh mode/", "new.txt /extra", "theirs.txt /edited",
	}
	w.counter.Reset()
	if diff := cmp.Diff(want, changes(w.diff("gh:acme/kit/s"))); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	w.asked("both sides changed", transporttest.Counts{Probes: 1, Opens: 1}) // the cache has the recorded revision

	got := w.diff("gh:acme/kit/s", atskills.WithText())
	if diff := cmp.Diff(want, changes(got)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	w.asked("with text", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4}) // alike.txt is on disk
	text := map[string][3]string{}
	for _, f := range got.Files {
		text[f.Path] = [3]string{string(f.Base.Text), string(f.Copy.Text), string(f.Upstream.Text)}
		for _, v := range []atskills.Version{f.Base, f.Copy, f.Upstream} {
			if v.Text != nil && !v.Exists {
				t.Errorf("%s: text without a file", f.Path)
			}
		}
	}
	if diff := cmp.Diff(map[string][3]string{
		"SKILL.md":    {"base\n", "mine\n", "base\n"},
		"added.txt":   {"", "mine\n", ""},
		"alike.txt":   {"base\n", "same\n", "same\n"},
		"both.txt":    {"base\n", "mine\n", "theirs\n"},
		"dropped.txt": {"base\n", "", "theirs\n"},
		"link":        {"", "", ""},
		"mode.sh":     {"base\n", "base\n", "base\n"},
		"new.txt":     {"", "", "theirs\n"},
		"theirs.txt":  {"base\n", "base\n", "theirs\n"},
	}, text); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}

	// Once the cache has moved on, the recorded revision is listed instead, and the answers are the same.
	w.resolve("gh:acme/kit/s", atskills.FromUpstream())
	w.counter.Reset()
	again := w.diff("gh:acme/kit/s", atskills.WithText())
	w.asked("a cache that moved on", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 3})
	if diff := cmp.Diff(got.Files, again.Files); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

// S2, S7: a copy below another's stamp, copies below the folder, and a copy that was moved are compared by the stamps
// that cover them.
func TestDiffByStamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(skillsRef)
	w.edit(deployCopy+"/SKILL.md", "mine")
	w.edit(skillsCopy+"/review/x", "mine")
	if got := w.diff(deployRef); !cmp.Equal(changes(got), []string{"SKILL.md edited/"}) || got.Stamps[0].ID.String() != skillsRef {
		t.Errorf("Diff of a child = %v", changes(got))
	}
	fstest.Write(t, w.env.Project, ".atskills/moved", fstest.Read(t, w.env.Project, skillsCopy))
	if got := w.diff("moved"); !cmp.Equal(changes(got), []string{"deploy/SKILL.md edited/", "review/x extra/"}) {
		t.Errorf("Diff of a moved copy = %v", changes(got))
	}
	w.remove(skillsCopy)
	w.save(deployRef)
	w.edit(deployCopy+"/x", "mine")
	w.edit(skillsCopy+"/own/SKILL.md", "mine")
	if got := w.diff("gh:acme/kit"); !cmp.Equal(changes(got), []string{"skills/deploy/x extra/", "skills/own/SKILL.md extra/"}) {
		t.Errorf("Diff of a parent = %v", changes(got))
	}
}

// S13: what cannot be known is said.
func TestDiffWithoutUpstream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	rev := w.save(deployRef).Revision
	w.edit(deployCopy+"/x", "mine")
	w.fake.SetOffline(true)
	got := w.diff(deployRef)
	if got.Head != "" || !cmp.Equal(changes(got), []string{"x extra/"}) || !hasWarning(got.Warnings, atskills.WarnStale, "not known") {
		t.Errorf("Diff offline = %+v", got)
	}
	w.fake.SetOffline(false)
	w.commit(map[string]string{"skills/deploy/SKILL.md": ""})
	got = w.diff(deployRef)
	if !hasWarning(got.Warnings, atskills.WarnGone) && !strings.Contains(strings.Join(changes(got), " "), "/missing") {
		t.Errorf("Diff of what is gone = %v, warnings %v", changes(got), got.Warnings)
	}
	w.resolve(reviewRef, atskills.FromUpstream())
	if err := w.fake.Forget("acme/kit", string(rev)); err != nil {
		t.Fatal(err)
	}
	if got := w.diff(deployRef); len(got.Files) == 0 { // the cache still has it
		t.Errorf("Diff = %+v", got)
	}
	w.env.Cache = nil
	if _, err := atskills.Diff(t.Context(), w.env, deployRef); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Diff of a lost revision error %v", err)
	}

	w.edit(".atskills/own/SKILL.md", "own")
	w.edit(".atskills/odd/.source", "gh:rubbish")
	w.edit(".atskills/odd/SKILL.md", "odd")
	var miss *atskills.NotFoundError
	if _, err := atskills.Diff(t.Context(), w.env, "own"); !errors.Is(err, atskills.ErrOwnWork) {
		t.Errorf("Diff of own work error %v", err)
	}
	if _, err := atskills.Diff(t.Context(), w.env, "odd"); err == nil || !strings.Contains(err.Error(), "no id") {
		t.Errorf("Diff by a broken stamp error %v", err)
	}
	if _, err := atskills.Diff(t.Context(), w.env, "nowhere"); !errors.As(err, &miss) {
		t.Errorf("Diff of nothing error %v", err)
	}
	w.env.Project = fsx.OS(t.TempDir())
	if _, err := atskills.Diff(t.Context(), w.env, deployRef); !errors.As(err, &miss) {
		t.Errorf("Diff in an empty project error %v", err)
	}
}
