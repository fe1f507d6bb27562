package toggle_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// names are those of folders in generated trees: few, so that they meet at several depths, and some that are patterns.
var names = []string{"a", "b", "c", "ab", "[z]", "!bang", "#x", "a b ", "c#", "**", `\x`, "@s", "*", "z", "a\nb"}

// trees generates the paths of skills, none below another.
func trees() *rapid.Generator[[]string] {
	path := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(names), 1, 4), func(segs []string) string { return strings.Join(segs, "/") })
	copied := rapid.Map(path, func(p string) string { return "gh/o/r/" + p })
	return rapid.Custom(func(t *rapid.T) []string {
		var files []string
		for _, p := range rapid.SliceOfN(rapid.OneOf(path, path, path, copied), 1, 14).Draw(t, "skills") {
			files = append(files, p+"/"+skill.SkillFile)
		}
		dirs, _ := skill.Leaves(files)
		return dirs
	})
}

// files generates trigger files over a tree: mostly lines that name something in it, and some of every other kind.
func files(tree []string) *rapid.Generator[string] {
	literal := rapid.Custom(func(t *rapid.T) string {
		segs := strings.Split(rapid.SampledFrom(tree).Draw(t, "skill"), "/")
		path := strings.Join(segs[:rapid.IntRange(1, len(segs)).Draw(t, "depth")], "/")
		line, err := trigger.Literal(path, rapid.Bool().Draw(t, "dir"), rapid.Bool().Draw(t, "anchored"))
		if err != nil {
			return "a"
		}
		return line
	})
	negation := rapid.Map(literal, func(l string) string { return "!" + l })
	other := rapid.SampledFrom([]string{"*", "a*", "/*", "!*", "**/a", "a/**", "!**/b", "[a-c]", "?", "a/*", "!a/*/b", "", "# x", "  # y",
		"gone/", "@gh:o/r", "@gh:o/r/", "@gh:o/r/a", "@gh:o/r/a/", "@gh:o/r/a/b", "@bad", "a", "b", "ab", "/a/", "gh/", "gh/o/r/"})
	line := rapid.OneOf(literal, literal, literal, negation, other)
	return rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "end")
		text := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(t, "lines"), end)
		if text != "" && rapid.Bool().Draw(t, "finished") {
			text += end
		}
		return text
	})
}

// nodes lists the skills and folders of a tree.
func nodes(n *toggle.Node) []*toggle.Node {
	out := slices.Clone(n.Children)
	for _, c := range n.Children {
		out = append(out, nodes(c)...)
	}
	return out
}

// kept fails the test unless every line of before that the edit does not remove is in after, in order and byte for byte.
func kept(t *rapid.T, e toggle.Edit, before, after trigger.File) {
	gone, fresh := e.Removed(before), e.Written(before)
	var was, is []string
	for _, l := range before.Lines {
		if !slices.Contains(gone, toggle.Numbered{Number: l.Number, Text: l.Text}) {
			was = append(was, l.Text)
		}
	}
	for _, l := range after.Lines {
		if !slices.Contains(fresh, toggle.Numbered{Number: l.Number, Text: l.Text}) {
			is = append(is, l.Text)
		}
	}
	if !slices.Equal(was, is) {
		t.Fatalf("%q became %q: lines %q are %q", before.Bytes(), after.Bytes(), was, is)
	}
	if again := trigger.Parse(after.Bytes()); !slices.EqualFunc(again.Lines, after.Lines, func(a, b trigger.Line) bool { return a.Text == b.Text }) {
		t.Fatalf("%q is read as other lines than were written", after.Bytes())
	}
}

// V2, V3, V7, T6: toggling changes exactly what was asked for or is refused; twice gives back the same skills, and other
// lines keep their bytes.
func TestPlanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		paths := trees().Draw(t, "tree")
		tree := toggle.NewTree(paths, 128)
		s := selected(t, tree, trigger.Parse([]byte(files(paths).Draw(t, "file"))))
		n := rapid.SampledFrom(nodes(tree.Top)).Draw(t, "row")
		first, ok := toggled(t, s, n)
		if on := s.On(n); !ok || on > 0 && on < n.Count() {
			return // what was on in part of a folder is not remembered
		}
		second, ok := toggled(t, first, n)
		if !ok && strings.Contains(n.Path, "\n") {
			return // such a skill can be taken out of its folder's line, and no line brings it back
		}
		if !ok {
			t.Fatalf("toggling %q in %q cannot be undone", n.Path, first.File.Bytes())
		}
		if resident(second) != resident(s) {
			t.Fatalf("toggling %q twice in %q: resident %q, was %q", n.Path, s.File.Bytes(), resident(second), resident(s))
		}
	})
}

// toggled toggles n and checks what became of it; not ok is a refusal.
func toggled(t *rapid.T, s *toggle.Selection, n *toggle.Node) (*toggle.Selection, bool) {
	e, err := toggle.Plan(t.Context(), s, n)
	var refusal *toggle.Refusal
	if errors.As(err, &refusal) {
		if s.On(n) < n.Count() && !strings.Contains(n.Path, "\n") {
			t.Fatalf("turning %q on in %q is refused: %v", n.Path, s.File.Bytes(), err)
		}
		return nil, false
	}
	after := selected(t, s.Tree, e.Apply(s.File))
	kept(t, e, s.File, after.File)
	want := s.On(n) < n.Count()
	target := s.Tree.Below(n)
	for i, c := range after.Covers {
		on := s.Covers[i].On
		if slices.Contains(target, s.Tree.Skills[i]) {
			on = want
		}
		if c.On != on {
			t.Fatalf("toggling %q in %q makes %q: %q is on %v, want %v", n.Path, s.File.Bytes(), after.File.Bytes(), s.Tree.Skills[i], c.On, on)
		}
	}
	return after, true
}

// V2: rows whose names are patterns are toggled like any other, wherever they stand.
func TestPlanNames(t *testing.T) {
	t.Parallel()
	const file = "z\r\n# x\r\n"
	for _, name := range []string{"[z]", "!bang", "#x", "a b ", "c#", "**", `\x`, "@s", " lead", "a?", "@gh:o"} {
		for _, path := range []string{name, "t/" + name, name + "/" + name, name + "/x"} {
			paths := []string{path, "z", "zz/b"}
			slices.Sort(paths)
			tree := toggle.NewTree(paths, 128)
			for _, row := range []string{path, strings.Split(path, "/")[0]} {
				s := selected(t, tree, trigger.Parse([]byte(file)))
				for _, want := range []bool{true, false} {
					e, err := toggle.Plan(t.Context(), s, tree.Find(row))
					if err != nil {
						t.Fatalf("Plan(%q, %q) error: %v", s.File.Bytes(), row, err)
					}
					s = selected(t, tree, e.Apply(s.File))
					if z, b := tree.Find("z"), tree.Find("zz/b"); s.One(tree.Find(path)).On != want || !s.One(z).On || s.One(b).On {
						t.Errorf("toggling %q makes %q: resident %q", row, s.File.Bytes(), resident(s))
					}
				}
				if got := string(s.File.Bytes()); got != file {
					t.Errorf("toggling %q twice leaves %q", row, got)
				}
			}
		}
	}
}
