package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func (w *world) lint() []atskills.Problem {
	w.Helper()
	got, err := atskills.Lint(w.Context(), w.env)
	if err != nil {
		w.Fatalf("Lint error: %v", err)
	}
	return got
}

// withFix is file with the fix of p in its place.
func withFix(file string, p atskills.Problem) string {
	lines := strings.SplitAfter(file, "\n")
	old := lines[p.FixAt-1]
	lines[p.FixAt-1] = p.Fix + old[len(strings.TrimRight(old, "\r\n")):]
	return strings.Join(lines, "")
}

// T5: each kind of problem, on its line, with the line that works; and what is none.
func TestLint(t *testing.T) {
	t.Parallel()
	copyOf := func(path string) string { return "gh/acme/kit/" + path }
	tests := []struct {
		name, file string
		want       []atskills.Problem
		text       string // in the first message
	}{
		{"nothing wrong", "\ufeff# x\r\n\r\nteam/*\r\n!team/x\r\nc#\r\n@gh:acme/other/\r\n  # y\r\n" + copyOf("mine") + "\r\n", nil, ""},
		{"repeats that count", "alone\n!alone\nalone\n", []atskills.Problem{{Line: 1, Code: atskills.LintShadowed}, {Line: 2, Code: atskills.LintShadowed}}, "line 3, `alone`"},
		{"repeat", "alone\nalone\n", []atskills.Problem{{Line: 1, Code: atskills.LintShadowed}}, "line 2, `alone`"},

		{"matches nothing", "tean/x\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing}}, "did you mean team/x"},
		{"unclosed", "[z\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing}}, ""},
		{"bundled file", "team/x/SKILL.md\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "team/x", FixAt: 1}}, ""},
		{"from the root", ".atskills/team/\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "team/", FixAt: 1}}, ""},
		{"from here", "./alone\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "alone", FixAt: 1}}, ""},
		{"backslashes", "team\\y\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "team/y", FixAt: 1}}, ""},
		{"case", "Team/X\n", []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "team/x", FixAt: 1}}, ""},
		{"no copy", copyOf("skills/deploy/\n"), []atskills.Problem{{Line: 1, Code: atskills.LintNothing, Fix: "@gh:acme/kit/skills/deploy/", FixAt: 1}}, "no copy"},
		{"negation that matches nothing", "team/*\n!team/X\n", []atskills.Problem{{Line: 2, Code: atskills.LintNothing, Fix: "!team/x", FixAt: 2}}, ""},

		{"dead negation", "team/\n!team/x\n", []atskills.Problem{{Line: 2, Code: atskills.LintDeadNegation, Fix: "team/*", FixAt: 1}}, "line 1, `team/`"},
		{"dead, CRLF", "team\r\n!/team/x/\r\n", []atskills.Problem{{Line: 2, Code: atskills.LintDeadNegation, Fix: "team/*", FixAt: 1}}, "`team/*` would work"},
		{"dead, anchored", "/team/\n!x\n", []atskills.Problem{{Line: 2, Code: atskills.LintDeadNegation, Fix: "/team/*", FixAt: 1}}, ""},
		{"dead, any depth", "sub\n!sub/one\n!sub/two\n!team/sub/one\n", []atskills.Problem{
			{Line: 2, Code: atskills.LintNothing}, {Line: 3, Code: atskills.LintNothing},
			{Line: 4, Code: atskills.LintDeadNegation, Fix: "**/sub/*", FixAt: 1}}, ""},
		{"dead, deep", "team/\n!team/sub/one\n", []atskills.Problem{{Line: 2, Code: atskills.LintDeadNegation}}, ""},
		{"dead, before the line", "!team/x\nteam/\n", []atskills.Problem{{Line: 1, Code: atskills.LintDeadNegation}}, ""},
		{"nothing to take back", "!alone\n", []atskills.Problem{{Line: 1, Code: atskills.LintDeadNegation}}, "no line before it"},
		{"taken back again", "alone\n!alone\n!alone\n", []atskills.Problem{{Line: 1, Code: atskills.LintShadowed}, {Line: 2, Code: atskills.LintShadowed}}, ""},

		{"shadowed", "team/x\nteam/\n", []atskills.Problem{{Line: 1, Code: atskills.LintShadowed}}, "line 2, `team/`"},
		{"shadowed by a line before", "team/\nteam/x\n", []atskills.Problem{{Line: 2, Code: atskills.LintShadowed}}, "line 1, `team/`"},

		{"no @", "gh:acme/kit/skills/\n", []atskills.Problem{{Line: 1, Code: atskills.LintMissingAt, Fix: "@gh:acme/kit/skills/", FixAt: 1}}, ""},
		{"no @, hub", "Hub:acme/x\n", []atskills.Problem{{Line: 1, Code: atskills.LintMissingAt, Fix: "@hub:acme/x", FixAt: 1}}, ""},
		{"no @, pasted", "https://github.com/acme/kit/tree/main/skills\n", []atskills.Problem{{Line: 1, Code: atskills.LintMissingAt, Fix: "@gh:acme/kit/skills", FixAt: 1}}, ""},
		{"no @, prefix", "skills:gh:acme/other\n", []atskills.Problem{{Line: 1, Code: atskills.LintMissingAt, Fix: "@gh:acme/other", FixAt: 1}}, ""},
		{"no @, a copy", "gh:acme/kit/mine\n", []atskills.Problem{{Line: 1, Code: atskills.LintMissingAt, Fix: copyOf("mine"), FixAt: 1}}, ""},

		{"bad reference", "@gh:acme\n", []atskills.Problem{{Line: 1, Code: atskills.LintReference}}, "gh:acme"},
		{"prefix", "@skills:gh:acme/other/\n", []atskills.Problem{{Line: 1, Code: atskills.LintReference, Fix: "@gh:acme/other/", FixAt: 1}}, ""},
		{"two @", "@@gh:acme/other\n", []atskills.Problem{{Line: 1, Code: atskills.LintReference, Fix: "@gh:acme/other", FixAt: 1}}, ""},
		{"own skill", "@team/x\n", []atskills.Problem{{Line: 1, Code: atskills.LintReference, Fix: "team/x", FixAt: 1}}, "no cloud id"},
		{"own skill that begins with @", "@scope\n", []atskills.Problem{{Line: 1, Code: atskills.LintReference, Fix: `\@scope`, FixAt: 1}}, ""},

		{"duplicate", "@gh:acme/other\n@GH:acme/other\n", []atskills.Problem{{Line: 2, Code: atskills.LintDuplicate}}, "line 1, `@gh:acme/other`"},
		{"duplicate with a slash", "@gh:acme/other\n@gh:acme/other/\n", []atskills.Problem{{Line: 1, Code: atskills.LintDuplicate}}, "line 2"},

		{"local copy", "@gh:acme/kit/mine\n", []atskills.Problem{{Line: 1, Code: atskills.LintLocalCopy, Fix: copyOf("mine"), FixAt: 1}}, ".atskills/gh/acme/kit/mine"},
		{"local copies", "@gh:acme/kit/\n", []atskills.Problem{{Line: 1, Code: atskills.LintLocalCopy, Fix: "gh/acme/kit/", FixAt: 1}}, ""},
		{"local copy, selected already", "@gh:acme/kit/mine\ngh/\n", []atskills.Problem{{Line: 1, Code: atskills.LintLocalCopy}}, "line 2, `gh/`"},
		{"local copy, taken back", "@gh:acme/kit/mine\n!mine\n", []atskills.Problem{{Line: 1, Code: atskills.LintLocalCopy}, {Line: 2, Code: atskills.LintDeadNegation}}, ""},

		{"white space before", "  alone\n", []atskills.Problem{{Line: 1, Code: atskills.LintSpace, Fix: "alone", FixAt: 1}}, ""},
		{"tab behind", "alone\t\r\n", []atskills.Problem{{Line: 1, Code: atskills.LintSpace, Fix: "alone", FixAt: 1}}, ""},
		{"hard blank behind", "alone\u00a0\n", []atskills.Problem{{Line: 1, Code: atskills.LintSpace, Fix: "alone", FixAt: 1}}, ""},
		{"after the sign", "team/*\n! team/x\n", []atskills.Problem{{Line: 2, Code: atskills.LintSpace, Fix: "!team/x", FixAt: 2}}, ""},
		{"blanks that git drops", "alone  \n", nil, ""},
		{"blanks around what is no pattern", "  @gh:acme/other \n  # x \n \n", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.own("alone", "team/x", "team/y", "team/sub/one", "team/sub/two", "c#", "@scope", copyOf("mine"))
			w.edit(triggerFile, tt.file)
			got := w.lint()
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(atskills.Problem{}, "Message")); diff != "" {
				t.Fatalf("Lint(%q) (-want +got):\n%s", tt.file, diff)
			}
			if len(got) > 0 && !strings.Contains(got[0].Message, tt.text) {
				t.Errorf("message %q, want one with %q", got[0].Message, tt.text)
			}
			for _, p := range got {
				if p.Message == "" || strings.Contains(p.Message, "\n") {
					t.Errorf("message %q", p.Message)
				}
				if p.Fix != "" {
					checkFix(t, w, tt.file, p)
				}
			}
			w.wantTriggers("Lint", tt.file)
			w.asked("Lint", transporttest.Counts{})
		})
	}
}

// checkFix fails the test unless the fix of p takes the problem away, and brings no other to its line.
func checkFix(t *testing.T, w *world, file string, p atskills.Problem) {
	t.Helper()
	after := withFix(file, p)
	w.edit(triggerFile, after)
	for _, q := range w.lint() {
		if q.Line == p.Line {
			t.Errorf("%q with %q in line %d still has %+v", file, p.Fix, p.FixAt, q)
		}
	}
	w.edit(triggerFile, file)
}

// T3, T5: where no single line makes a negation work, the lines that do are listed.
func TestLintListsSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("team/x", "team/sub/one", "team/sub/two", "other")
	w.edit(triggerFile, "team/\n!team/sub/one\n")
	const want = "`/team/*`, `!/team/sub/`, `/team/sub/*`, `!team/sub/one`"
	if got := w.lint(); len(got) != 1 || !strings.HasSuffix(got[0].Message, want) {
		t.Fatalf("Lint = %+v, want the lines %s", got, want)
	}
	lines := strings.Split(strings.Trim(want, "`"), "`, `")
	w.edit(triggerFile, strings.Join(lines, "\n")+"\n")
	if got := w.lint(); len(got) > 0 {
		t.Errorf("Lint of these lines = %+v", got)
	}
}

// T5, W3, W6: a line whose folder the walk could not count says why, in the words of the block's note.
func TestLintPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("b", "near/x")
	fstest.Write(t, w.env.Project, ".atskills", fstest.Tree{
		"out@": "../../out", "dangles@": "nowhere", "again@": "b", "loop@": ".", "typed/skill.md": "x",
	})
	w.edit(triggerFile, "out\nda*\nagain\nloop/\ntyped/\nneax\n")
	want := map[int]string{
		1: `.atskills/out: link ".atskills/out" -> "../../out" leads outside`,
		2: `.atskills/dangles: link ".atskills/dangles" -> "nowhere" leads nowhere`,
		3: `.atskills/again: the same folder as "b", which counts`,
		4: ".atskills/loop: the same folder as the top of the tree, which counts",
		5: "skill.md",
		6: "it matches no skill; did you mean near/x",
	}
	got := w.lint()
	if len(got) != len(want) {
		t.Fatalf("Lint = %+v", got)
	}
	for _, p := range got {
		if p.Code != atskills.LintNothing || !strings.Contains(p.Message, want[p.Line]) || p.Fix != "" {
			t.Errorf("%+v, want a message with %q", p, want[p.Line])
		}
	}
	for _, n := range w.block().Notes {
		if p := got[n.Line-1]; !strings.HasSuffix(p.Message, n.Message) {
			t.Errorf("line %d is said %q by the block, %q by Lint", n.Line, n.Message, p.Message)
		}
	}
	for _, r := range w.readTree().Rows {
		if r.Line > 0 && r.Line < 6 && !hasWarning(r.Warnings, atskills.LintNothing, want[r.Line]) {
			t.Errorf("row %+v", r)
		}
	}
}

// B7: however long a line is, what is said of it is not.
func TestLongLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("a")
	long := strings.Repeat("ü", 200_000)
	for _, line := range []string{long, "@" + long, "@gh:o/" + long, "!" + long, "gh:o/r/" + long, "@gh:" + long} {
		w.edit(triggerFile, line+"\n")
		var said []string
		for _, p := range w.lint() {
			said = append(said, p.Message)
		}
		for _, n := range w.block().Notes {
			said = append(said, n.Message)
		}
		for _, r := range w.readTree().Rows {
			said = append(said, r.Display)
			for _, w := range r.Warnings {
				said = append(said, w.Message)
			}
			if r.Kind != atskills.RowSkill {
				said = append(said, w.toggle(r.Key).Note)
				w.wantTriggers("toggling the row", "")
			}
		}
		for _, text := range said {
			if n := utf8.RuneCountInString(text); n > 1_100 || !utf8.ValidString(text) {
				t.Errorf("of %.12q: %d characters, %.90q", line, n, text)
			}
		}
	}
}

// T5: however many negations are dead, all of them are told, and for the first a line that would work.
func TestLintManyDead(t *testing.T) {
	t.Parallel()
	const n = 100
	w := newWorld(t, "")
	var file strings.Builder
	for i := range n {
		w.own(fmt.Sprintf("t%03d/x", i))
		fmt.Fprintf(&file, "t%03d/\n!t%03d/x\n", i, i)
	}
	w.edit(triggerFile, file.String())
	got := w.lint()
	if len(got) != n {
		t.Fatalf("%d problems, want %d", len(got), n)
	}
	for i, p := range got {
		if p.Line != 2*i+2 || p.Code != atskills.LintDeadNegation || (p.Fix != "") != (i < 32) {
			t.Errorf("problem %d is %+v", i, p)
		}
	}
}

// A context that has ended is the answer, however little there is to look at.
func TestLintCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("a")
	w.edit(triggerFile, "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := atskills.Lint(ctx, w.env); !errors.Is(err, context.Canceled) {
		t.Errorf("Lint = %+v, error %v", got, err)
	}
}

// Without a project, a tree or a file there is nothing to say.
func TestLintNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	if got := w.lint(); len(got) > 0 {
		t.Errorf("Lint without a tree = %+v", got)
	}
	w.env.Project = nil
	if got := w.lint(); len(got) > 0 {
		t.Errorf("Lint without a project = %+v", got)
	}
}

// genTree generates the paths of a tree of skills, none below another, over few names, so that patterns meet them.
func genTree() *rapid.Generator[[]string] {
	name := rapid.SampledFrom([]string{"a", "b", "ab", "A", "x y", "[a]", "!b", "#c", "@d", "*", `\a`, "ü", " a", "b "})
	one := rapid.Map(rapid.SliceOfN(name, 1, 3), func(segs []string) string { return path.Join(segs...) })
	return rapid.Map(rapid.SliceOfNDistinct(one, 1, 8, rapid.ID), func(paths []string) []string {
		slices.Sort(paths)
		return slices.DeleteFunc(paths, func(p string) bool {
			return slices.ContainsFunc(paths, func(q string) bool { return strings.HasPrefix(p, q+"/") })
		})
	}).Filter(func(paths []string) bool { // a name with a backslash is not addressable
		return slices.ContainsFunc(paths, func(p string) bool { return !strings.Contains(p, `\`) })
	})
}

// genFile generates a trigger file with comments, blank lines, bad lines and patterns that meet the trees of genTree.
func genFile(ends ...string) *rapid.Generator[string] {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"", "# x", "  # y", " ", "@gh:acme/kit", "@gh:acme/kit/", "@", "gh:acme/kit", "\xff", "[", `\`}),
		rapid.StringMatching(`!?/?(a|b|ab|A|\*|\?|\[ab\]|\*\*|a\*|\\\[a\]|\\#c|ü)(/(a|b|ab|\*|\*\*))?/?[ \t]?`),
	)
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom"))
		for _, l := range rapid.SliceOfN(line, 0, 8).Draw(t, "lines") {
			b.WriteString(l + rapid.SampledFrom(ends).Draw(t, "end"))
		}
		return b.String()
	})
}

// drawWorld is a world with a random tree, and skills is what the walk finds in it.
func drawWorld(t *testing.T, rt *rapid.T) (w *world, skills []string) {
	w = &world{T: t, env: atskills.Env{Project: memfs.New()}}
	skills = genTree().Draw(rt, "skills")
	files := fstest.Tree{}
	for _, dir := range skills {
		files[dir+"/SKILL.md"] = skillText("s", "Does it.", "Body.")
	}
	fstest.Write(t, w.env.Project, ".atskills", files)
	return w, skills
}

// selected is what a trigger file's plain lines select, by git's rules.
func selected(file string, skills []string) []string {
	lines := strings.Split(strings.TrimPrefix(file, "\ufeff"), "\n")
	for i, l := range lines {
		if l = strings.TrimLeft(strings.TrimSuffix(l, "\r"), " \t"); strings.HasPrefix(l, "@") || strings.HasPrefix(l, "#") {
			l = ""
		} else {
			l = strings.TrimSuffix(lines[i], "\r")
		}
		lines[i] = l
	}
	rules := gitignore.New(lines)
	var out []string
	for _, dir := range skills {
		if rules.Match(dir, true).Ignored {
			out = append(out, dir)
		}
	}
	return out
}

// T5: every fix takes its problem away, and the plain lines that are said to do nothing can all be deleted at once.
func TestLintFixesWork(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, skills := drawWorld(t, rt)
		file := genFile("\n", "\r\n").Draw(rt, "file")
		w.edit(triggerFile, file)
		problems := w.lint()
		lines := strings.SplitAfter(file, "\n")
		for _, p := range problems {
			if p.Fix != "" {
				w.edit(triggerFile, withFix(file, p))
				for _, q := range w.lint() {
					if q.Line == p.Line && q.Code == p.Code {
						rt.Fatalf("%q in line %d leaves %+v of %+v", p.Fix, p.FixAt, q, p)
					}
				}
			}
			if p.Code != atskills.LintLocalCopy {
				lines[p.Line-1] = ""
			}
		}
		if diff := cmp.Diff(selected(file, skills), selected(strings.Join(lines, ""), skills)); diff != "" {
			rt.Fatalf("without the lines of %+v (-before +after):\n%s", problems, diff)
		}
	})
}

// FuzzLint: whatever the file holds, Lint ends, with at most one problem a line, in order, each on one line.
func FuzzLint(f *testing.F) {
	for _, s := range []string{"team/\n!team/sub/x\n", "!\n/\n\\\n@\n", "\ufeffgh:acme/kit\r\n \tx", "!\ufeffx\n!#c\n*\n", "a\x00b\n!a\n"} {
		f.Add([]byte(s))
	}
	project := memfs.New()
	fstest.Write(f, project, ".atskills", fstest.Tree{
		"team/x/SKILL.md": "", "team/sub/x/SKILL.md": "", "#c/SKILL.md": "", "a/SKILL.md": "", "gh/acme/kit/y/SKILL.md": "",
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		write(t, project, map[string]string{triggerFile: string(data)})
		got, err := atskills.Lint(t.Context(), atskills.Env{Project: project})
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for _, p := range got {
			if p.Line <= last || p.Message == "" || strings.ContainsAny(p.Message+p.Fix, "\r\n") || (p.Fix == "") != (p.FixAt == 0) {
				t.Errorf("Lint of %q: %+v", data, p)
			}
			last = p.Line
		}
	})
}
