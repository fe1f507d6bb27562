package atskills_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const (
	reviewRef  = "gh:acme/kit/skills/review"
	deployCopy = ".atskills/gh/acme/kit/skills/deploy"
	skillsCopy = ".atskills/gh/acme/kit/skills"
)

// save saves ref and fails the test on an error.
func (w *world) save(ref string) *atskills.Saved {
	w.Helper()
	saved, err := atskills.Save(w.Context(), w.env, ref)
	if err != nil {
		w.Fatalf("Save(%q) error: %v", ref, err)
	}
	return saved
}

// conflict saves ref and fails the test unless that is a conflict which touches nothing (S5).
func (w *world) conflict(ref string) *atskills.ConflictError {
	w.Helper()
	before := fstest.Read(w.T, w.env.Project, "")
	saved, err := atskills.Save(w.Context(), w.env, ref)
	var e *atskills.ConflictError
	if !errors.As(err, &e) || !errors.Is(err, atskills.ErrConflict) {
		w.Fatalf("Save(%q) = %+v, error %v; want a conflict", ref, saved, err)
	}
	if diff := cmp.Diff(before, fstest.Read(w.T, w.env.Project, "")); diff != "" {
		w.Errorf("a conflict changed the project (-before +after):\n%s", diff)
	}
	return e
}

// edit writes into the project.
func (w *world) edit(name, body string) {
	w.Helper()
	write(w.T, w.env.Project, map[string]string{name: body})
}

func (w *world) remove(name string) {
	w.Helper()
	if err := fsx.RemoveAll(w.env.Project, name); err != nil {
		w.Fatal(err)
	}
}

func ids(w *world, list ...string) (out []skill.ID) {
	w.Helper()
	for _, s := range list {
		id, err := skill.ParseID(s)
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

// S1, S10: what lands, where, with which stamp; the copy answers from then on.
func TestSaveSkill(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		w.env.Project = fsx.Locked(sys.New(t))
		got := w.save("@skills:" + deployRef + ":save")
		rev := w.fake.Tip("acme/kit")
		want := &atskills.Saved{
			ID: ids(w, deployRef)[0], State: atskills.SavedNew, Kind: atskills.Skill, Source: atskills.FromGitHub,
			Served: atskills.ServedFresh, Revision: transport.Revision(rev), Skills: 1, Files: 4,
			Executables: []string{"scripts/run.sh"},
			Dir:         got.Dir, Path: w.env.Project.Join(got.Dir, "SKILL.md"),
			ReviewURL: "https://github.com/acme/kit/tree/" + rev + "/skills/deploy",
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(skill.ID{})); diff != "" {
			t.Errorf("Save (-want +got):\n%s", diff)
		}
		if end := w.env.Project.Join(".atskills", "gh", "acme", "kit", "skills", "deploy"); !strings.HasSuffix(got.Dir, end) {
			t.Errorf("saved to %s, want %s", got.Dir, end)
		}
		if diff := cmp.Diff(fstest.Tree{
			"SKILL.md":        skillText("deploy", "Ships a build.", "Run scripts/run.sh."),
			"scripts/run.sh*": "#!/bin/sh\n",
			".hidden":         "marker\n",
			"nested/SKILL.md": "---\nname: nested\ndescription: Belongs to deploy.\n---\n",
			".source":         deployRef + "\n2026-03-04 rev:" + rev + "\n",
		}, fstest.Read(t, w.env.Project, deployCopy)); diff != "" {
			t.Errorf("the copy (-want +got):\n%s", diff)
		}
		w.noLeftovers(w.env.Project)
		w.counter.Reset()
		if res := w.resolve(deployRef); res.Served != atskills.ServedLocal || res.Content != "Run scripts/run.sh." {
			t.Errorf("Resolve = %q served %s", res.Content, res.Served)
		}
		w.asked("a saved skill", transporttest.Counts{})
	})
}

// S1, R5: a collection lands as one tree under one stamp, and the cap holds for it.
func TestSaveCollection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+many("acme/kit", "lots", 129))
	got := w.save(skillsRef)
	if got.Kind != atskills.Menu || got.Skills != 2 || got.Files != 6 || got.Path != got.Dir || !cmp.Equal(got.Executables, []string{"deploy/scripts/run.sh"}) {
		t.Errorf("Save = %+v", got)
	}
	stamps := 0
	for name := range tree(t, w.env.Project, "") {
		if strings.HasSuffix(name, ".source") {
			stamps++
		}
	}
	if stamps != 1 {
		t.Errorf("%d stamps, want 1", stamps)
	}
	before := tree(t, w.env.Project, "")
	var large *atskills.TooLargeError
	if _, err := atskills.Save(t.Context(), w.env, "gh:acme/kit/lots"); !errors.As(err, &large) || large.Count != 129 {
		t.Errorf("Save of 129 skills error %v", err)
	}
	if diff := cmp.Diff(before, tree(t, w.env.Project, "")); diff != "" {
		t.Errorf("a refusal changed the project:\n%s", diff)
	}
}

// S3: a bare path is the project's own already.
func TestSaveBarePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.edit(".atskills/team/deploy/SKILL.md", "x")
	for _, ref := range []string{"team/deploy", "nowhere"} {
		_, err := atskills.Save(t.Context(), w.env, ref)
		if !errors.Is(err, atskills.ErrOwnWork) || !strings.Contains(err.Error(), "gh:") {
			t.Errorf("Save(%q) error %v", ref, err)
		}
	}
	w.asked("bare paths", transporttest.Counts{})
	if _, err := atskills.Save(t.Context(), w.env, "gh:acme"); err == nil {
		t.Error("Save of an owner worked")
	}
	w.env.Project = nil
	if _, err := atskills.Save(t.Context(), w.env, deployRef); err == nil || !strings.Contains(err.Error(), "no project") {
		t.Errorf("Save without a project error %v", err)
	}
}

// S3: content without a stamp at or above is the project's own work, whatever kind of thing it is, and upstream is not
// even asked.
func TestSaveOwnWork(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]fstest.Tree{
		"skill":      {deployCopy + "/SKILL.md": "mine"},
		"other file": {deployCopy + "/notes.txt": "mine"},
		"dot file":   {deployCopy + "/.env": "mine"},
		"deep":       {deployCopy + "/a/b/c": "mine"},
		"repository": {deployCopy + "/.git/HEAD": "mine"},
		"a file":     {deployCopy: "mine"},
		"a link":     {deployCopy + "@": "../../../../../.claude/skills/deploy", ".claude/skills/deploy/SKILL.md": "mine"},
		"link below": {deployCopy + "/x@": "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			fstest.Write(t, w.env.Project, "", own)
			before := fstest.Read(t, w.env.Project, "")
			if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.Is(err, atskills.ErrOwnWork) || errors.Is(err, atskills.ErrConflict) {
				t.Errorf("Save error %v, want own work", err)
			}
			if diff := cmp.Diff(before, fstest.Read(t, w.env.Project, "")); diff != "" {
				t.Errorf("the project changed (-before +after):\n%s", diff)
			}
			w.asked("own work", transporttest.Counts{})
		})
	}
}

// R3: an empty folder, and one with nothing but a stamp, hold nothing to lose.
func TestSaveIntoEmptyFolder(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]fstest.Tree{
		"empty":         {deployCopy + "/": ""},
		"empty folders": {deployCopy + "/a/b/": ""},
		"stamp alone":   {deployCopy + "/.source": "gh:acme/kit/skills/deploy\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			fstest.Write(t, w.env.Project, "", there)
			if got := w.save(deployRef); got.State != atskills.SavedNew || got.Files != 4 {
				t.Errorf("Save = %+v", got)
			}
		})
	}
}

// S3, S4: saving again replaces an unedited copy with exactly what upstream has now, and an unchanged one is left alone;
// what is asked of upstream is the least that proves it.
func TestSaveAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(deployRef)
	w.counter.Reset()
	var count fstest.Counter
	project := w.env.Project
	w.env.Project = count.Wrap(project)
	if got := w.save(deployRef); got.State != atskills.SavedUnchanged || got.Files != 4 || got.Kind != atskills.Skill {
		t.Errorf("Save = %+v", got)
	}
	w.asked("an unchanged skill", transporttest.Counts{Probes: 1})
	if calls := count.Mutations(); len(calls) != 0 {
		t.Errorf("an unchanged skill was written: %v", calls)
	}
	w.env.Project = project
	w.env.Cache = nil // nobody's copy but the project's
	if got := w.save(deployRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
	w.asked("an unchanged skill without a cache", transporttest.Counts{Probes: 1, Opens: 1})

	rev := w.commit(map[string]string{
		"skills/deploy/SKILL.md":       skillText("deploy", "Ships.", "New."),
		"skills/deploy/scripts/run.sh": "", "skills/deploy/added": "added",
	})
	w.env.Now = func() time.Time { return time.Date(2026, 5, 6, 23, 30, 0, 0, time.FixedZone("", -5*3600)) }
	if got := w.save(deployRef); got.State != atskills.SavedReplaced || string(got.Revision) != rev {
		t.Errorf("Save = %+v", got)
	}
	w.asked("two changed files", transporttest.Counts{Probes: 1, Opens: 2, Fetches: 1, Bodies: 2}) // the rest is on disk
	if diff := cmp.Diff(fstest.Tree{
		"SKILL.md":        skillText("deploy", "Ships.", "New."),
		"added":           "added",
		".hidden":         "marker\n",
		"nested/SKILL.md": "---\nname: nested\ndescription: Belongs to deploy.\n---\n",
		".source":         deployRef + "\n2026-05-07 rev:" + rev + "\n",
	}, fstest.Read(t, project, deployCopy)); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
}

// S5: every kind of edit is a conflict that names it, with the three ways out, and costs no body.
func TestSaveEdited(t *testing.T) {
	t.Parallel()
	file := deployCopy + "/scripts/run.sh"
	edits := map[string]struct {
		edit func(w *world)
		want []atskills.FileChange
	}{
		"edited":       {func(w *world) { w.edit(deployCopy+"/SKILL.md", "mine") }, []atskills.FileChange{{Path: "SKILL.md", Change: atskills.Edited}}},
		"same size":    {func(w *world) { w.edit(file, "#!/bin/zs\n") }, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Edited}}},
		"line endings": {func(w *world) { w.edit(file, "#!/bin/sh\r\n") }, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Edited}}},
		"extra":        {func(w *world) { w.edit(deployCopy+"/cache/x.pyc", "x") }, []atskills.FileChange{{Path: "cache/x.pyc", Change: atskills.Extra}}},
		"extra dot":    {func(w *world) { w.edit(deployCopy+"/.env", "x") }, []atskills.FileChange{{Path: ".env", Change: atskills.Extra}}},
		"missing":      {func(w *world) { w.remove(file) }, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Missing}}},
		"renamed": {func(w *world) {
			w.remove(file)
			w.edit(deployCopy+"/scripts/go.sh", "#!/bin/sh\n")
		}, []atskills.FileChange{{Path: "scripts/go.sh", Change: atskills.Extra}, {Path: "scripts/run.sh", Change: atskills.Missing}}},
		"mode": {func(w *world) {
			w.remove(file)
			w.edit(file, "#!/bin/sh\n")
		}, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Mode}}},
		"link": {func(w *world) {
			w.remove(file)
			fstest.Write(w.T, w.env.Project, "", fstest.Tree{file + "@": "../SKILL.md"})
		}, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Edited}}},
		"folder": {func(w *world) {
			w.remove(file)
			w.edit(file+"/x", "x")
		}, []atskills.FileChange{{Path: "scripts/run.sh", Change: atskills.Missing}, {Path: "scripts/run.sh/x", Change: atskills.Extra}}},
		"repository":  {func(w *world) { w.edit(deployCopy+"/.git/HEAD", "x") }, []atskills.FileChange{{Path: ".git/", Change: atskills.Extra}}},
		"other stamp": {func(w *world) { w.edit(deployCopy+"/scripts/.source", "x") }, nil},
	}
	for name, tt := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			rev := w.save(deployRef).Revision
			w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
			tt.edit(w)
			w.counter.Reset()
			e := w.conflict(deployRef)
			if tt.want != nil {
				if diff := cmp.Diff(tt.want, e.Files); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				if e.Origin.String() != deployRef || e.Revision != rev || e.Date.Format(time.DateOnly) != "2026-03-04" || e.Err != nil {
					t.Errorf("conflict = %+v", e)
				}
				w.asked("an edited skill", transporttest.Counts{Probes: 1, Opens: 1})
			}
			ways := e.WaysOut()
			if len(ways) != 3 {
				t.Fatalf("ways out %q", ways)
			}
			for _, text := range append(ways, deployCopy, "scripts") {
				if name != "repository" && name != "edited" && !strings.HasPrefix(name, "extra") && !strings.Contains(e.Error(), text) {
					t.Errorf("the text %q does not say %q", e, text)
				}
			}
			// The second way out works.
			w.remove(deployCopy)
			if got := w.save(deployRef); got.State != atskills.SavedNew {
				t.Errorf("after deleting the folder: %+v", got)
			}
		})
	}
}

// S4: what cannot be compared counts as edited, and the reason is said.
func TestSaveUnverifiable(t *testing.T) {
	t.Parallel()
	stamp := deployCopy + "/.source"
	tests := map[string]struct {
		break_ func(w *world, rev string)
		reason string
		is     error
	}{
		"force-pushed away": {func(w *world, rev string) {
			w.commit(map[string]string{"x": "x"})
			if err := w.fake.Forget("acme/kit", rev); err != nil {
				w.Fatal(err)
			}
		}, "does not serve the recorded revision", transport.ErrNoRevision},
		"unreachable": {func(w *world, _ string) { w.fake.SetOffline(true) }, "did not answer", atskills.ErrUnreachable},
		"unreachable later": {func(w *world, _ string) {
			w.commit(map[string]string{"x": "x"})
			w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
				if op == "list" {
					return &transport.Error{Op: "list", Kind: transport.ErrUnreachable}
				}
				return nil
			})
		}, "did not answer", atskills.ErrUnreachable},
		"repository deleted": {func(w *world, _ string) { w.fake.Remove("acme/kit") }, "gone upstream", atskills.ErrNotFound},
		"no access": {func(w *world, _ string) {
			if err := w.fake.SetAccess("acme/kit", &transporttest.Access{}); err != nil {
				w.Fatal(err)
			}
		}, "gone upstream", atskills.ErrNoAccess},
		"not configured":    {func(w *world, _ string) { w.env.Transport = nil }, "cannot be compared", atskills.ErrNotConfigured},
		"no revision":       {func(w *world, _ string) { w.edit(stamp, deployRef+"\n2026-03-04\n") }, "records no revision", nil},
		"no second line":    {func(w *world, _ string) { w.edit(stamp, deployRef) }, "records no revision", nil},
		"rubbish":           {func(w *world, _ string) { w.edit(stamp, "\x00\xff{") }, "no id", nil},
		"empty stamp":       {func(w *world, _ string) { w.edit(stamp, "") }, "no id", nil},
		"stamp of another":  {func(w *world, rev string) { w.edit(stamp, reviewRef+"\n2026-03-04 rev:"+rev) }, "belongs elsewhere", nil},
		"unknown revision":  {func(w *world, _ string) { w.edit(stamp, deployRef+"\n2026-03-04 rev:abc") }, "does not serve", transport.ErrNoRevision},
		"stamp is a folder": {func(w *world, _ string) { w.remove(stamp); w.edit(stamp+"/x", "x") }, "", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			rev := w.save(deployRef).Revision
			tt.break_(w, string(rev))
			if name == "stamp is a folder" { // then there is none
				if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.Is(err, atskills.ErrOwnWork) {
					t.Errorf("Save error %v", err)
				}
				return
			}
			e := w.conflict(deployRef)
			if !strings.Contains(e.Reason, tt.reason) || tt.is != nil && !errors.Is(e, tt.is) || len(e.Files) > 0 {
				t.Errorf("conflict %v, files %v; want %q and %v", e, e.Files, tt.reason, tt.is)
			}
		})
	}
}

// S4: a hub serves its present revision alone, so that a copy is replaced as long as that has not moved.
func TestSaveFromHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- hub:acme/pdf/SKILL.md --\n"+skillText("pdf", "Reads.", "Old."))
	if got := w.save("hub:acme/pdf"); got.Source != atskills.FromHub || got.State != atskills.SavedNew || got.ReviewURL != "" {
		t.Errorf("Save = %+v", got)
	}
	if got := w.save("hub:acme/pdf"); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
	w.env.Cache = nil // compared by SHA-256 then
	if got := w.save("hub:acme/pdf"); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
	if _, err := w.fake.Commit("hub:acme/pdf", time.Time{}, map[string]transporttest.File{"SKILL.md": {Body: skillText("pdf", "Reads.", "New.")}}); err != nil {
		t.Fatal(err)
	}
	if e := w.conflict("hub:acme/pdf"); !errors.Is(e, transport.ErrNoRevision) || !strings.Contains(e.Reason, "a hub serves its present revision only") {
		t.Errorf("conflict %v", e)
	}
}

// S6: a parent takes over its unedited children under one stamp, and says so; an edited child or an own file stops it,
// by name.
func TestSaveWidens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(deployRef)
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads.", "Newer.")})
	w.save(reviewRef)

	w.edit(deployCopy+"/mine.txt", "mine")
	if e := w.conflict(skillsRef); !cmp.Equal(e.Files, []atskills.FileChange{{Path: "deploy/mine.txt", Change: atskills.Extra}}) || !strings.Contains(e.Reason, "deploy") {
		t.Errorf("conflict %v", e)
	}
	w.remove(deployCopy + "/mine.txt")
	w.edit(skillsCopy+"/own/SKILL.md", "own")
	if e := w.conflict(skillsRef); !cmp.Equal(e.Files, []atskills.FileChange{{Path: "own/SKILL.md", Change: atskills.Extra}}) {
		t.Errorf("conflict %v", e)
	}
	w.remove(skillsCopy + "/own")

	got := w.save(skillsRef)
	if got.State != atskills.SavedReplaced || !cmp.Equal(got.Absorbed, ids(w, deployRef, reviewRef), cmp.AllowUnexported(skill.ID{})) {
		t.Errorf("Save = %+v", got)
	}
	for _, name := range []string{deployCopy, skillsCopy + "/review"} {
		if _, err := w.env.Project.Stat(name + "/.source"); err == nil {
			t.Errorf("%s still has a stamp of its own", name)
		}
	}
	if got := w.save(skillsRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
}

// S7: a child below a saved parent is compared with the parent's revision at that path, and then has a stamp of its own
// that speaks for it; the parent is compared without it, and takes it over again.
func TestSaveChildBelowParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(skillsRef)
	rev := w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
	w.edit(deployCopy+"/SKILL.md", "mine")
	if e := w.conflict(deployRef); e.Origin.String() != skillsRef || !cmp.Equal(e.Files, []atskills.FileChange{{Path: "SKILL.md", Change: atskills.Edited}}) {
		t.Errorf("conflict %+v", e)
	}
	w.edit(deployCopy+"/SKILL.md", skillText("deploy", "Ships a build.", "Run scripts/run.sh."))
	w.edit(skillsCopy+"/review/SKILL.md", "an edit beside it does not matter")
	if got := w.save(deployRef); got.State != atskills.SavedReplaced || string(got.Revision) != rev || len(got.Absorbed) > 0 {
		t.Errorf("Save = %+v", got)
	}
	stamp, err := atskills.Origin(w.env, deployRef)
	if err != nil || stamp.ID.String() != deployRef {
		t.Errorf("Origin = %+v, error %v", stamp, err)
	}
	if e := w.conflict(skillsRef); !cmp.Equal(e.Files, []atskills.FileChange{{Path: "review/SKILL.md", Change: atskills.Edited}}) {
		t.Errorf("the child counts as an edit of its parent: %v", e)
	}
	w.edit(skillsCopy+"/review/SKILL.md", skillText("review", "Reads a change.", "Look twice."))
	if got := w.save(skillsRef); got.State != atskills.SavedReplaced || len(got.Absorbed) != 1 {
		t.Errorf("Save = %+v", got)
	}
	// A child that the person deleted below a saved parent comes back alone: nothing stands there to lose.
	w.remove(deployCopy)
	if got := w.save(deployRef); got.State != atskills.SavedNew {
		t.Errorf("Save = %+v", got)
	}
}

// C4, C5: while upstream does not answer a cached copy is saved with the revision it has, and says so; a damaged one is
// not, and none takes the place of another.
func TestSaveOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	rev := w.resolve(deployRef).Revision
	w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
	w.fake.SetOffline(true)
	if _, err := atskills.Save(t.Context(), w.env, "gh:acme/other"); !errors.Is(err, atskills.ErrUnreachable) {
		t.Errorf("Save of what is not cached error %v", err)
	}
	got := w.save(deployRef)
	if got.Revision != rev || got.Served != atskills.ServedStale || !hasWarning(got.Warnings, atskills.WarnStale, "cached 2026-03-04") {
		t.Errorf("Save = %+v", got)
	}
	w.fake.SetOffline(false)
	if got := w.save(deployRef); got.State != atskills.SavedReplaced || !slices.Equal(codes(got.Warnings), []string{atskills.WarnChanged}) {
		t.Errorf("Save = %+v", got)
	}

	w.remove(".atskills/gh")
	if err := w.env.Cache.Remove("gh/acme/kit/skills/deploy/scripts/run.sh"); err != nil {
		t.Fatal(err)
	}
	w.fake.SetOffline(true)
	if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.Is(err, atskills.ErrUnreachable) || !strings.Contains(err.Error(), "is not what was fetched") {
		t.Errorf("Save of a damaged entry error %v", err)
	}
	if res, err := atskills.Origin(w.env, deployRef); err == nil {
		t.Errorf("something was saved: %+v", res)
	}
}

// A cache that cannot be written is no reason not to save.
func TestSaveWithoutUsableCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Cache = fstest.ReadOnly(w.env.Cache)
	if got := w.save(deployRef); got.State != atskills.SavedNew || got.Files != 4 || !hasWarning(got.Warnings, atskills.WarnCache) {
		t.Errorf("Save = %+v", got)
	}
	if got := w.save(deployRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
}

// C5: what is gone upstream is saved from the cache with a warning, and an unedited copy of it is left alone.
func TestSaveGoneUpstream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(reviewRef)
	w.commit(map[string]string{"skills/review/SKILL.md": "", "skills/review/ref/style.md": ""})
	if got := w.save(reviewRef); !hasWarning(got.Warnings, atskills.WarnGone, "cached 2026-03-04") || got.State != atskills.SavedNew {
		t.Errorf("Save = %+v", got)
	}
	before := tree(t, w.env.Project, "")
	if _, err := atskills.Save(t.Context(), w.env, reviewRef); !errors.Is(err, atskills.ErrNotFound) || !strings.Contains(err.Error(), "stays as it is") {
		t.Errorf("Save error %v", err)
	}
	if diff := cmp.Diff(before, tree(t, w.env.Project, "")); diff != "" {
		t.Errorf("the project changed:\n%s", diff)
	}
}

// F2, W3, S2: links and submodules never land, and neither does a stamp from upstream, which would lie about an origin;
// each is reported.
func TestSaveSkips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- acme/kit/skills/deploy/.source --
gh:trusted/repo
-- acme/kit/skills/deploy/leak (symlink) --
/etc/passwd
-- acme/kit/skills/review/.source --
gh:trusted/repo
2026-01-01 rev:abc
`)
	got := w.save(skillsRef)
	for _, name := range []string{"deploy/.source", "deploy/leak", "review/.source"} {
		if !hasWarning(got.Warnings, atskills.WarnSkipped, "skills/"+name) {
			t.Errorf("nothing says that %s did not land: %v", name, got.Warnings)
		}
		if _, err := w.env.Project.Lstat(skillsCopy + "/" + name); err == nil {
			t.Errorf("%s landed", name)
		}
	}
	if stamp, err := atskills.Origin(w.env, deployRef); err != nil || stamp.ID.String() != skillsRef {
		t.Errorf("Origin = %+v, error %v", stamp, err)
	}
	if got := w.save(skillsRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
	w.env.Cache = nil
	if got := w.save(skillsRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
}

// S10: a trigger line that still follows the id is noted, in every spelling, and only then.
func TestSaveNotesTrigger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                             0,
		"gh/acme/kit/skills/deploy\n":  0,
		"@" + deployRef:                1,
		"\ufeff@" + deployRef + "\r\n": 1,
		"# x\n  @GH:acme/kit/skills/deploy/  \r\n": 1,
		"@" + deployRef + "x\n":                    0,
		"@" + skillsRef + "/\n":                    0,
		"#@" + deployRef + "\n":                    0,
		"@\n@@\n":                                  0,
	} {
		w := newWorld(t, acme)
		w.edit(".atskills/.autotrigger", text)
		for range 2 {
			got := w.save(deployRef)
			if len(got.Warnings) != want || want > 0 && !hasWarning(got.Warnings, atskills.WarnTrigger, deployRef, "write `gh/acme/kit/skills/deploy` instead") {
				t.Errorf(".autotrigger %q: warnings %v", text, got.Warnings)
			}
		}
	}
}

// S8: an edit made after the copy was compared is found when it is moved away, and is put back.
func TestSaveFindsLateEdit(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		project := quick(t, sys)
		w.env.Project = project
		w.save(deployRef)
		w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
		last := fstest.OpExchange
		switch sys.Name {
		case "memfs":
			last = fstest.OpMkdirAll // the last look is before the copying
		case "ChrootOS", "BoundOS":
			last = fstest.OpRename
		}
		done := false
		w.env.Project = fstest.Hook(project, func(c fstest.Call) error {
			if c.Op == last && !done && (last == fstest.OpMkdirAll || strings.HasPrefix(c.Name, deployCopy) || strings.Contains(c.Name, ".atskills-new-")) {
				done = true
				write(t, project, map[string]string{deployCopy + "/SKILL.md": "mine"})
			}
			return nil
		})
		_, err := atskills.Save(t.Context(), w.env, deployRef)
		var e *atskills.ConflictError
		if !errors.As(err, &e) || !cmp.Equal(e.Files, []atskills.FileChange{{Path: "SKILL.md", Change: atskills.Edited}}) {
			t.Errorf("Save error %v, want a conflict", err)
		}
		if !done {
			t.Fatal("nothing was edited")
		}
		if got := tree(t, project, deployCopy)[deployCopy+"/SKILL.md"]; got != "mine" {
			t.Errorf("the edit became %q", got)
		}
		w.noLeftovers(project)
	})
}

// S8: where folders move by two renames, somebody can write into the gap between them: that is an edit of the old copy,
// which is whole again afterwards.
func TestSaveFindsEditInTheGap(t *testing.T) {
	t.Parallel()
	for _, sys := range fstest.Systems() {
		if sys.Name != "BoundOS" && sys.Name != "ChrootOS" {
			continue
		}
		t.Run(sys.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			project := quick(t, sys)
			w.env.Project = project
			w.save(deployRef)
			want := tree(t, project, deployCopy)
			w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
			done := false
			w.env.Project = fstest.Hook(project, func(c fstest.Call) error {
				if c.Op == fstest.OpRename && strings.Contains(c.Name, "/.atskills-new-") && !done {
					done = true
					write(t, project, map[string]string{deployCopy + "/scripts/run.sh": "mine", deployCopy + "/b/new.txt": "mine"})
				}
				return nil
			})
			_, err := atskills.Save(t.Context(), w.env, deployRef)
			var e *atskills.ConflictError
			if !errors.As(err, &e) || len(e.Files) != 2 || !done {
				t.Errorf("Save error %v, want a conflict about two files", err)
			}
			want[deployCopy+"/scripts/run.sh"], want[deployCopy+"/b/new.txt"] = "mine", "mine"
			if diff := cmp.Diff(want, tree(t, project, deployCopy)); diff != "" {
				t.Errorf("the copy (-want +got):\n%s", diff)
			}
			w.noLeftovers(project)
		})
	}
}

// W3: a linked folder on the way is followed inside the project, and refused when it leaves.
func TestSaveThroughLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	fstest.Write(t, w.env.Project, "", fstest.Tree{"skills/": "", ".atskills@": "skills"})
	w.save(deployRef)
	if got := tree(t, w.env.Project, "skills"); len(got) != 5 {
		t.Errorf("the linked folder holds %v", got)
	}
	if got := w.save(deployRef); got.State != atskills.SavedUnchanged {
		t.Errorf("Save = %+v", got)
	}
	w = newWorld(t, acme)
	outside := t.TempDir()
	w.env.Project = fsx.OS(t.TempDir())
	fstest.Write(t, w.env.Project, "", fstest.Tree{".atskills/gh@": outside})
	if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.Is(err, fsx.ErrLinkEscapes) {
		t.Errorf("Save error %v", err)
	}
	if got := tree(t, fsx.OS(outside), ""); len(got) != 0 {
		t.Errorf("outside of the project there is %v", got)
	}
	// A folder that is linked to the cache is nobody's copy: both stay whole.
	w = newWorld(t, acme)
	dir := t.TempDir()
	w.env.Project, w.env.Cache = fsx.OS(dir), fsx.OS(dir+"/cache")
	w.resolve(deployRef)
	fstest.Write(t, w.env.Project, "", fstest.Tree{".atskills/gh@": "../cache/gh"})
	before := tree(t, w.env.Cache, "")
	if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.Is(err, atskills.ErrOwnWork) {
		t.Errorf("Save onto the cache error %v", err)
	}
	if diff := cmp.Diff(before, tree(t, w.env.Cache, "")); diff != "" {
		t.Errorf("the cache changed:\n%s", diff)
	}
}

// Class 15: equal names from two repositories are two copies; every spelling of an address leaves the same stamp.
func TestSaveIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- other/kit/skills/deploy/SKILL.md --\n"+skillText("deploy", "Theirs.", "Theirs."))
	w.save("gh:other/kit/skills/deploy")
	for _, ref := range []string{deployRef, "gh/acme/kit/skills/deploy/", "https://github.com/acme/kit/tree/main/skills/deploy?x#y", "GH:acme/kit/skills/deploy/SKILL.md"} {
		w.remove(".atskills/gh/acme")
		if got := w.save(ref); got.ID.String() != deployRef || got.State != atskills.SavedNew {
			t.Errorf("Save(%q) = %+v", ref, got)
		}
		if body := tree(t, w.env.Project, deployCopy)[deployCopy+"/.source"]; !strings.HasPrefix(body, deployRef+"\n") {
			t.Errorf("Save(%q) stamped %q", ref, body)
		}
	}
	if got := w.save("https://github.com/acme/kit/tree/dev/skills/deploy"); !hasWarning(got.Warnings, atskills.WarnBranch, "dev") {
		t.Errorf("a branch was dropped silently: %+v", got)
	}
	if res := w.resolve("gh:other/kit/skills/deploy"); res.Content != "Theirs." {
		t.Errorf("Resolve = %q", res.Content)
	}
}
