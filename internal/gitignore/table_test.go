package gitignore_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

// A row is what one rule of gitignore(5) means. Paths that end in "/" are directories, the others are not.
type row struct {
	rule    string
	lines   []string
	ignored []string
	kept    []string
}

// table has each rule of gitignore(5) and each point where matchers are known to differ from git.
var table = []row{
	// Lines.
	{"no lines", nil, nil, []string{"a/", "a"}},
	{"a blank line matches nothing", []string{""}, nil, []string{"a/", "a"}},
	{"spaces alone are a blank line", []string{"   "}, nil, []string{" /", "   /"}},
	{"an escaped space alone is a pattern", []string{`\ `}, []string{" /"}, []string{"  /"}},
	{"a tab alone is a pattern", []string{"\t"}, []string{"\t/"}, []string{"a/"}},
	{"# begins a comment", []string{"#a"}, nil, []string{"#a/", "a/"}},
	{"an escaped # does not", []string{`\#a`}, []string{"#a/"}, []string{"a/", `\#a/`}},
	{"# after white space is text", []string{" #a", "\t#b"}, []string{" #a/", "\t#b/"}, []string{"#a/", "a/", "b/"}},
	{"# inside is text", []string{"c#-helper"}, []string{"c#-helper/"}, []string{"c/"}},
	{"# after ! is text", []string{"*", "!#a"}, []string{"a/"}, []string{"#a/"}},
	{"spaces at the end are dropped", []string{"a  "}, []string{"a/"}, []string{"a /", "a  /"}},
	{"an escaped space at the end counts", []string{`a\ `}, []string{"a /"}, []string{"a/", `a\/`, "a  /"}},
	{"only the spaces behind it are dropped", []string{`a\   `}, []string{"a /"}, []string{"a/", "a  /"}},
	{"each is escaped on its own", []string{`a\ \ `}, []string{"a  /"}, []string{"a /", "a/"}},
	{"an escaped backslash escapes no space", []string{`a\\ `}, []string{`a\/`}, []string{`a\ /`, "a /"}},
	{"three backslashes do", []string{`a\\\ `}, []string{`a\ /`}, []string{`a\/`}},
	{"a space inside counts", []string{"a b"}, []string{"a b/"}, []string{"ab/", "a/"}},
	{"a space at the beginning counts", []string{" a"}, []string{" a/"}, []string{"a/"}},
	{"a tab at the end counts", []string{"a\t"}, []string{"a\t/"}, []string{"a/"}},
	{"spaces behind a tab are dropped", []string{"a\t "}, []string{"a\t/"}, []string{"a/", "a\t /"}},
	{"spaces behind a slash are dropped", []string{"a/  "}, []string{"a/"}, []string{"a"}},
	{"spaces before a backslash at the end count", []string{`a  \`}, nil, []string{"a/", "a  /", `a  \/`}},
	{"a carriage return inside counts", []string{"a\rb"}, []string{"a\rb/"}, []string{"ab/"}},
	{"a carriage return at the end counts", []string{"a\r"}, []string{"a\r/"}, []string{"a/"}},
	{"a NUL byte ends the line", []string{"a\x00b", "c \x00", "\x00d"}, []string{"a/", "c/"}, []string{"b/", "ab/", "c /", "d/"}},

	// Negation.
	{"! takes back", []string{"*", "!a"}, []string{"b/"}, []string{"a/"}},
	{"the last match wins", []string{"!a", "*"}, []string{"a/", "b/"}, nil},
	{"repeats count", []string{"a", "!a", "a"}, []string{"a/"}, nil},
	{"an escaped ! is text", []string{`\!a`}, []string{"!a/"}, []string{"a/"}},
	{"a second ! is text", []string{"*", "!!a"}, []string{"a/"}, []string{"!a/"}},
	{"! alone matches nothing", []string{"a", "!"}, []string{"a/"}, []string{"b/", "!/"}},
	{"! and a slash match nothing", []string{"a", "!/"}, []string{"a/"}, []string{"b/"}},
	{"! inside is text", []string{"a!"}, []string{"a!/"}, []string{"a/"}},
	{"T3: nothing below an excluded directory comes back", []string{"team/", "!team/x"}, []string{"team/", "team/x/", "team/x/y"}, nil},
	{"T3: what is excluded itself comes back", []string{"team/*", "!team/x"}, []string{"team/y/"}, []string{"team/", "team/x/", "team/x/y"}},
	{"T3: each level has to come back", []string{"/*", "!/a", "/a/*", "!/a/b"}, []string{"c/", "a/c/"}, []string{"a/", "a/b/", "a/b/c/"}},
	{"a directory taken back leaves the inside to the other lines", []string{"*", "!team/"}, []string{"team/x/", "b/"}, []string{"team/"}},
	{"! composes with **", []string{"**", "!**/"}, []string{"a", "a/b"}, []string{"a/", "a/b/"}},

	// Slashes.
	{"no slash: at every depth", []string{"a"}, []string{"a/", "b/a/", "b/c/a"}, []string{"b/", "ab/", "ba/"}},
	{"a leading slash anchors", []string{"/a"}, []string{"a/", "a/b/", "a"}, []string{"b/a/"}},
	{"an inner slash anchors", []string{"a/b"}, []string{"a/b/", "a/b"}, []string{"c/a/b/", "b/"}},
	{"a leading slash beside an inner one is not relevant", []string{"/a/b"}, []string{"a/b/"}, []string{"c/a/b/"}},
	{"a trailing slash does not anchor", []string{"a/"}, []string{"a/", "b/a/"}, []string{"a", "b/a"}},
	{"a trailing slash: directories and all below", []string{"a/"}, []string{"a/b/c", "a/b/"}, []string{"b/a"}},
	{"both", []string{"/a/"}, []string{"a/", "a/b"}, []string{"a", "b/a/"}},
	{"a slash alone matches nothing", []string{"/"}, nil, []string{"a/", "a/b/"}},
	{"two slashes match nothing", []string{"//", "//a", "b//", "c//d"}, nil, []string{"a/", "b/", "c/d/", "d/"}},
	{"one leading slash is dropped, not two", []string{"//a"}, nil, []string{"a/"}},
	{"an escaped slash is a slash", []string{`a\/b`}, []string{"a/b/"}, []string{"c/a/b/", `a\/`}},
	{"a backslash before the trailing slash is left alone", []string{`a\/`}, nil, []string{"a/", `a\/`}},
	{"dots are names", []string{"./a", "../b", "a/../b"}, nil, []string{"a/", "b/"}},
	{"the prefix of a name is not the name", []string{"/a/b"}, nil, []string{"a/bc/", "ab/", "a/"}},
	{"@ is text", []string{"gh/@me", "@a"}, []string{"gh/@me/", "@a/"}, []string{"me/"}},

	// Wildcards.
	{"* in a name", []string{"*.md"}, []string{"a.md", "b/c.md", ".md"}, []string{"md", "a.mdx"}},
	{"* matches a dot at the beginning", []string{"*"}, []string{".a/", "a/", "b/.c"}, nil},
	{"* never matches a slash", []string{"a*c", "/d*f"}, []string{"ac/", "abc/", "x/abc/"}, []string{"a/c/", "d/f/"}},
	{"* matches one level", []string{"a/*"}, []string{"a/b", "a/b/c"}, []string{"a/", "b/a/c"}},
	{"* between slashes is not empty", []string{"a/*/b"}, []string{"a/x/b/"}, []string{"a/b/", "a/x/y/b/"}},
	{"the last * takes what it must", []string{"*a*b"}, []string{"ab/", "aab/", "xaxb/", "abab/"}, []string{"aba/", "b/"}},
	{"? is one byte", []string{"a?"}, []string{"ab/", "a?/", "aa/"}, []string{"a/", "abc/"}},
	{"? is not a character", []string{"?", "x??"}, []string{"a/", "xé/"}, []string{"é/", "世/"}},
	{"??? is one of three bytes", []string{"???"}, []string{"世/", "aé/"}, []string{"é/"}},
	{"? never matches a slash", []string{"a?b", "/a?b"}, []string{"axb/"}, []string{"a/b/"}},
	{"* matches bytes that are no UTF-8", []string{"a*b"}, []string{"a\xff\xfeb/"}, nil},
	{"bytes that are no UTF-8 are themselves", []string{"\xff", "?\xfe"}, []string{"\xff/", "a\xfe/"}, []string{"\xfe/"}},
	{"an escaped wildcard is text", []string{`\*`, `a\?`, `\[b]`}, []string{"*/", "a?/", "[b]/"}, []string{"a/", "ab/", "b/"}},
	{"a backslash before plain text goes", []string{`\a\b`}, []string{"ab/"}, []string{`\a\b/`}},
	{"an escaped backslash is one", []string{`\\a`}, []string{`\a/`}, []string{"a/", `\\a/`}},
	{"a lone backslash at the end matches nothing", []string{`a\`, `\`, `*\`, `b/**\`}, nil, []string{"a/", `a\/`, `\/`, "b/c/"}},
	{"letters differ by case", []string{"Abc", "[A-Z]x"}, []string{"Abc/", "Qx/"}, []string{"abc/", "ABC/", "qx/"}},
	{"braces and commas are text", []string{"{a,b}"}, []string{"{a,b}/"}, []string{"a/", "b/"}},

	// **.
	{"a leading **/ is any depth", []string{"**/a"}, []string{"a/", "b/a/", "b/c/a"}, []string{"ba/"}},
	{"also before a path", []string{"**/a/b"}, []string{"a/b/", "x/a/b/", "x/y/a/b"}, []string{"a/x/b/", "xa/b/"}},
	{"a slash before it changes nothing", []string{"/**/a"}, []string{"a/", "b/c/a/"}, []string{"ba/"}},
	{"a trailing /** is everything inside", []string{"a/**"}, []string{"a/b", "a/b/c/"}, []string{"a/", "b/a/c/"}},
	{"/**/ is any number of directories", []string{"a/**/b"}, []string{"a/b/", "a/x/b/", "a/x/y/b"}, []string{"ab/", "a/xb/", "c/a/b/"}},
	{"two of them", []string{"a/**/b/**/c"}, []string{"a/b/c/", "a/x/b/y/z/c/"}, []string{"a/c/", "a/b/"}},
	{"two in a row", []string{"a/**/**/b"}, []string{"a/b/", "a/x/b/"}, []string{"ab/"}},
	{"the second one finds a later place", []string{"**/a/*/b"}, []string{"a/a/x/b/", "a/x/b/"}, []string{"a/b/", "a/x/y/b/"}},
	{"** alone is everything", []string{"**"}, []string{"a/", "a/b"}, nil},
	{"/** is everything", []string{"/**"}, []string{"a/", "a/b"}, nil},
	{"**/ is every directory", []string{"**/"}, []string{"a/", "a/b"}, []string{"a"}},
	{"a/**/ is every directory inside", []string{"a/**/"}, []string{"a/b/", "a/b/c"}, []string{"a/", "a/b"}},
	{"other stars are one star", []string{"a**b", "/c**d"}, []string{"ab/", "axb/"}, []string{"a/b/", "c/d/", "xcd/"}},
	{"** before text is one star", []string{"x/**b"}, []string{"x/b/", "x/ab/"}, []string{"x/a/b/"}},
	{"** behind a wildcard is one star", []string{"?**/b"}, []string{"a/b/", "ab/b/"}, []string{"a/x/b/", "b/"}},
	{"** behind literal text counts as leading", []string{"foo**/bar"}, []string{"foobar/", "foo/bar/", "fool/bar/", "foo/x/bar/"}, []string{"fooxbar/", "bar/", "x/foo/bar/"}},
	{"** behind a path counts as leading", []string{"a/b**/c"}, []string{"a/bc/", "a/b/c/", "a/bx/y/c/"}, []string{"a/bxc/"}},
	{"** behind an escape does not", []string{`\a**/b`}, []string{"a/b/", "ax/b/"}, []string{"ab/", "a/x/b/"}},
	{"** behind literal text at the end", []string{"*", "!/a**"}, []string{"b/"}, []string{"a/", "ax/"}},
	{"three stars are two", []string{"a/***/b", "c/****"}, []string{"a/b/", "a/x/y/b/", "c/d/"}, []string{"ab/", "c/"}},
	{"** before an escaped slash is at least one directory", []string{`a/**\/b`}, []string{"a/x/b/", "a/x/y/b/"}, []string{"a/b/"}},
	{"twice, at least two", []string{`a/**\/**\/b`}, []string{"a/x/y/b/", "a/x/y/z/b/"}, []string{"a/x/b/", "a/b/"}},
	{"** behind an escaped slash", []string{`a\/**/b`}, []string{"a/b/", "a/x/b/"}, []string{"ab/"}},
	{"*/** is everything below the first level", []string{"*/**"}, []string{"a/b/", "a/b/c"}, []string{"a/"}},
	{"**/* is everything", []string{"**/*"}, []string{"a/", "a/b"}, nil},
	{"a/**/* is everything inside", []string{"a/**/*"}, []string{"a/b/", "a/b/c"}, []string{"a/"}},

	// Classes.
	{"a class", []string{"[ab]"}, []string{"a/", "b/"}, []string{"c/", "ab/", "[ab]/"}},
	{"! negates", []string{"[!a]"}, []string{"b/", "!/"}, []string{"a/"}},
	{"^ negates", []string{"[^a]"}, []string{"b/", "^/"}, []string{"a/"}},
	{"! and ^ elsewhere are members", []string{"[a!^]"}, []string{"a/", "!/", "^/"}, []string{"b/"}},
	{"a second ! is a member", []string{"[!!]"}, []string{"a/"}, []string{"!/"}},
	{"a first ] is a member", []string{"[]a]"}, []string{"]/", "a/"}, []string{"b/"}},
	{"also when negated", []string{"[!]a]", "x[^]]"}, []string{"b/", "xa/"}, []string{"]/", "a/", "x]/"}},
	{"a later ] closes", []string{"[a]]"}, []string{"a]/"}, []string{"a/", "]/"}},
	{"an escaped ] is a member", []string{`[a\]b]`}, []string{"a/", "]/", "b/"}, []string{`\/`}},
	{"an unclosed class matches nothing", []string{"[", "[a", "[]", "[!]", "b[a", "[]a", `[a\]`, `c[\`}, nil, []string{"[/", "[a/", "a/", "b/", "ba/", "[]/", "b[a/", "c/"}},
	{"a range", []string{"[a-c]"}, []string{"a/", "b/", "c/"}, []string{"d/", "-/", "B/"}},
	{"of a backward range the first byte alone", []string{"[z-a]"}, []string{"z/"}, []string{"a/", "m/", "-/"}},
	{"a range of one", []string{"[a-a]"}, []string{"a/"}, []string{"-/", "b/"}},
	{"- at the end is a member", []string{"[a-]"}, []string{"a/", "-/"}, []string{"b/"}},
	{"- at the beginning is a member", []string{"[-a]", "x[!-a]"}, []string{"a/", "-/", "xb/"}, []string{"b/", "x-/"}},
	{"- behind a range is a member", []string{"[a-c-e]"}, []string{"b/", "-/", "e/"}, []string{"d/"}},
	{"- begins a range", []string{"[--0]"}, []string{"-/", "0/"}, []string{"a/", "1/"}},
	{"- ends a range", []string{"[+--]"}, []string{"+/", ",/", "-/"}, []string{"*/"}},
	{"an escaped - is a member", []string{`[a\-c]`}, []string{"a/", "-/", "c/"}, []string{"b/"}},
	{"ends of a range may be escaped", []string{`[\a-\c]`}, []string{"a/", "b/", "c/"}, []string{`\/`, "-/"}},
	{"a first ] begins a range", []string{"[]-a]"}, []string{"]/", "^/", "a/"}, []string{"b/", "-/"}},
	{"a range is of bytes", []string{"[\x80-\xff]", "x[é]?"}, []string{"\x80/", "\xff/", "xé/"}, []string{"a/", "é/"}},
	{"wildcards in a class are members", []string{"[*?]"}, []string{"*/", "?/"}, []string{"a/"}},
	{"a slash in a class anchors and matches nothing", []string{"a[/]b", "c[b/]d"}, []string{"cbd/"}, []string{"a/b/", "x/cbd/", "c/d/"}},
	{"a range over the slash does not match it", []string{"a[.-0]b"}, []string{"a.b/", "a0b/"}, []string{"a/b/"}},
	{"a negated class does not match it", []string{"/a[!x]b"}, []string{"a.b/"}, []string{"a/b/"}},
	{"a named class", []string{"[[:digit:]]"}, []string{"0/", "9/"}, []string{"a/", ":/", "d/"}},
	{"beside others", []string{"[[:digit:]a[:upper:]_]"}, []string{"0/", "a/", "Z/", "_/"}, []string{"b/"}},
	{"negated", []string{"[![:alpha:]]"}, []string{"0/", "-/", "\xe9/"}, []string{"a/", "Z/"}},
	{"an unknown name matches nothing", []string{"[[:word:]]", "[a[:foo:]]", "[[::]]", "[[:ALPHA:]]", "[[:alpha :]]"}, nil, []string{"a/", ":/", "[/", ":]/", "[]/", "a]/"}},
	{"an unfinished name is members", []string{"[[:alpha]"}, []string{"[/", ":/", "a/", "p/"}, []string{"b/"}},
	{"[: with ] right behind is members", []string{"[[:]"}, []string{"[/", ":/"}, []string{"a/"}},
	{"collating symbols are members", []string{"[[.a.]]", "x[[=a=]]"}, []string{"a]/", ".]/", "x=]/"}, []string{"a/"}},
	{"- behind a name is a member", []string{"[[:digit:]-z]"}, []string{"0/", "-/", "z/"}, []string{"a/"}},
	{"a name ends no range", []string{"[0-[:digit:]]"}, []string{"[]/", "5]/", "d]/"}, []string{"5/", "j]/"}},
	{"[ begins a range", []string{"[[-a]"}, []string{"[/", "]/", "a/"}, []string{"-/", "b/"}},
	{"[a[] has a bracket", []string{"[a[]"}, []string{"a/", "[/"}, []string{"b/"}},
	{"white space has no vertical tab", []string{"x[[:space:]]"}, []string{"x /", "x\t/", "x\n/", "x\r/"}, []string{"x\v/", "x\f/"}},
	{"a name is of ASCII", []string{"x[[:alpha:]]", "x[[:print:]]"}, []string{"xa/", "x~/"}, []string{"x\xe9/", "x\x7f/"}},
	{"a class after a star", []string{"*[!0-9]"}, []string{"a/", "0a/"}, []string{"0/", "a0/"}},

	// T4: a skill is a directory, and a directory above it decides for it.
	{"T4: a directory line", []string{"my-tdd/"}, []string{"my-tdd/", "team/my-tdd/"}, []string{"my-tdd"}},
	{"T4: a directory above", []string{"team"}, []string{"team/a/", "team/b/c/", "x/team/d/"}, []string{"teams/"}},
	{"T4: what is inside a skill does not select it", []string{"SKILL.md", "a/SKILL.md"}, []string{"a/SKILL.md"}, []string{"a/", "b/"}},

	// What users of other matchers reported.
	{"the first level excluded, one directory taken back", []string{"/*/", "!/foo/"}, []string{"x/", "x/a/"}, []string{"foo/", "foo/x/", "foo/bar.js"}},
	{"everything inside excluded: a deep negation is inert", []string{"foo/**", "!foo/bar/bas"}, []string{"foo/bar/", "foo/bar/bas/"}, []string{"foo/"}},
	{"T3: an inert negation", []string{"team-flows/", "!team-flows/experimental"}, []string{"team-flows/experimental/", "team-flows/a/"}, nil},
	{"a directory between", []string{"d/", "!d/sub/*"}, []string{"d/sub/f.txt", "d/sub/x/"}, nil},
	{"a negation of one file", []string{"*.log", "!important.log"}, []string{"a.log", "x/b.log"}, []string{"important.log", "x/important.log"}},
	{"stars for owner, repository and skill", []string{"gh/*/*/*", "!gh/o/r/x"}, []string{"gh/o/r/y/", "gh/p/q/x/"}, []string{"gh/o/r/x/", "gh/o/r/"}},
	{"a name is compared whole", []string{".npm"}, []string{".npm/x/"}, []string{".npmrc/x/", "x.npm/"}},
	{"a name that ends in a space is not its directory", []string{"bar/ "}, []string{"bar/"}, []string{"bar /", "bar"}},
	{"a class of nothing", []string{"[!]", "a[]b"}, nil, []string{"a/", "[!]/", "ab/", "a[]b/"}},
	{"an escaped backslash before a star", []string{`\\*`}, []string{`\a/`, `\/`}, []string{"*/", "a/", "b/"}},
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, row := range table {
		rules := gitignore.New(row.lines)
		for path, want := range row.paths() {
			name, dir := strings.CutSuffix(path, "/")
			if got := rules.Match(name, dir); got.Ignored != want {
				t.Errorf("%s: New(%q).Match(%q, %t) = %+v, want ignored %t", row.rule, row.lines, name, dir, got, want)
			}
		}
	}
}

// TestTableIsGits holds the table, and the line that decides, against git.
func TestTableIsGits(t *testing.T) {
	t.Parallel()
	git := newJudge(t)
	trees := 0
	for _, row := range table {
		rules := gitignore.New(row.lines)
		for path, want := range row.paths() {
			name, dir := strings.CutSuffix(path, "/")
			made := name
			if !dir {
				made = filepath.Dir(name)
			}
			// A tree a path: a name may be a directory in one place of the table and none in another.
			tree := "tree" + strconv.Itoa(trees)
			trees++
			if err := os.MkdirAll(filepath.Join(git.dir, tree, made), 0o700); err != nil {
				t.Logf("%s: not judged: %v", row.rule, err)
				continue
			}
			got, judged := rules.Match(name, dir), git.decide(t, tree, row.lines, []string{name}, "\n")[0]
			if judged.Ignored != want {
				t.Errorf("%s: %q, %q: git says ignored %t, the table %t", row.rule, row.lines, path, judged.Ignored, want)
			}
			if got.Line != judged.Line {
				t.Errorf("%s: %q, %q: %+v, git says line %d", row.rule, row.lines, path, got, judged.Line)
			}
		}
	}
}

// paths are the row's paths with what is wanted of them.
func (r row) paths() map[string]bool {
	wants := make(map[string]bool)
	for _, path := range r.ignored {
		wants[path] = true
	}
	for _, path := range r.kept {
		wants[path] = false
	}
	return wants
}
