package skill_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// parsed is a reference in words: its ids, then what else was said.
func parsed(r skill.Ref) string {
	var b strings.Builder
	for i, id := range r.IDs() {
		if i > 0 {
			b.WriteString(" or ")
		}
		b.WriteString(id.String())
	}
	for _, f := range []struct {
		on   bool
		word string
	}{{r.Dir, "dir"}, {r.Save, "save"}, {r.Install, "install"}, {r.Index, "index"}} {
		if f.on {
			b.WriteString(" +" + f.word)
		}
	}
	if r.Branch != "" {
		b.WriteString(" @" + r.Branch)
	}
	return b.String()
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, in, want string }{
		{"G1 prefix", "@skills:gh:o/r", "gh:o/r"},
		{"G1 prefix", "@Skills:gh:o/r", "gh:o/r"},
		{"G1 alias", "@workflow:team/deploy", "team/deploy"},
		{"G1 none", "gh:o/r", "gh:o/r"},
		{"G1 trimmed", "\t @skills:gh:o/r \n", "gh:o/r"},
		{"G1 suffix", "gh:o/r:save", "gh:o/r +save"},
		{"G1 order", "gh:o/r:install:save", "gh:o/r +save +install"},
		{"G1 repeats", "gh:o/r:save:save:index:save", "gh:o/r +save +index"},
		{"G1 exact word", "gh:o/r/x:Save", "gh:o/r/x:Save"},
		{"G1 unknown word", "x:saved", "x:saved"},
		{"G1 inner word", "gh:o/r/x:save/y", "gh:o/r/x:save/y"},
		{"G1 word as path", "@skills:save:save", "save +save"},
		{"G1 inner space", "@skills:gh:o/r/skills/code quality", "gh:o/r/skills/code quality"},
		{"G2 hub", "hub:acme/x", "hub:acme/x"},
		{"G2 bare", "owner/repo", "owner/repo"},
		{"G2 not a marker", "ghost:x/y", "ghost:x/y"},
		{"G3 marker", "GH:Owner/Repo/Sub", "gh:Owner/Repo/Sub"},
		{"G3 hub", "Hub:Acme/X", "hub:acme/x"},
		{"G3 bare", "Team/Deploy", "Team/Deploy or team/deploy"},
		{"G3 bare, other script", "ÄRGER", "ÄRGER or ärger"},
		{"G3 after decoding", "%41b", "Ab or ab"},
		{"G4 disk", "gh/o/r/x", "gh:o/r/x"},
		{"G4 disk", "GH/o/r", "gh:o/r"},
		{"G4 disk", "@skills:hub/Acme/x/:save", "hub:acme/x +dir +save"},
		{"G5 file", "gh:o/r/x/SKILL.md", "gh:o/r/x"},
		{"G5 file", "gh:o/r/SKILL.md", "gh:o/r"},
		{"G5 file", "team/deploy/SKILL.md:save", "team/deploy +save"},
		{"G5 file", "hub:a/b/SKILL.md", "hub:a/b"},
		{"G5 file of another case", "gh:o/r/x/skill.md", "gh:o/r/x/skill.md"},
		{"G5 repository of that name", "gh:o/SKILL.md", "gh:o/SKILL.md"},
		{"G5 .git", "gh:o/r.git/x", "gh:o/r/x"},
		{"G5 .git alone", "gh:o/.git", "gh:o/.git"},
		{"G5 shortened", "gh:o/r/tree/main/x", "gh:o/r/x @main"},
		{"G5 shortened", "gh:o/r/blob/dev/x/SKILL.md", "gh:o/r/x @dev"},
		{"G5 shortened", "gh:o/r/tree/main/", "gh:o/r +dir @main"},
		{"G5 a folder called tree", "gh:o/r/tree", "gh:o/r/tree"},
		{"G5 a folder called tree", "gh:o/r/tree/SKILL.md", "gh:o/r/tree"},
		{"G5 a folder called tree", "gh:o/r/%74ree/main/x", "gh:o/r/tree/main/x"},
		{"G5 no address", "gh:o/r/x?y#z", "gh:o/r/x?y#z"},
		{"G5 no address", "gh:o/r/c#-helper", "gh:o/r/c#-helper"},
		{"G5 no address", "gitlab.com/o/r", "gitlab.com/o/r"},
		{"G5 no address", "github.common-lisp/x", "github.common-lisp/x"},
		{"G5 no address", "x/github.com/y", "x/github.com/y"},
		{"G6 escape", "gh:o/r/API%20Gateway", "gh:o/r/API Gateway"},
		{"G6 escape", "gh:o/r/%E4%BB%A3", "gh:o/r/代"},
		{"G6 stray", "gh:o/r/100%/50%-off/%4", "gh:o/r/100%/50%-off/%4"},
		{"G6 literal", "gh:o/r/%2541", "gh:o/r/%41"},
		{"G6 decoded once", "gh:o/r/%252e%252e", "gh:o/r/%2e%2e"},
		{"G6 escaped suffix", "gh:o/r/x%3Asave", "gh:o/r/x:save"},
		{"G6 escaped file", "gh:o/r/SKILL%2Emd", "gh:o/r/SKILL.md"},
		{"G7 legal", "gh:o/r/.claude/_x/(y)/@z", "gh:o/r/.claude/_x/(y)/@z"},
		{"G7 owner", "gh:o%20x/r", "gh:o x/r"},
		{"G7 not normalised", "gh:o/r/e\u0301", "gh:o/r/e\u0301"},
		{"G8", "gh:owner/repo", "gh:owner/repo"},
		{"G9", "gh:o/r/x/", "gh:o/r/x +dir"},
		{"G9", "team/:install", "team +dir +install"},
	} {
		r, err := skill.ParseRef(c.in)
		if err != nil || parsed(r) != c.want {
			t.Errorf("%s: ParseRef(%q) = %q, %v, want %q", c.rule, c.in, parsed(r), err, c.want)
			continue
		}
		checkRef(t, r)
	}
}

func TestParseRefErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, in, want string }{
		{"G1", "", "empty path"},
		{"G1", "@skills:", "empty path"},
		{"G1", "@skills::save", "empty path"},
		{"G2", "hub:a", "exactly two segments"},
		{"G2", "hub:a/b/c", "exactly two segments"},
		{"G2", "hub:https://github.com/o/r", "hub: takes no address"},
		{"G7", "hub:a/b%2F", "holds a slash"},
		{"G4", "gh", "gh:<owner>/<repo>"},
		{"G4", "hub/", "hub:<owner>/<name>"},
		{"G4", "g%68/o/r", "stands for the marker gh:"},
		{"G4", "gh%3Ao/r", "stands for the marker gh:"},
		{"G5", "SKILL.md", "name the folder"},
		{"G7", "gh:o/r/a%2Fb", "holds a slash"},
		{"G7", "gh:o/r/%2e%2e", `".." is not a name`},
		{"G7", "gh:o/r/..", `".." is not a name`},
		{"G7", "../x", `".." is not a name`},
		{"G7", "gh:o/r/a%5Cb", "backslash"},
		{"G7", "gh:o/r/a%00", "control character"},
		{"G7", "gh:o/r/a%0Ab", "control character"},
		{"G7", "gh:o/r/%FF", "not valid UTF-8"},
		{"G7", "gh:o//r", "empty path segment"},
		{"G7", "/etc/passwd", "empty path segment"},
		{"G7", "gh:o/r/x//", "empty path segment"},
		{"G8", "gh:owner", "names an owner only; a repository is gh:owner/<repo>"},
		{"G8", "@skills:gh:owner/:save", "names an owner only"},
		{"bounds", "gh:o/r/" + strings.Repeat("x", 4096), "longer than 4096 bytes"},
		{"bounds", "gh:o/r" + strings.Repeat("/x", 63), "more than 64 segments"},
		{"bounds", "gh:o/r/tree/" + strings.Repeat("b ", 2000) + "b/x", "longer than 4096 bytes"},
	} {
		r, err := skill.ParseRef(c.in)
		var syntax *skill.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: ParseRef(%.60q) = %q, %v, want a SyntaxError that says %q", c.rule, c.in, parsed(r), err, c.want)
		}
		if r != (skill.Ref{}) {
			t.Errorf("%s: ParseRef(%.60q) returned %+v beside its error", c.rule, c.in, r)
		}
	}
}

// G3 relies on lower-casing being stable: what is lower case stays as it is.
func TestLowerCaseIsStable(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if l := unicode.ToLower(r); unicode.ToLower(l) != l {
			t.Errorf("the lower case of %U is %U, which has another one", r, l)
		}
	}
}

// G5: the names of the branches settle where the path begins.
func TestRebranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		branches []string
		want     string // "" where no branch fits
	}{
		{"https://github.com/o/r/tree/feature/x/skills/a", []string{"main", "feature/x"}, "gh:o/r/skills/a @feature/x"},
		{"https://github.com/o/r/tree/feature/x/skills/a/", []string{"feature/x"}, "gh:o/r/skills/a +dir @feature/x"},
		{"https://github.com/o/r/tree/feature/some-skill", []string{"feature/some-skill"}, "gh:o/r @feature/some-skill"},
		{"gh:o/r/tree/feature/x/y", []string{"feature", "feature/x", "feature/x/yz"}, "gh:o/r/y @feature/x"},
		{"gh:o/r/tree/main/skills/a", []string{"main"}, "gh:o/r/skills/a @main"},
		{"gh:o/r/tree/feature%2Fx/skills/a", []string{"feature/x"}, "gh:o/r/skills/a @feature/x"},
		{"gh:o/r/tree/bugfix%20/ABC-1/x", []string{"bugfix /ABC-1"}, "gh:o/r/x @bugfix /ABC-1"},
		{"gh:o/r/tree/mainline/x", []string{"main"}, ""},
		{"gh:o/r/tree/gone/x", []string{"main", ""}, ""},
		{"gh:o/r/x", []string{"x"}, ""},
	} {
		r, err := skill.ParseRef(c.in)
		if err != nil {
			t.Errorf("ParseRef(%q): %v", c.in, err)
			continue
		}
		got, ok := r.Rebranch(c.branches)
		if c.want == "" {
			if ok || got != r {
				t.Errorf("%q.Rebranch(%q) = %q, %v, want no branch", c.in, c.branches, parsed(got), ok)
			}
			continue
		}
		if !ok || parsed(got) != c.want {
			t.Errorf("%q.Rebranch(%q) = %q, %v, want %q", c.in, c.branches, parsed(got), ok, c.want)
		}
		checkRef(t, got)
	}
}

func TestRefString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GH/o/r.git/a b/SKILL.md:index:save":             "@skills:gh:o/r/a%20b:save:index",
		"Team/Deploy/":                                   "@skills:Team/Deploy/",
		"gh:o/r/x.:save":                                 "@skills:gh:o/r/x%2E:save",
		"https://github.com/o/r/tree/feature%2Fx/tree/y": "@skills:gh:o/r/tree/feature%2Fx/tree/y",
		"https://github.com/o/r/tree/%72efs/heads/x/y":   "@skills:gh:o/r/tree/%72efs/heads/x/y",
	} {
		r, err := skill.ParseRef(in)
		if err != nil || r.String() != want {
			t.Errorf("ParseRef(%q).String() = %q, %v, want %q", in, r, err, want)
		}
		checkRef(t, r)
	}
	r := skill.Ref{ID: mustID(t, "gh:o/r/x"), Dir: true, Install: true}
	if diff := cmp.Diff("@skills:gh:o/r/x/:install", r.String()); diff != "" {
		t.Error(diff)
	}
}

func ExampleParseRef() {
	for _, s := range []string{
		"@skills:gh:anthropics/skills/skills/pdf:save",
		"https://github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md",
		"Team/Deploy",
		"gh:anthropics",
	} {
		r, err := skill.ParseRef(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v save=%t branch=%q\n", r.IDs(), r.Save, r.Branch)
	}
	// Output:
	// [gh:anthropics/skills/skills/pdf] save=true branch=""
	// [gh:anthropics/skills/skills/pdf] save=false branch="main"
	// [Team/Deploy team/deploy] save=false branch=""
	// reference "gh:anthropics": gh:anthropics names an owner only; a repository is gh:anthropics/<repo>
}

// FuzzParseRef: no panic; an error is a SyntaxError; what parses is read back from each of its spellings.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{
		"@skills:gh:o/r/a b:save", "Team/Deploy/:install:index", "gh:o/r/%2541/%4/%", "hub/A/b", "gh/o/r.git/SKILL.md",
		"https://github.com/o/r/tree/feature/x/y?z=1#w", "git@github.com:o/r.git#dev", "ssh://git@github.com/o/r",
		"gh:o/r/tree/refs/heads/x/y", "https://u:p@evil.net/github.com@x", "github%2Ecom/o", "SKILL%2Emd",
		"x)（）.'", "a\u202eb\u2028c", "K/İ", "x\u200c/\u200d.y\u200c%20\u200d",
		"\u200c\U000E0141z", "tree\u200c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := skill.ParseRef(s)
		if err != nil {
			var syntax *skill.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("ParseRef(%q) = %v, want a SyntaxError", s, err)
			}
			return
		}
		checkRef(t, r)
	})
}

// FuzzParseID: the same for ids, whose text nothing is decoded in.
func FuzzParseID(f *testing.F) {
	for _, s := range []string{
		"gh:o/r/a b", "gh:o/r.git/tree/x", "hub:a/B", "github.com.github.com@", "a/%41/%%41", "x:save:index", "gh:gh:/gh",
		"https:/x", "@skills:a", "a:b@c", "SKILL.md", "(.", "f(x)。", "www.github.com:",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := skill.ParseID(s); err == nil {
			checkID(t, id)
		}
		if id, err := skill.ParseDiskPath(s); err == nil {
			checkID(t, id)
			if id.DiskPath() != s {
				t.Errorf("ParseDiskPath(%q) = %q, whose disk path is %q", s, id, id.DiskPath())
			}
		}
	})
}
