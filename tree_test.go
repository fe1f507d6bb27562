package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// readTree reads the tree and checks what holds for every one.
func (w *world) readTree() *atskills.Tree {
	w.Helper()
	tree, err := atskills.ReadTree(w.Context(), w.env)
	if err != nil {
		w.Fatalf("ReadTree error: %v", err)
	}
	for i, r := range tree.Rows {
		if r.Depth > 0 && (i == 0 || r.Depth > tree.Rows[i-1].Depth+1) {
			w.Errorf("row %q has depth %d", r.Key, r.Depth)
		}
		if strings.ContainsAny(r.Display, "\n\r\x1b") {
			w.Errorf("row %q is displayed as %q", r.Key, r.Display)
		}
	}
	return tree
}

// shown draws a tree: indentation, box, name, the number of the line, for a folder what is on.
func shown(tree *atskills.Tree) string {
	var b strings.Builder
	for _, r := range tree.Rows {
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", r.Depth), r.State.Mark(), r.Display)
		if r.Line > 0 {
			fmt.Fprintf(&b, " :%d", r.Line)
		}
		if r.Kind == atskills.RowDir {
			fmt.Fprintf(&b, " (%d/%d)", r.On, r.Skills)
		}
		for _, w := range r.Warnings {
			b.WriteString(" !" + w.Code)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (w *world) wantTree(want string) *atskills.Tree {
	w.Helper()
	tree := w.readTree()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), shown(tree)); diff != "" {
		w.Errorf("tree (-want +got):\n%s", diff)
	}
	return tree
}

// row returns the row with that key.
func (w *world) row(tree *atskills.Tree, key string) atskills.Row {
	w.Helper()
	for _, r := range tree.Rows {
		if r.Key == key {
			return r
		}
	}
	w.Fatalf("no row %q", key)
	return atskills.Row{}
}

// V1: every skill at its depth, chains of folders as one row, states by the lines they come from, then the lines that
// belong to no skill.
func TestTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("deploy", "team/flows/ci/lint", "team/flows/ci/test", "team/flows/plan", "solo/one/two/skill", "off/a", "x-y", "x/z", "each/a", "each/b", "stars/a", "stars/b")
	w.trigger("# by hand", "team/flows/ci/", "/deploy", "solo/one/", "x*", "!x-y", "@gh:acme/kit/skills/", "each/a", "each/b", "stars/*", "gone/", "@gh:acme", "")
	tree := w.wantTree(`
[x] deploy :3
[~] each (2/2)
  [x] a :8
  [x] b :9
[ ] off (0/1)
  [ ] a
[x] solo/one/two :4 (1/1)
  [#] skill :4
[#] stars :10 (2/2)
  [#] a :10
  [#] b :10
[~] team/flows (2/3)
  [x] ci :2 (2/2)
    [#] lint :2
    [#] test :2
  [ ] plan
[ ] x-y :6
[#] x :5 (1/1)
  [#] z :5
[x] @gh:acme/kit/skills/ :7 !uncached
[ ] gone/ :11 !matches-nothing
[ ] @gh:acme :12 !bad-reference
`)
	if tree.Skills != 12 || tree.On != 9 {
		t.Errorf("%d of %d skills are on, want 9 of 12", tree.On, tree.Skills)
	}
	if r := w.row(tree, "team/flows/ci/lint"); r.ID.String() != "team/flows/ci/lint" || r.LineText != "team/flows/ci/" || r.Kind != atskills.RowSkill ||
		r.Path != ".atskills/team/flows/ci/lint/SKILL.md" || r.Name != "s" || r.Description != "Does it." || r.Origin != "yours" {
		t.Errorf("row %+v", r)
	}
	w.asked("reading the tree", transporttest.Counts{})
}

// V1, B8: what a row costs is what its skills cost as rows of a block, and the whole is what the block costs.
func TestTreeTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Tokens = func(s string) int { return len(s) }
	w.project(map[string]string{"t/a/": "Aa.", "t/u/b/": "Bb.", "c/": "Cc."})
	w.trigger("t/a", "c", "@gh:acme/kit/skills/review")
	block := w.block()
	tree := w.readTree()
	if tree.Tokens != block.Tokens || tree.On != len(block.Rows) {
		t.Errorf("%d skills for %d tokens, the block has %d for %d", tree.On, tree.Tokens, len(block.Rows), block.Tokens)
	}
	a, b := len("- a: Aa. (.atskills/t/a/SKILL.md)"), len("- b: Bb. (.atskills/t/u/b/SKILL.md)")
	if r := w.row(tree, "t"); r.Tokens != a+b || r.OnTokens != a {
		t.Errorf("t costs %d and %d, want %d and %d", r.Tokens, r.OnTokens, a+b, a)
	}
	if r := w.row(tree, "t/u/b"); r.Tokens != b || r.OnTokens != 0 {
		t.Errorf("t/u/b costs %d and %d, want %d and 0", r.Tokens, r.OnTokens, b)
	}
	if r := w.row(tree, "@gh:acme/kit/skills/review"); r.Tokens != block.Rows[2].Tokens || r.Skills != 1 || r.Name != "review" || r.Path != block.Rows[2].Path {
		t.Errorf("row %+v", r)
	}
}

// V1: a row says whose it is.
func TestTreeOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("mine", "gh/acme/kit/skills/own", "both/mine")
	for _, ref := range []string{"gh:acme/kit/skills/deploy", "gh:acme/kit/.claude"} {
		if _, err := atskills.Save(t.Context(), w.env, ref); err != nil {
			t.Fatal(err)
		}
	}
	w.trigger("@gh:acme/kit/skills/deploy", "@gh:acme/kit/skills/review")
	w.resolve("gh:acme/kit/skills/review")
	tree := w.wantTree(`
[ ] both (0/1)
  [ ] mine
[~] gh/acme/kit (1/3)
  [ ] .claude/skills (0/1)
    [ ] plan
  [~] skills (1/2)
    [x] deploy :1
    [ ] own
[ ] mine
[x] @gh:acme/kit/skills/deploy :1
[x] @gh:acme/kit/skills/review :2
`)
	for key, want := range map[string]string{
		"mine":                            "yours",
		"gh/acme/kit":                     "yours",
		"gh/acme/kit/skills/own":          "yours",
		"gh/acme/kit/skills/deploy":       "saved from gh:acme/kit/skills/deploy (2026-03-04)",
		"gh/acme/kit/.claude/skills":      "saved from gh:acme/kit/.claude (2026-03-04)",
		"gh/acme/kit/.claude/skills/plan": "saved from gh:acme/kit/.claude (2026-03-04)",
		"@gh:acme/kit/skills/deploy":      "saved from gh:acme/kit/skills/deploy (2026-03-04)",
		"@gh:acme/kit/skills/review":      "cloud",
	} {
		if got := w.row(tree, key).Origin; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if r := w.row(tree, "gh/acme/kit/skills/deploy"); r.Where != atskills.WhereSaved || r.Stamp == nil || r.Stamp.ID != r.ID {
		t.Errorf("row %+v", r)
	}
}

// V1: what a followed line brings is told as far as the cache knows, and nothing is asked.
func TestTreeFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/", "@gh:acme/kit/skills", "@gh:acme/kit/.claude/", "@gh:acme/kit/skills/deploy")
	w.resolve("gh:acme/kit/skills")
	w.counter.Reset()
	tree := w.wantTree(`
[x] @gh:acme/kit/skills/ :1
[x] @gh:acme/kit/skills :2 !menu
[x] @gh:acme/kit/.claude/ :3 !uncached
[x] @gh:acme/kit/skills/deploy :4
`)
	w.asked("reading the tree", transporttest.Counts{})
	if r := tree.Rows[0]; r.Skills != 2 || r.On != 2 || r.Kind != atskills.RowCloud || r.ID.String() != "gh:acme/kit/skills" || r.Where != atskills.WhereCloud {
		t.Errorf("row %+v", r)
	}
	if tree.On != 2 || tree.Rows[3].Description != "Ships a build." {
		t.Errorf("%d on, row %+v", tree.On, tree.Rows[3])
	}
	w.env.Cache = nil
	for _, r := range w.readTree().Rows {
		if len(r.Warnings) != 1 || r.Warnings[0].Code != atskills.WarnUncached {
			t.Errorf("without a cache: row %+v", r)
		}
	}
}

// V6, W1: a skill says how many more lie inside it; one at the very top hides all, and is a row of its own.
func TestTreeHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("kit", "kit/a", "kit/b/c", "kit/b/c/d", "kit/.git/e", "other")
	w.trigger("other")
	tree := w.wantTree("[ ] kit\n[x] other :1\n")
	if got := w.row(tree, "kit").Hidden; got != 3 {
		t.Errorf("kit hides %d skills, want 3", got)
	}
	if res := w.resolve("kit/b/c/d"); res.Kind != atskills.Skill {
		t.Errorf("a hidden skill is read as %v", res.Kind)
	}
	w.edit(".atskills/SKILL.md", skillText("top", "T.", ""))
	tree = w.wantTree("[ ] .atskills !unnamed\n[ ] other :1 !matches-nothing\n")
	if got := tree.Rows[0].Hidden; got != 5 || len(tree.Warnings) != 1 {
		t.Errorf("the top hides %d skills, want 5; warnings %v", got, tree.Warnings)
	}
}

// V1, B4, B7, G12: what is wrong with a skill is told on its row, and what would do harm on a screen is not shown.
func TestTreeWarnings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.project(map[string]string{
		"bare/SKILL.md": "no frontmatter\n", "gh/only/": "Not addressable.", "esc/SKILL.md": "---\nname: esc\ndescription: \"a\\e[31mb\"\n---\n",
		"line\nbreak/": "Unwritable.", "near/skill.md": "x",
	})
	w.trigger("bare")
	tree := w.wantTree(`
[x] bare :1 !incomplete
[ ] esc !hidden
[ ] gh (0/1)
  [ ] only
[ ] line break !unnamed !hidden
`)
	if r := w.row(tree, "gh/only"); !r.ID.IsZero() || r.Description != "Not addressable." {
		t.Errorf("row %+v", r)
	}
	if r := w.row(tree, "esc"); r.Description != "a[31mb" {
		t.Errorf("row %+v", r)
	}
	if len(tree.Warnings) != 1 || !strings.Contains(tree.Warnings[0].Message, "near/skill.md") {
		t.Errorf("warnings %v", tree.Warnings)
	}
}

// V1: nothing to show is an empty tree, and a file that cannot be read is an error.
func TestTreeEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	if tree := w.readTree(); len(tree.Rows) != 0 || tree.Tokens != 0 {
		t.Errorf("tree %+v", tree)
	}
	if tree, err := atskills.ReadTree(t.Context(), atskills.Env{}); err != nil || len(tree.Rows) != 0 {
		t.Errorf("without a project: %+v, error %v", tree, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := atskills.ReadTree(ctx, w.env); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	w.edit(".atskills/.autotrigger/x", "x")
	if tree, err := atskills.ReadTree(t.Context(), w.env); err == nil {
		t.Errorf("with a folder for a trigger file: %+v", tree)
	}
}

// V1: the state follows from the line that decides, as toggling does.
func TestTreeStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("t/a", "t/b")
	for _, tt := range []struct{ file, t, a string }{
		{"", "[ ]", "[ ]"},
		{"t/a\n", "[~]", "[x]:1"},
		{"t/a\n#\nt/\n", "[x]:3", "[x]:1"},
		{"t/a\nt/*\n", "[#]:2", "[#]:2"},
		{"t/*\nt/a\n", "[~]", "[x]:2"},
		{"t\n!t\nt/a\nt/b\n", "[~]", "[x]:3"},
		{"*\n!t/\n/t/a\n", "[~]", "[x]:3"},
		{"a\n", "[~]", "[#]:1"},
		{"t/\n!t/a\n", "[x]:1", "[#]:1"},
		{"t/*\n!t/a\n", "[~]", "[ ]:2"},
		{"t/*\n!t/*\n", "[ ]", "[ ]:2"},
	} {
		w.edit(triggerFile, tt.file)
		tree := w.readTree()
		for key, want := range map[string]string{"t": tt.t, "t/a": tt.a} {
			r := w.row(tree, key)
			got := r.State.Mark()
			if r.Line > 0 {
				got += fmt.Sprintf(":%d", r.Line)
			}
			if got != want {
				t.Errorf("in %q the row of %s is %s, want %s", tt.file, key, got, want)
			}
		}
	}
}
