package toggle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/internal/trigger"
)

// set parses the skills of a table, sorts them as a walk does and selects file.
func set(t testing.TB, skills, file string) *toggle.Selection {
	paths := strings.Fields(skills)
	slices.Sort(paths)
	return selected(t, toggle.NewTree(paths, 128), trigger.Parse([]byte(file)))
}

// selected is what f makes of tree.
func selected(t interface {
	Context() context.Context
	Fatal(...any)
}, tree *toggle.Tree, f trigger.File) *toggle.Selection {
	s, err := toggle.Select(t.Context(), tree, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// resident lists the skills that are on.
func resident(s *toggle.Selection) string {
	var on []string
	for i, c := range s.Covers {
		if c.On {
			on = append(on, s.Tree.Skills[i])
		}
	}
	return strings.Join(on, " ")
}

const flows = "team/flows/deploy team/flows/review team/flows/ci/lint team/flows/ci/test team/plan deploy"

// V2, V3: what toggling a row makes of a file.
func TestPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, skills, file, row, want string
	}{
		{"a skill that is off gets its line", flows, "", "team/plan", "team/plan\n"},
		{"its own line goes", flows, "# mine\nteam/plan\n\n", "team/plan", "# mine\n\n"},
		{"its own line as a folder", flows, "team/plan/\nx\n", "team/plan", "x\n"},
		{"its own line with slashes around", flows, "/team/plan/\nx\n", "team/plan", "x\n"},
		{"its own line, escaped", flows, "\\team/pla\\n\n", "team/plan", ""},
		{"every one of its own lines", flows, "team/plan\nx\n/team/plan\n", "team/plan", "x\n"},
		{"repeats of one name between other lines", "a b", "a\nb\na/\n\n/a\n", "a", "b\n\n"},
		{"a repeat that a negation keeps down stays", "a", "a\n!a\na\n", "a", "a\n!a\n"},
		{"a name that stands elsewhere is anchored (T7)", flows, "", "deploy", "/deploy\n"},
		{"so is a folder's", "ci/a team/ci/b", "", "ci", "/ci/\n"},
		{"a namesake below itself does not count", "a/a", "", "a", "a/\n"},
		{"a path of several names needs no anchor", flows, "", "team/flows/deploy", "team/flows/deploy\n"},
		{"a folder that is off", flows, "", "team/flows", "team/flows/\n"},
		{"a folder that is on in part turns on, and its lines below go (V2)", flows, "team/flows/deploy\n# c\nteam/plan\nteam/flows/ci/\n", "team/flows", "# c\nteam/plan\nteam/flows/\n"},
		{"lines below that name nothing go too", flows, "team/flows/gone\n", "team/flows", "team/flows/\n"},
		{"a pattern and a negation below stay", flows, "team/flows/d*\n!team/flows/ci\n", "team/flows", "team/flows/d*\n!team/flows/ci\nteam/flows/\n"},
		{"a negation is outdone by a later line", "a b", "!a\n", "a", "!a\na\n"},

		{"split: the rest of the folder stays on", flows, "team/flows/\n", "team/flows/deploy", "team/flows/ci/\nteam/flows/review\n"},
		{"split: one skill deeper", flows, "team/flows/\n", "team/flows/ci/lint", "team/flows/ci/test\nteam/flows/deploy\nteam/flows/review\n"},
		{"split: sub-folders that stay whole stay folders", flows, "team/\n", "team/plan", "team/flows/\n"},
		{"split: a folder out of a folder", flows, "team\n", "team/flows/ci", "team/flows/deploy\nteam/flows/review\nteam/plan\n"},
		{"split: in its place", flows, "# a\nx\nteam/flows/\ny\n", "team/flows/ci", "# a\nx\nteam/flows/deploy\nteam/flows/review\ny\n"},
		{"split: every covering folder", flows, "team/flows/\n# between\nteam/\n", "team/flows/ci", "team/flows/deploy\nteam/flows/review\n# between\nteam/plan\n"},
		{"split: own line, folder and folder above", flows, "team/flows/ci/test\nteam/flows/ci/\nteam/\n", "team/flows/ci/test", "team/flows/ci/lint\nteam/flows/deploy\nteam/flows/review\nteam/plan\n"},
		{"split: a folder of one skill", "a/b c", "a/\nc\n", "a/b", "c\n"},
		{"split: CRLF and a BOM", flows, "\ufeffx\r\nteam/flows/\r\ny\r\n", "team/flows/ci", "\ufeffx\r\nteam/flows/deploy\r\nteam/flows/review\r\ny\r\n"},
		{"split: the unfinished last line", flows, "x\r\nteam/flows/", "team/flows/ci", "x\r\nteam/flows/deploy\r\nteam/flows/review"},
		{"split: what has a line already gets no second", flows, "team/flows/review\nteam/flows/\n", "team/flows/ci", "team/flows/review\nteam/flows/deploy\n"},
		{"split: names are escaped and anchored", "t/[z] t/*/x t/a\\b", "t/\n", "t/[z]", "t/\\*/\nt/a\\\\b\n"},
		{"split: a negation of the skill itself is no hindrance", "t/a t/b", "t/\n!t/a\n", "t/a", "t/b\n!t/a\n"},
		{"split: a line between does not have to repeat", "t/a t/b t/c", "t/a\n!t/a\nt/\n", "t/b", "t/a\n!t/a\nt/a\nt/c\n"},
		{"a name that also matches elsewhere is anchored for its own", flows, "deploy\n", "team/flows/deploy", "/deploy\n"},
		{"and gives way to the others where its own is turned off", flows, "deploy\n", "deploy", "team/flows/deploy\n"},

		{"a folder whose skills are all on", "t/a t/b", "t/a\nx\nt/b\n", "t", "x\n"},
		{"a folder by its own line", flows, "team/flows/\nteam/plan\n", "team", ""},

		{"a copy that is on by the line of its id", "gh/o/r/x gh/o/r/y", "@gh:o/r/x\n# c\n", "gh/o/r/x", "# c\n"},
		{"a copy that is on twice", "gh/o/r/x gh/o/r/y", "gh/o/\n@gh:o/r/x\n", "gh/o/r/x", "gh/o/r/y\n"},
		{"a folder of copies that the line of its id took", "gh/o/r/x gh/o/r/y", "@gh:o/r/\n", "gh/o/r", ""},
		{"a line that does not take the directory loads none (B5)", "gh/o/r/x gh/o/r/y", "@gh:o/r\n", "gh/o/r/x", "@gh:o/r\ngh/o/r/x\n"},
	}
	for _, tt := range tests {
		s := set(t, tt.skills, tt.file)
		e, err := toggle.Plan(t.Context(), s, s.Tree.Find(tt.row))
		if err != nil {
			t.Errorf("%s: Plan(%q, %q) error: %v", tt.name, tt.file, tt.row, err)
			continue
		}
		if got := string(e.Apply(s.File).Bytes()); got != tt.want {
			t.Errorf("%s: toggling %q in %q makes %q, want %q", tt.name, tt.row, tt.file, got, tt.want)
		}
	}
}

// V2, V3: what is refused, with the line that is in the way and what would help.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, skills, file, row string
		want                    toggle.Refusal
	}{
		{"a wildcard", flows, "# c\nteam/flows/*\n", "team/flows/deploy", toggle.Refusal{Line: 1, Covered: true, Fix: "!team/flows/deploy",
			Reason: "line 2, `team/flows/*`, covers `team/flows/deploy` as a pattern: edit that line, or add `!team/flows/deploy` below it"}},
		{"a wildcard over a folder above, which no negation undoes", flows, "te*\n", "team/plan", toggle.Refusal{Line: 0, Covered: true,
			Reason: "line 1, `te*`, covers `team` as a pattern: edit that line"}},
		{"a wildcard behind an own line", flows, "team/p*\nteam/plan\n", "team/plan", toggle.Refusal{Line: 0, Covered: true, Fix: "!team/plan",
			Reason: "line 1, `team/p*`, covers `team/plan` as a pattern: edit that line, or add `!team/plan` below it"}},
		{"a name at any depth that names nothing at the top", "x/a y/a", "a\n", "x/a", toggle.Refusal{Line: 0, Covered: true, Fix: "!x/a",
			Reason: "line 1, `a`, covers `x/a` as a pattern: edit that line, or add `!x/a` below it"}},
		{"a folder that a wildcard fills", "t/a t/b", "t/*\n", "t", toggle.Refusal{Line: 0, Covered: true,
			Reason: "line 1, `t/*`, covers `t/a` as a pattern: edit that line"}},
		{"a split that would wake a negation", "t/a t/b t/c", "t/\n!t/c\n", "t/a", toggle.Refusal{Line: 1,
			Reason: "`t/c` would be off too, by line 2, `!t/c`: edit that line first"}},
		{"a split that would wake a pattern's negation", "t/a t/b/x t/b/y", "t/\n!t/b/*\nt/q\n", "t/b/x", toggle.Refusal{Line: 1,
			Reason: "`t/b/y` would be off too, by line 2, `!t/b/*`: edit that line first"}},
		{"a copy that a followed directory covers", "gh/o/r/x gh/o/r/y", "@gh:o/r/\n", "gh/o/r/x", toggle.Refusal{Line: 0, Covered: true,
			Reason: "line 1, `@gh:o/r/`, follows the whole directory: edit that line"}},
	}
	for _, tt := range tests {
		s := set(t, tt.skills, tt.file)
		_, err := toggle.Plan(t.Context(), s, s.Tree.Find(tt.row))
		var got *toggle.Refusal
		if !errors.As(err, &got) {
			t.Errorf("%s: Plan(%q, %q) error %v, want a refusal", tt.name, tt.file, tt.row, err)
			continue
		}
		if diff := cmp.Diff(tt.want, *got); diff != "" {
			t.Errorf("%s: Plan(%q, %q) (-want +got):\n%s", tt.name, tt.file, tt.row, diff)
		}
	}
}

// H5, W3: what a line brings from elsewhere is on, is not taken out of that line, and is part of the proof.
func TestPlanAlso(t *testing.T) {
	t.Parallel()
	const list = "@hub:o/list/"
	tree := toggle.NewTree([]string{"a", "gh/o/r/x", "gh/o/r/y"}, 128)
	also := func(l trigger.Line) []int {
		if l.Text == list {
			return []int{0, 1}
		}
		return nil
	}
	for _, tt := range []struct{ file, row, want, refusal string }{
		{list + "\n", "gh/o/r/y", list + "\ngh/o/r/y\n", ""},
		{list + "\n", "gh/o/r", list + "\ngh/o/r/\n", ""},
		{list + "\n", "a", "", "line 1, `@hub:o/list/`, brings `a`: edit that line"},
		{list + "\n!gh/\n", "gh/o/r/x", "", "line 1, `@hub:o/list/`, brings `gh/o/r/x`: edit that line"},
		{"a\n" + list + "\n", "a", "", "line 2, `@hub:o/list/`, brings `a`: edit that line"},
		{list + "\n@gh:o/r/y\n", "gh/o/r/y", list + "\n", ""},
		{list + "\n@gh:o/r/\n", "gh/o/r", "", "line 1, `@hub:o/list/`, brings `gh/o/r/x`: edit that line"},
		{list + "\n!a\n", "gh/o/r/y", list + "\n!a\ngh/o/r/y\n", ""},
	} {
		s, err := toggle.Select(t.Context(), tree, trigger.Parse([]byte(tt.file)), also)
		if err != nil {
			t.Fatal(err)
		}
		if !s.One(tree.Find("a")).On || !s.One(tree.Find("gh/o/r/x")).On {
			t.Errorf("in %q the list's rows are off: %+v", tt.file, s.Covers)
		}
		e, err := toggle.Plan(t.Context(), s, tree.Find(tt.row))
		var refusal *toggle.Refusal
		switch {
		case errors.As(err, &refusal):
			if refusal.Reason != tt.refusal || !refusal.Covered {
				t.Errorf("Plan(%q, %q) refuses: %+v, want %q", tt.file, tt.row, refusal, tt.refusal)
			}
		case err != nil || tt.refusal != "":
			t.Errorf("Plan(%q, %q) error %v, want %q", tt.file, tt.row, err, tt.refusal)
		case string(e.Apply(s.File).Bytes()) != tt.want:
			t.Errorf("toggling %q in %q makes %q, want %q", tt.row, tt.file, e.Apply(s.File).Bytes(), tt.want)
		}
	}
}

// Selecting and planning end with the context.
func TestPlanCancelled(t *testing.T) {
	t.Parallel()
	s := set(t, flows, "team/\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := toggle.Select(ctx, s.Tree, s.File, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Select error %v", err)
	}
	for _, row := range []string{"deploy", "team/plan", "team"} {
		if _, err := toggle.Plan(ctx, s, s.Tree.Find(row)); !errors.Is(err, context.Canceled) {
			t.Errorf("Plan(%q) error %v", row, err)
		}
	}
}

// T7, V2: a name that no line can hold is refused, and only where it would have to be written.
func TestPlanUnwritable(t *testing.T) {
	t.Parallel()
	tree := toggle.NewTree([]string{"t/a\nb", "t/c", "t/d"}, 128)
	for file, rows := range map[string][]string{"": {"t/a\nb"}, "t/\n": {"t/c", "t/d"}} {
		for _, row := range rows {
			s := selected(t, tree, trigger.Parse([]byte(file)))
			_, err := toggle.Plan(t.Context(), s, tree.Find(row))
			if err == nil || !strings.Contains(err.Error(), "no line can name") {
				t.Errorf("Plan(%q, %q) error %v, want one that names the name", file, row, err)
			}
		}
	}
	s := selected(t, tree, trigger.Parse([]byte("t/\n")))
	e, err := toggle.Plan(t.Context(), s, tree.Find("t/a\nb"))
	if got := string(e.Apply(s.File).Bytes()); err != nil || got != "t/c\nt/d\n" {
		t.Errorf("Plan took it out of its folder as %q, error %v", got, err)
	}
}

// V5: what is said to be written and removed is what the file shows.
func TestEditReport(t *testing.T) {
	t.Parallel()
	s := set(t, flows, "# a\nteam/flows/\nx\nteam/\n")
	e, err := toggle.Plan(t.Context(), s, s.Tree.Find("team/flows/ci"))
	if err != nil {
		t.Fatal(err)
	}
	wantGone := []toggle.Numbered{{Number: 2, Text: "team/flows/"}, {Number: 4, Text: "team/"}}
	wantNew := []toggle.Numbered{{Number: 2, Text: "team/flows/deploy"}, {Number: 3, Text: "team/flows/review"}, {Number: 5, Text: "team/plan"}}
	if diff := cmp.Diff(wantGone, e.Removed(s.File)); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantNew, e.Written(s.File)); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

// V1: what covers a skill and a folder.
func TestSelect(t *testing.T) {
	t.Parallel()
	const skills = flows + " gh/o/r/x"
	tests := []struct {
		file, path string
		want       toggle.Cover
	}{
		{"", "deploy", toggle.Cover{Line: -1}},
		{"team/plan\n", "team/plan", toggle.Cover{On: true, Line: 0, At: "team/plan"}},
		{"#\nteam/\nteam/plan\n", "team/plan", toggle.Cover{On: true, Line: 1, At: "team"}},
		{"*\n!team\n", "team/plan", toggle.Cover{On: true, Line: 0, At: "team/plan"}},
		{"/team/*\n!team/plan\n", "team/plan", toggle.Cover{Line: 1, At: "team/plan"}},
		{"team/flows/ci\nteam/flows/*\n", "team/flows/ci", toggle.Cover{On: true, Line: 1, At: "team/flows/ci"}},
		{"team/flows/deploy\nteam/flows/review\nteam/flows/ci\n", "team/flows", toggle.Cover{On: true, Line: -1}},
		{"team/flows/deploy\n", "team/flows", toggle.Cover{Line: -1}},
		{"@gh:o/r/x\n", "gh/o/r/x", toggle.Cover{On: true, Line: 0, At: "gh/o/r/x"}},
		{"@gh:o/r/\n", "gh/o/r/x", toggle.Cover{On: true, Line: 0, At: "gh/o/r"}},
		{"@gh:o/r\n@gh:o/r/x/y\n@gh:o\n", "gh/o/r/x", toggle.Cover{Line: -1}},
	}
	for _, tt := range tests {
		s := set(t, skills, tt.file)
		if got := s.One(s.Tree.Find(tt.path)); got != tt.want {
			t.Errorf("in %q, %q is covered by %+v, want %+v", tt.file, tt.path, got, tt.want)
		}
	}
}

// R5: a followed directory brings none of its copies when there are more than the cap, so none of them is on.
func TestSelectCap(t *testing.T) {
	t.Parallel()
	f := trigger.Parse([]byte("@gh:o/r/\n"))
	for limit, want := range map[int]bool{1: false, 2: true} {
		s := selected(t, toggle.NewTree([]string{"gh/o/r/x", "gh/o/r/y"}, limit), f)
		if got := s.Covers[0].On && s.Covers[1].On; got != want {
			t.Errorf("under a cap of %d, both copies are on: %v", limit, got)
		}
	}
}
