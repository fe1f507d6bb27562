package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// R4, R7, R9: a skill is its body, its bundled files without the dot-files at the top, and where all that came from.
func TestResolveSkill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	res := w.resolve("@skills:gh:acme/kit/skills/deploy")
	rev := w.fake.Tip("acme/kit")
	want := &atskills.Resolution{
		Ref: res.Ref, ID: res.Ref.ID, Kind: atskills.Skill, Source: atskills.FromGitHub, Served: atskills.ServedFresh,
		Revision: transport.Revision(rev), Fetched: w.env.Now(),
		Dir: "/gh/acme/kit/skills/deploy", Path: "/gh/acme/kit/skills/deploy/SKILL.md",
		Name: "deploy", Description: "Ships a build.", Content: "Run scripts/run.sh.",
		Files:     []string{"nested/SKILL.md", "scripts/run.sh"},
		ReviewURL: "https://github.com/acme/kit/tree/" + rev + "/skills/deploy",
	}
	if diff := cmp.Diff(want, res, cmp.AllowUnexported(skill.ID{}, skill.Ref{})); diff != "" {
		t.Errorf("Resolve (-want +got):\n%s", diff)
	}
}

// R4, W1, W2, W4: a menu has one row a skill in byte order, each row's id a reference that resolves.
func TestResolveMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	res := w.resolve("gh:acme/kit")
	want := "gh:acme/kit/.claude/skills/plan: Plans work.\n" +
		"gh:acme/kit/skills/deploy: Ships a build.\n" +
		"gh:acme/kit/skills/review: Reads a change."
	if res.Kind != atskills.Menu || res.Content != want {
		t.Errorf("Resolve = %s %q, want menu %q", res.Kind, res.Content, want)
	}
	w.counter.Reset()
	for _, e := range res.Entries {
		if got := w.resolve(e.ID.Reference()); got.Kind != atskills.Skill || got.Name != e.Name {
			t.Errorf("row %v resolves to %s %q", e.ID, got.Kind, got.Name)
		}
	}
	w.asked("the rows of a menu just read", transporttest.Counts{Probes: 3})
}

// R6, G6: a row whose folder holds a space is in reference spelling.
func TestMenuRowsAreReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a/b/API Gateway/SKILL.md --\n"+skillText("gw", "Routes.", "b")+
		"-- a/b/100%41/SKILL.md --\n"+skillText("pc", "Percent.", "b"))
	res := w.resolve("gh:a/b")
	if want := "gh:a/b/100%2541: Percent.\ngh:a/b/API%20Gateway: Routes."; res.Content != want {
		t.Errorf("menu = %q, want %q", res.Content, want)
	}
	for _, e := range res.Entries {
		w.resolve(e.ID.Reference())
	}
}

// R1, S2: a folder of the project answers its id's path, without a request, and its stamp is not read.
func TestLocalFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{
		".atskills/gh/acme/kit/skills/deploy/SKILL.md": skillText("deploy", "Ours.", "Adapted."),
		".atskills/gh/acme/kit/skills/deploy/.source":  "\xff rubbish",
	})
	res := w.resolve("gh:acme/kit/skills/deploy")
	if res.Content != "Adapted." || res.Served != atskills.ServedLocal || res.Source != atskills.FromProject || len(res.Files) != 0 {
		t.Errorf("Resolve = %q served %s from %s files %v; want the project's copy", res.Content, res.Served, res.Source, res.Files)
	}
	w.asked("a saved copy", transporttest.Counts{})

	// R11: the option looks past it for one call.
	if res := w.resolve("gh:acme/kit/skills/deploy", atskills.FromUpstream()); res.Content != "Run scripts/run.sh." {
		t.Errorf("Resolve from upstream = %q", res.Content)
	}
	w.asked("the same from upstream", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4})
}

// R3: an empty folder, or one with a stamp alone, does not answer.
func TestEmptyFolderDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{".atskills/gh/acme/kit/skills/deploy/.source": "x"})
	if err := w.env.Project.MkdirAll(".atskills/gh/acme/kit/skills/review", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"gh:acme/kit/skills/deploy", "gh:acme/kit/skills/review"} {
		if res := w.resolve(ref); res.Served != atskills.ServedFresh {
			t.Errorf("Resolve(%q) served %s, want fresh", ref, res.Served)
		}
	}
}

// R2: a bare path that misses says where it looked, what looks like it and the cloud forms, and asks nobody.
func TestBareMiss(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{".atskills/team/deploy/SKILL.md": skillText("deploy", "D.", "B")})
	tests := []struct {
		ref  string
		want []string
	}{
		{"depoly", []string{".atskills/depoly", "did you mean team/deploy; elsewhere it would be gh:<owner>/<repo>/depoly or hub:<owner>/depoly"}},
		{"unknown", []string{".atskills/unknown", "gh:<owner>/<repo>/unknown", "hub:<owner>/unknown"}},
		{"deploy", []string{"did you mean team/deploy"}},
		{"acme/kit", []string{"gh:acme/kit", "hub:acme/kit"}},
		{"acme/kit/skills/deploy", []string{"gh:acme/kit/skills/deploy"}},
		{"gitlab:acme/kit", []string{`"gitlab:" is no marker`}},
	}
	for _, tt := range tests {
		err := w.refuse(tt.ref, atskills.ErrNotFound)
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Resolve(%q) error %q does not say %q", tt.ref, err, want)
			}
		}
	}
	w.asked("bare paths", transporttest.Counts{})
	var miss *atskills.NotFoundError
	if err := w.refuse("deploy", atskills.ErrNotFound); !errors.As(err, &miss) || !cmp.Equal(miss.Near, []string{"team/deploy"}) {
		t.Errorf("Resolve(deploy) error %#v, want Near team/deploy", err)
	}
}

// R9: a saved copy is reviewed at the revision it was taken from, as its stamp or the one above it says; without a stamp of
// its own id, at HEAD.
func TestReviewOfACopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	const page = "https://github.com/acme/kit/tree/"
	rev := string(w.save(deployRef).Revision)
	w.commit(map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "Ships.", "New.")})
	other := newWorld(t, acme)
	below := string(other.save(skillsRef).Revision)
	for _, tt := range []struct {
		about, got, want string
	}{
		{"copy", w.resolve(deployRef).ReviewURL, page + rev + "/skills/deploy"},
		{"below a copy", other.resolve(deployRef).ReviewURL, page + below + "/skills/deploy"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: ReviewURL = %q, want %q", tt.about, tt.got, tt.want)
		}
	}
	for _, stamp := range []string{"gh:acme/kit/skills/review\n2026-03-04 rev:" + rev + "\n", "gh:acme/kit/skills/deploy\n2026-03-04\n", "x\n"} {
		write(t, w.env.Project, map[string]string{deployCopy + "/.source": stamp})
		if got := w.resolve(deployRef).ReviewURL; got != page+"HEAD/skills/deploy" {
			t.Errorf("ReviewURL with the stamp %q = %q, want HEAD", stamp, got)
		}
	}
}

// R2, G1: what is written like a suffix and is none says so, and offers what stands in front of it.
func TestBareMissOfASuffix(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/team/deploy/SKILL.md": skillText("deploy", "D.", "B")})
	const those = "is no suffix: those are :save, :install and :index"
	for ref, want := range map[string]struct {
		near []string
		hint string
	}{
		"team/deploy:foo":        {[]string{"team/deploy"}, `":foo" ` + those},
		"Team/Deploy:UNINSTALL":  {[]string{"Team/Deploy"}, `":UNINSTALL" ` + those},
		"team/deploy:foo:save":   {[]string{"team/deploy"}, `":foo" ` + those},
		"team:uninstall":         {[]string{"team"}, `":uninstall" ` + those},
		"unknown:uninstall":      {nil, `":uninstall" ` + those},
		"gitlab:acme/unknown":    {nil, `"gitlab:" is no marker: the markers are gh: and hub:`},
		"gitlab:acme/kit:remove": {nil, `"gitlab:" is no marker: the markers are gh: and hub:`},
	} {
		var miss *atskills.NotFoundError
		if err := w.refuse(ref, atskills.ErrNotFound); !errors.As(err, &miss) || !cmp.Equal(miss.Near, want.near) || miss.Hint != want.hint {
			t.Errorf("Resolve(%q) error %#v, want near %q and %q", ref, err, want.near, want.hint)
		}
	}
}

// R2: a file or folder inside a skill is no reference, and the skill is; no provider is taken from such a path.
func TestBareMissInsideASkill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/team/Deploy/SKILL.md": skillText("deploy", "D.", "B"), ".atskills/team/Deploy/scripts/check.sh": "x",
	})
	const file = "that is a file of the skill team/Deploy"
	const project = "the project has no such skill"
	for ref, want := range map[string]struct {
		reason string
		near   []string
	}{
		"team/Deploy/scripts/check.sh": {file, []string{"team/Deploy"}},
		"team/deploy/scripts/check.sh": {project, nil}, // another spelling is another folder (G3)
		"team/Deploy/none":             {project, nil},
		"team/other/thing":             {project, nil},
	} {
		var miss *atskills.NotFoundError
		err := w.refuse(ref, atskills.ErrNotFound)
		if !errors.As(err, &miss) || miss.Reason != want.reason || want.near != nil && !cmp.Equal(miss.Near, want.near) {
			t.Errorf("Resolve(%q) error %#v, want %q and near %q", ref, err, want.reason, want.near)
		}
		if !strings.Contains(err.Error(), " gh:<owner>/<repo>/<path> or hub:<owner>/<name>") {
			t.Errorf("Resolve(%q) error %q, want the two cloud forms and no owner called team", ref, err)
		}
	}
}

// R2: a single file where a skill's folder is looked for is told how it would be found.
func TestBareMissBesideAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/review.md": "x"})
	if err := w.refuse("review", atskills.ErrNotFound); !strings.Contains(err.Error(), ".atskills/review/SKILL.md") {
		t.Errorf("error %q does not say where the file belongs", err)
	}
}

// G3: the exact spelling of a folder that exists answers before the lower-cased one.
func TestBareSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/Deploy/SKILL.md": skillText("Deploy", "Upper.", "upper"),
		".atskills/review/SKILL.md": skillText("review", "Lower.", "lower"),
	})
	if res := w.resolve("Deploy"); res.Content != "upper" || res.ID.String() != "Deploy" {
		t.Errorf("Resolve(Deploy) = %q of %s", res.Content, res.ID)
	}
	if res := w.resolve("REVIEW"); res.Content != "lower" || res.ID.String() != "review" {
		t.Errorf("Resolve(REVIEW) = %q of %s", res.Content, res.ID)
	}
	w.refuse("deploy", atskills.ErrNotFound)
}

// R4: nothing below a path is a miss that names what is there.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- acme/kit/docs/guide/a.md --\na\n-- acme/kit/docs/b.md --\nb\n")
	write(t, w.env.Project, map[string]string{".atskills/notes/todo.txt": "x", ".atskills/notes/more/y": "y"})
	tests := []struct {
		ref  string
		want []string
	}{
		{"gh:acme/kit/docs", []string{"nothing at gh:acme/kit/docs", "b.md, guide/"}},
		{"gh:acme/kit/docs/b.md", []string{"a file stands there, not a folder"}},
		{"gh:acme/kit/skills/deploy/scripts/run.sh", []string{"an executable file stands there, not a folder"}},
		{"gh:acme/kit/docs/b.md:uninstall", []string{`":uninstall" is no suffix: those are :save, :install and :index`}},
		{"gh:acme/kit/deploy", []string{"no such folder", "did you mean gh:acme/kit/skills/deploy"}},
		{"gh:acme/kit/skills/reveiw", []string{"did you mean gh:acme/kit/skills/review"}},
		{"notes", []string{"nothing at notes", ".atskills/notes holds no skill", "more/, todo.txt"}},
	}
	for _, tt := range tests {
		err := w.refuse(tt.ref, atskills.ErrNotFound)
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Resolve(%q) error %q does not say %q", tt.ref, err, want)
			}
		}
	}
}

// W1: skill.md alone is no skill, and is reported.
func TestFileCaseReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a/b/x/skill.md --\n"+skillText("x", "X.", "b")+
		"-- a/b/l/Skill.md (symlink) --\n../good/SKILL.md\n-- a/b/deep/in/skill.MD (symlink) --\n../../good/SKILL.md\n"+
		"-- a/b/good/SKILL.md --\n"+skillText("good", "Good.", "g"))
	write(t, w.env.Project, map[string]string{".atskills/y/skill.md": "y", ".atskills/z/SKILL.md": skillText("z", "Z.", "z")})
	if err := w.refuse("gh:a/b/x", atskills.ErrNotFound); !strings.Contains(err.Error(), "skill.md") {
		t.Errorf("error %q does not name skill.md", err)
	}
	// A link of such a name lands nowhere, and is named all the same; one where the file would be is followed for the reader.
	for ref, want := range map[string][]string{
		"gh:a/b/l":    {"Skill.md", "SKILL.md exactly", "a link upstream to gh:a/b/good"},
		"gh:a/b/deep": {"in/skill.MD", "SKILL.md exactly"},
	} {
		err := w.refuse(ref, atskills.ErrNotFound)
		for _, text := range want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("Resolve(%q) error %q does not say %q", ref, err, text)
			}
		}
	}
	if err := w.refuse("y", atskills.ErrNotFound); !strings.Contains(err.Error(), "skill.md") {
		t.Errorf("error %q does not name skill.md", err)
	}
}

// R5: the cap is inclusive, counts skills and not files, and holds before any body moves, for the project's own tree
// and for the cache.
func TestCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, many("big/over", "s", 129)+many("big/fits", "s", 128))
	var tooLarge *atskills.TooLargeError
	err := w.refuse("gh:big/over", atskills.ErrTooLarge)
	if !errors.As(err, &tooLarge) || tooLarge.Count != 129 || tooLarge.Bytes != 0 || strings.Contains(err.Error(), "0 B") {
		t.Errorf("error %#v, want 129 skills of unknown size", err)
	}
	w.asked("a refusal", transporttest.Counts{Probes: 1, Opens: 1})
	if got := w.resolve("gh:big/fits"); len(got.Entries) != 128 {
		t.Errorf("128 skills make %d rows", len(got.Entries))
	}

	for i := range 129 {
		name := fmt.Sprintf("s%03d", i)
		write(t, w.env.Project, map[string]string{".atskills/all/" + name + "/SKILL.md": skillText(name, "N.", "b")})
		write(t, w.env.Cache, map[string]string{"gh/big/theirs/" + name + "/SKILL.md": "x"})
	}
	w.refuse("all", atskills.ErrTooLarge)
	if _, err := w.fake.Commit("big/theirs", w.env.Now(), map[string]transporttest.File{"SKILL.md": {Body: "x"}}); err != nil {
		t.Fatal(err)
	}
	w.setMeta("gh:big/theirs", map[string]any{"id": "gh:big/theirs", "revision": w.fake.Tip("big/theirs"), "fetchedAt": "2026-01-01T00:00:00.000Z"})
	w.refuse("gh:big/theirs", atskills.ErrTooLarge)

	bundle := map[string]string{".atskills/one/SKILL.md": skillText("one", "One.", "b")}
	for i := range 300 {
		bundle[fmt.Sprintf(".atskills/one/f%03d/SKILL.md", i)] = "in the bundle"
	}
	write(t, w.env.Project, bundle)
	if res := w.resolve("one"); len(res.Files) != 300 {
		t.Errorf("a skill of 300 files lists %d", len(res.Files))
	}
}

// R6: every suggestion of a refusal resolves; a refusal is not masked by a copy (C6).
func TestRefusalSuggestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, many("acme/kit", "a", 100)+many("acme/kit", "b/c", 60)+many("acme/kit", "b/d", 70))
	var tooLarge *atskills.TooLargeError
	if err := w.refuse("gh:acme/kit", atskills.ErrTooLarge); !errors.As(err, &tooLarge) || len(tooLarge.Suggestions) != 3 {
		t.Fatalf("error %#v, want 3 suggestions", err)
	}
	for _, s := range tooLarge.Suggestions {
		if res := w.resolve(s.ID.Reference()); len(res.Entries) != s.Count {
			t.Errorf("suggestion %v has %d rows, said %d", s.ID, len(res.Entries), s.Count)
		}
	}
	w.resolve("gh:acme/kit/a")
	more := make(map[string]string)
	for i := range 40 {
		more[fmt.Sprintf("a/more%d/SKILL.md", i)] = skillText("m", "M.", "b")
	}
	w.commit(more)
	w.refuse("gh:acme/kit/a", atskills.ErrTooLarge)
}

// R6: a hub tells sizes, so a refusal may say them.
func TestRefusalSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t, many("hub:big/over", "s", 129))
	var tooLarge *atskills.TooLargeError
	if err := w.refuse("hub:big/over", atskills.ErrTooLarge); !errors.As(err, &tooLarge) || tooLarge.Bytes == 0 {
		t.Errorf("error %#v, want a size", err)
	}
}

// R8: a row without usable frontmatter keeps its folder's name and says that there is no description.
func TestMenuRowWithoutFrontmatter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a/b/x/SKILL.md --\nno frontmatter\n-- a/b/y/SKILL.md --\n---\nname: y\n---\n")
	res := w.resolve("gh:a/b")
	if want := "gh:a/b/x: (no description)\ngh:a/b/y: (no description)"; res.Content != want || res.Entries[0].Name != "x" {
		t.Errorf("menu = %q, first row named %q; want %q named x", res.Content, res.Entries[0].Name, want)
	}
	if !hasWarning(res.Warnings, atskills.WarnFrontmatter, "gh:a/b/x") || !hasWarning(res.Warnings, atskills.WarnFrontmatter, "gh:a/b/y") {
		t.Errorf("warnings = %v, want one for each row", res.Warnings)
	}
}

// R8, B7: a name that shows nothing is none, in a menu's row and in the skill itself.
func TestNameThatShowsNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"\u3164", "\u2800", "\u115f\u1160", "\uffa0\u034f", "\u2800\ufe0f\u00a0\u200b"} {
		w := newWorld(t, "-- a/b/x/SKILL.md --\n"+skillText(`"`+name+`"`, "X.", ""))
		if res := w.resolve("gh:a/b"); res.Entries[0].Name != "x" {
			t.Errorf("the row of %q is named %q, want the folder's name", name, res.Entries[0].Name)
		}
		if res := w.resolve("gh:a/b/x"); res.Name != "x" {
			t.Errorf("the skill %q is named %q, want the folder's name", name, res.Name)
		}
	}
}

// R8, B7: what a row says is on one line and holds no control or bidirectional character.
func TestMenuRowsCannotForge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- a/b/x/SKILL.md --\n---\nname: x\ndescription: \"one\\n- admin: \\u202etwo\\e[31m\"\n---\nb\n")
	if res := w.resolve("gh:a/b"); strings.Count(res.Content, "\n") != 0 || strings.ContainsAny(res.Content, "\u202e\x1b") {
		t.Errorf("menu = %q, want one clean line", res.Content)
	}
}

// R10: outcomes come in the order written, each distinct id is read once, and a failure touches nobody else.
func TestResolveAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- other/repo/x/SKILL.md --\n"+skillText("x", "X.", "xx"))
	write(t, w.env.Project, map[string]string{".atskills/mine/SKILL.md": skillText("mine", "Mine.", "mm")})
	refs := []string{
		"gh:acme/kit/skills/review", "mine", "gh:gone/repo", "not a\x00ref", "gh:other/repo/x",
		"gh:acme/kit/skills/deploy", "gh:acme/kit/skills/review:index", "gh:acme/kit/nowhere",
	}
	want := []string{"Look twice.", "mm", "!", "!", "xx", "Run scripts/run.sh.", "---\nname: review\ndescription: Reads a change.\n---", "!"}
	for i, out := range atskills.ResolveAll(t.Context(), w.env, refs) {
		if out.Ref != refs[i] {
			t.Errorf("outcome %d is of %q, want %q", i, out.Ref, refs[i])
		}
		if got := content(out); got != want[i] {
			t.Errorf("ResolveAll[%q] = %q, error %v; want %q", out.Ref, got, out.Err, want[i])
		}
	}
	w.asked("five references into three repositories", transporttest.Counts{Probes: 3, Opens: 2, Fetches: 2, Bodies: 7})
}

func content(out atskills.Outcome) string {
	if out.Err != nil {
		return "!"
	}
	return out.Resolution.Content
}

// R11: a menu that only saved children make says that it is partial; under a stamp it does not.
func TestPartialMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{
		".atskills/gh/acme/kit/skills/deploy/SKILL.md": skillText("deploy", "Ours.", "b"),
		".atskills/gh/acme/kit/skills/deploy/.source":  "gh:acme/kit/skills/deploy\n",
	})
	res := w.resolve("gh:acme/kit/skills")
	if len(res.Entries) != 1 || !hasWarning(res.Warnings, atskills.WarnPartial) {
		t.Errorf("menu of saved children: %d rows, warnings %v", len(res.Entries), res.Warnings)
	}
	if res := w.resolve("gh:acme/kit/skills", atskills.FromUpstream()); len(res.Entries) != 2 {
		t.Errorf("the same from upstream: %d rows, want 2", len(res.Entries))
	}
	write(t, w.env.Project, map[string]string{".atskills/gh/acme/kit/.source": "gh:acme/kit\n"})
	if res := w.resolve("gh:acme/kit/skills"); hasWarning(res.Warnings, atskills.WarnPartial) {
		t.Errorf("a menu under a stamp warns: %v", res.Warnings)
	}
}

// G5: a pasted address keeps its branch and warns when that is not what HEAD points at; a branch with a slash is
// settled by the remote's branch names, and the error names the reference that works.
func TestPastedBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	tip := w.fake.Tip("acme/kit")
	for _, name := range []string{"dev", "feature/x"} {
		if err := w.fake.Branch("acme/kit", name, tip); err != nil {
			t.Fatal(err)
		}
	}
	base := "https://github.com/acme/kit/tree/"
	if res := w.resolve(base + "main/skills/deploy"); len(res.Warnings) != 0 {
		t.Errorf("HEAD's own branch warns: %v", res.Warnings)
	}
	if res := w.resolve(base + tip + "/skills/deploy"); len(res.Warnings) != 0 {
		t.Errorf("HEAD's own commit warns: %v", res.Warnings)
	}
	if res := w.resolve(base + "dev/skills/deploy"); !hasWarning(res.Warnings, atskills.WarnBranch, "dev", "main") {
		t.Errorf("another branch does not warn: %v", res.Warnings)
	}
	err := w.refuse(base+"feature/x/skills/deploy", atskills.ErrNotFound)
	var miss *atskills.NotFoundError
	if !errors.As(err, &miss) || !cmp.Equal(miss.Near, []string{"gh:acme/kit/skills/deploy"}) || !strings.Contains(err.Error(), "feature/x") {
		t.Errorf("a branch with a slash: error %v, want the reference that works", err)
	}
	if err := w.refuse(base+"feature/x/only-there", atskills.ErrNotFound); !strings.Contains(err.Error(), "not on main") {
		t.Errorf("a path of another branch: error %v, want that it is not on main", err)
	}
}

// G12: a folder that the grammar cannot address is shown as such.
func TestUnaddressableRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/team/a\x01b/SKILL.md": skillText("odd", "Odd.", "b"),
		".atskills/team/fine/SKILL.md":   skillText("fine", "Fine.", "b"),
	})
	res := w.resolve("team")
	if want := "(not addressable) ab: Odd.\nteam/fine: Fine."; res.Content != want || !res.Entries[0].ID.IsZero() {
		t.Errorf("menu = %q, first id %v; want %q", res.Content, res.Entries[0].ID, want)
	}
	if !hasWarning(res.Warnings, atskills.WarnUnreadable, "cannot be addressed") {
		t.Errorf("warnings = %v", res.Warnings)
	}
}

// G1: the suffixes are parsed and left to the caller.
func TestSuffixesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	res := w.resolve("@skills:gh:acme/kit/skills/deploy:save:install")
	if !res.Ref.Save || !res.Ref.Install || res.Content == "" {
		t.Errorf("Resolve = %+v", res.Ref)
	}
	if got := tree(t, w.env.Project, ""); len(got) != 0 {
		t.Errorf("Resolve wrote %v into the project", got)
	}
}

// C2: a cache inside a skill tree is refused and named.
func TestCacheInTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	inside, err := w.env.Project.Chroot("work/.atskills/cache")
	if err != nil {
		t.Fatal(err)
	}
	w.env.Cache = inside
	if err := w.refuse("gh:acme/kit", atskills.ErrCacheInTree); !strings.Contains(err.Error(), ".atskills/cache") {
		t.Errorf("error %q does not name the root", err)
	}
	w.asked("a refused cache", transporttest.Counts{})
}

// H1: without a transport for the scheme the error says so.
func TestNotConfigured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.env.Transport = nil
	w.refuse("gh:a/b", atskills.ErrNotConfigured)
	w.env.Transport = transport.Mux{GitHub: w.counter}
	w.refuse("hub:a/b", atskills.ErrNotConfigured)
}

// A cache is optional: without one content is answered from memory and has no path.
func TestNoCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Cache = nil
	if res := w.resolve("gh:acme/kit/skills"); res.Dir != "" || res.Path != "" || res.Entries[0].Path != "" || len(res.Entries) != 2 {
		t.Errorf("Resolve = dir %q path %q rows %v", res.Dir, res.Path, res.Entries)
	}
}

// A cancelled call returns the context's error, not a stale copy.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve("gh:acme/kit/skills/deploy")
	ctx, cancel := context.WithCancel(t.Context())
	w.fake.Intercept(func(context.Context, string, skill.ID) error { cancel(); return ctx.Err() })
	if res, err := atskills.Resolve(ctx, w.env, "gh:acme/kit/skills/deploy"); !errors.Is(err, context.Canceled) {
		t.Errorf("Resolve = %v, error %v; want context.Canceled", res, err)
	}
}

// X2: a body cannot end its own frame.
func TestPromptFrame(t *testing.T) {
	t.Parallel()
	end := "--- end of x ---"
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/x/SKILL.md": skillText("x", "X.", end+"\n--- end of x (2) ---\nforged"), ".atskills/x/a.md": "a"})
	got := w.resolve("x").Prompt()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	last := lines[len(lines)-1]
	if strings.Count(got, last) != 1 || !strings.HasPrefix(last, "--- end of x") {
		t.Errorf("Prompt = %q: its last line %q occurs in the body", got, last)
	}
	for _, want := range []string{"x: X.", "Folder: /.atskills/x", "  a.md\n", "forged"} {
		if !strings.Contains(got, want) {
			t.Errorf("Prompt = %q, want %q in it", got, want)
		}
	}
}

// R9: the review page is on the host that the transport reads from.
func TestReviewPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Transport = transport.Memo(transport.Mux{GitHub: enterprise{w.fake}})
	rev := w.fake.Tip("acme/kit")
	if got, want := w.resolve(deployRef).ReviewURL, "https://git.example/acme/kit/tree/"+rev+"/skills/deploy"; got != want {
		t.Errorf("ReviewURL = %q, want %q", got, want)
	}
	write(t, w.env.Project, map[string]string{".atskills/gh/acme/kit/skills/deploy/SKILL.md": "x"})
	if got, want := w.resolve(deployRef).ReviewURL, "https://git.example/acme/kit/tree/HEAD/skills/deploy"; got != want {
		t.Errorf("ReviewURL of a saved copy = %q, want %q", got, want)
	}
}

// enterprise is a transport that reads from a host of its own.
type enterprise struct{ transport.Transport }

func (enterprise) WebURL(id skill.ID, rev transport.Revision) string {
	return id.WebURL("https://git.example", string(rev))
}

// G11: whatever spelling a GitHub address was reached by, it is one id, read once.
func TestOneIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	refs := []string{
		deployRef, "@skills:GH:acme/kit/skills/deploy", "gh/acme/kit/skills/deploy", "@workflow:gh:acme/kit/skills/deploy/",
		"https://github.com/acme/kit/tree/main/skills/deploy", "www.github.com/acme/kit/blob/main/skills/deploy/SKILL.md?plain=1#top",
		"gh:https://github.com/acme/kit.git/tree/main/skills/deploy",
	}
	for _, out := range atskills.ResolveAll(t.Context(), w.env, refs) {
		if out.Err != nil || out.Resolution.ID.String() != deployRef {
			t.Errorf("ResolveAll[%q] = %+v, error %v", out.Ref, out.Resolution, out.Err)
		}
	}
	w.asked("seven spellings", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 4})
}

// R10: repositories are read at the same time: each probe here waits for the other.
func TestOriginsAreReadConcurrently(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- other/repo/x/SKILL.md --\n"+skillText("x", "X.", "xx"))
	var both sync.WaitGroup
	both.Add(2)
	w.fake.Intercept(func(ctx context.Context, op string, _ skill.ID) error {
		if op == "probe" {
			both.Done()
			both.Wait()
		}
		return ctx.Err()
	})
	for _, out := range atskills.ResolveAll(t.Context(), w.env, []string{deployRef, "gh:other/repo/x"}) {
		if out.Err != nil {
			t.Errorf("%s: %v", out.Ref, out.Err)
		}
	}
}

// R9: what a hub served says so.
func TestHubSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- hub:acme/notes/SKILL.md --\n"+skillText("notes", "Notes.", "n"))
	if res := w.resolve("hub:acme/notes"); res.Source != atskills.FromHub || res.ReviewURL != "" || res.Content != "n" {
		t.Errorf("Resolve = %q from %s, page %q", res.Content, res.Source, res.ReviewURL)
	}
}

// R6: no more than six ways out.
func TestSixSuggestions(t *testing.T) {
	t.Parallel()
	archive := ""
	for i := range 8 {
		archive += many("acme/kit", fmt.Sprintf("c%d", i), 20)
	}
	w := newWorld(t, archive)
	var tooLarge *atskills.TooLargeError
	if err := w.refuse("gh:acme/kit", atskills.ErrTooLarge); !errors.As(err, &tooLarge) || len(tooLarge.Suggestions) != 6 {
		t.Errorf("error %v, want six suggestions", err)
	}
}

// W1, F2, W3: what looks like a skill upstream and is none is said beside the menu, also when it is served again.
func TestUpstreamOddities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- acme/kit/skills/low/skill.md --
low
-- acme/kit/skills/deploy/away (symlink) --
/etc/passwd
-- acme/kit/skills/deploy/back\slash --
odd
`)
	for range 2 {
		res := w.resolve(skillsRef)
		for _, want := range [][]string{{"skills/low/skill.md"}, {"skills/deploy/away", "it is a link upstream"}, {"slash", "no reference can hold its name"}} {
			if !hasWarning(res.Warnings, atskills.WarnSkipped, want...) {
				t.Errorf("no warning says %q in %v", want, res.Warnings)
			}
		}
		w.commit(map[string]string{"README.md": "moved"}) // C9 keeps what is known
	}
	if err := w.refuse("gh:acme/kit/skills/low", atskills.ErrNotFound); !strings.Contains(err.Error(), "skill.md") {
		t.Errorf("error %q does not say how the file is spelled", err)
	}
}

// R3: folders that hold nothing but dot-files do not answer for their path.
func TestEmptyFoldersDoNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	if err := w.env.Project.MkdirAll(".atskills/gh/acme/kit/skills/deploy", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, w.env.Project, map[string]string{".atskills/gh/acme/kit/.DS_Store": "x"})
	if res := w.resolve(skillsRef); res.Served != atskills.ServedFresh || len(res.Entries) != 2 {
		t.Errorf("served %s with %d rows", res.Served, len(res.Entries))
	}
}

// W1, W3: a folder whose only SKILL.md cannot be used says why.
func TestUnusableSkillFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/low/x/skill.md": "x", ".atskills/gone/note.md": "n"})
	symlink(t, w.env.Project, "nowhere", ".atskills/gone/SKILL.md")
	for ref, want := range map[string]string{"low": "skill.md", "gone": "leads nowhere"} {
		if err := w.refuse(ref, atskills.ErrNotFound); !strings.Contains(err.Error(), want) {
			t.Errorf("Resolve(%q) error %q does not say %q", ref, err, want)
		}
	}
}

// X2: choosing a closing line takes one pass over the content.
func TestClosingLineOfHostileContent(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&body, "--- end of x (%d) ---\n", n)
	}
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/x/SKILL.md": skillText("x", "X.", "--- end of x ---\n"+body.String())})
	got := w.resolve("x").Prompt()
	if !strings.HasSuffix(got, "\n--- end of x (20000) ---\n") {
		t.Errorf("Prompt ends in %q", got[len(got)-60:])
	}
}

// B7: the rows of a menu are cut as those of a block, which is one warning; the skill itself keeps what it says.
func TestMenuIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	long := strings.Repeat("ä", 2000)
	w.commit(map[string]string{
		"skills/review/SKILL.md": skillText(strings.Repeat("n", 300), "Reads a change.", "Look."),
		"skills/deploy/SKILL.md": skillText("deploy", long, "Run."),
	})
	res := w.resolve(skillsRef)
	want := "gh:acme/kit/skills/deploy: " + long[:2048] + "…\ngh:acme/kit/skills/review: Reads a change."
	if res.Content != want || res.Entries[0].Description != long[:2048]+"…" || res.Entries[1].Name != strings.Repeat("n", 256)+"…" {
		t.Errorf("a menu of %d bytes, want %d; entries %.300s", len(res.Content), len(want), fmt.Sprint(res.Entries))
	}
	shortened := 0
	for _, code := range codes(res.Warnings) {
		if code == atskills.WarnShortened {
			shortened++
		}
	}
	if shortened != 1 || !hasWarning(res.Warnings, atskills.WarnShortened, "2 of 2 rows") {
		t.Errorf("warnings %v", res.Warnings)
	}
	if res := w.resolve(deployRef); res.Description != long || hasWarning(res.Warnings, atskills.WarnShortened) {
		t.Errorf("the skill: %d bytes, warnings %v", len(res.Description), res.Warnings)
	}
	w.trigger("@" + skillsRef + "/")
	for _, n := range w.block().Notes { // the rows of a block say so, each for itself
		if n.Code == atskills.NoteShortened && n.ID.IsZero() {
			t.Errorf("note %+v", n)
		}
	}
}
