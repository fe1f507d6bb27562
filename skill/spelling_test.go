package skill_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// checkID holds id to what is true of every id: each of its three spellings is read back as id, and its disk path
// stays where it is joined to. Reading the disk path back also makes it injective.
func checkID(t *testing.T, id skill.ID) {
	t.Helper()
	if got, err := skill.ParseID(id.String()); err != nil || got != id {
		t.Errorf("ParseID(%q) = %q, %v", id.String(), got, err)
	}
	if got, err := skill.ParseDiskPath(id.DiskPath()); err != nil || got != id {
		t.Errorf("ParseDiskPath(%q) = %q, %v, want %q", id.DiskPath(), got, err, id)
	}
	ref := id.Reference()
	if strings.ContainsAny(ref, " \t\n\u00a0\u2028") {
		t.Errorf("%q.Reference() = %q, which holds white space", id, ref)
	}
	if shown, hidden := skill.OneLine(ref); shown != ref {
		t.Errorf("%q.Reference() = %q, in which %v hides", id, ref, hidden)
	}
	for _, text := range []string{ref, "@skills:" + ref, ref + ":save", " " + ref + "/ "} {
		r, err := skill.ParseRef(text)
		if err != nil || r.IDs()[0] != id || r.Branch != "" {
			t.Errorf("ParseRef(%q) = %q on branch %q, %v, want %q", text, r.IDs()[0], r.Branch, err, id)
		}
	}
	disk := id.DiskPath()
	if !fs.ValidPath(disk) || runtime.GOOS != "windows" && !filepath.IsLocal(disk) {
		t.Errorf("%q.DiskPath() = %q, which is not inside", id, disk)
	}
	if b, err := id.MarshalText(); err != nil || string(b) != id.String() {
		t.Errorf("%q.MarshalText() = %q, %v", id, b, err)
	}
}

// checkRef holds r to what is true of every reference.
func checkRef(t *testing.T, r skill.Ref) {
	t.Helper()
	back, err := skill.ParseRef(r.String())
	if err != nil || back != r {
		t.Errorf("ParseRef(%q) = %+v, %v, want %+v", r.String(), back, err, r)
	}
	ids := r.IDs()
	if ids[len(ids)-1] != r.ID {
		t.Errorf("%v.IDs() = %v, want %v at the end", r, ids, r.ID)
	}
	for _, id := range ids {
		checkID(t, id)
	}
}

// G6: white space and colons are escaped, and whatever would be read as something else.
func TestReference(t *testing.T) {
	t.Parallel()
	for canonical, want := range map[string]string{
		"gh:o/r":                    "gh:o/r",
		"gh:o/r/skills/API Gateway": "gh:o/r/skills/API%20Gateway",
		"gh:o/r/a\u00a0b":           "gh:o/r/a%C2%A0b",
		"gh:o/r/代码审查":               "gh:o/r/代码审查",
		"gh:o/r/.claude/skills/@x":  "gh:o/r/.claude/skills/@x",
		"gh:o/r/100%":               "gh:o/r/100%",
		"gh:o/r/%41":                "gh:o/r/%2541",
		"gh:o/r/%%41":               "gh:o/r/%%2541",
		"gh:o/r/%4":                 "gh:o/r/%4",
		"gh:o/r/% 41":               "gh:o/r/%%2041",
		"gh:o/r/%4:1":               "gh:o/r/%4%3A1",
		"gh:o/r/x:save":             "gh:o/r/x%3Asave",
		"gh:o/r/x?y#z":              "gh:o/r/x?y#z",
		"gh:o/r/SKILL.md":           "gh:o/r/SKILL%2Emd",
		"gh:o/r/SKILL.md/x":         "gh:o/r/SKILL.md/x",
		"gh:o/SKILL.md":             "gh:o/SKILL%2Emd",
		"gh:o/r.git":                "gh:o/r%2Egit",
		"gh:o/r.git/x":              "gh:o/r%2Egit/x",
		"gh:o/r.git.git":            "gh:o/r.git%2Egit",
		"gh:o/.git":                 "gh:o/.git",
		"gh:o/r/x.git":              "gh:o/r/x.git",
		"gh:o/r/tree":               "gh:o/r/tree",
		"gh:o/r/tree/main":          "gh:o/r/%74ree/main",
		"gh:o/r/blob/x/y":           "gh:o/r/%62lob/x/y",
		"gh:github.com/o/r":         "gh:github%2Ecom/o/r",
		"gh:gh:x/o":                 "gh:gh%3Ax/o",
		"gh:https:/o":               "gh:https%3A/o",
		"github.com/o/r":            "github%2Ecom/o/r",
		"GitHub.com":                "GitHub%2Ecom",
		"www.github.com/o":          "www.github%2Ecom/o",
		"me@github.com/o":           "me@github%2Ecom/o",
		"github.com.github.com/o":   "github%2Ecom.github%2Ecom/o",
		"github.common-lisp/o":      "github.common-lisp/o",
		"x/github.com/o":            "x/github.com/o",
		"https:/x":                  "https%3A/x",
		"@skills:x":                 "@skills%3Ax",
		"@skills":                   "%40skills",
		"@skills/x":                 "@skills/x",
		"@workflow:gh:o/r":          "@workflow%3Agh%3Ao/r",
		"SKILL.md":                  "SKILL%2Emd",
		"a:b@c/d":                   "a%3Ab@c/d",
		"team/deploy":               "team/deploy",
		"Deploy":                    "Deploy",
		"what?":                     "what%3F",
		"etc.":                      "etc%2E",
		"etc.)":                     "etc.%29",
		"f(x)":                      "f(x)",
		"f(x))":                     "f(x)%29",
		"x（二）":                      "x（二）",
		"x二）":                       "x二%EF%BC%89",
		"\u202edlrow":               "%E2%80%AEdlrow",
		"👩\u200d💻":                  "👩\u200d💻",
		"می\u200cخواهم":             "می\u200cخواهم",
		"gh:o/r/\u200dx":            "gh:o/r/%E2%80%8Dx",
		"gh:o/r/x\u200c":            "gh:o/r/x%E2%80%8C",
		"pl\u200c\u200d\u200cn":     "pl%E2%80%8C%E2%80%8D%E2%80%8Cn",
		"x\u200c/y":                 "x%E2%80%8C/y",
		"x \u200cy":                 "x%20%E2%80%8Cy",
		"pl\U000E0141n":             "pl%F3%A0%85%81n",
		"x\u180ey\u00adz\u2063":     "x%E1%A0%8Ey%C2%ADz%E2%81%A3",
		"❤\ufe0f":                   "❤\ufe0f",
		"❤\ufe0f\u200d🔥":            "❤\ufe0f\u200d🔥",
		"❤\ufe0f\ufe0e":             "❤\ufe0f%EF%B8%8E",
		"x\ufe0fy \ufe0f":           "x%EF%B8%8Fy%20%EF%B8%8F",
		"x\u2800y\u3164":            "x%E2%A0%80y%E3%85%A4",
		"hub:acme/x y":              "hub:acme/x%20y",
		"hub:github.com/x":          "hub:github.com/x",
	} {
		id, err := skill.ParseID(canonical)
		if err != nil {
			t.Errorf("ParseID(%q): %v", canonical, err)
			continue
		}
		if got := id.Reference(); got != want {
			t.Errorf("%q.Reference() = %q, want %q", canonical, got, want)
		}
		checkID(t, id)
	}
}

// G3, G4: ParseID folds markers and hub paths, and reads the disk spelling.
func TestParseID(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"gh:O/R/Sub":    "gh:O/R/Sub",
		"GH:O/R":        "gh:O/R",
		"gh/O/R":        "gh:O/R",
		"Gh/O/R":        "gh:O/R",
		"hub:Acme/X":    "hub:acme/x",
		"HUB/acme/x":    "hub:acme/x",
		"Team/Deploy":   "Team/Deploy",
		"ghost/x":       "ghost/x",
		"hubs:x":        "hubs:x",
		"gh:o/r/x%20y ": "gh:o/r/x%20y ",
		"gh:o/r/a:save": "gh:o/r/a:save",
		"x/gh:o/r":      "x/gh:o/r",
		"x/gh":          "x/gh",
	} {
		got, err := skill.ParseID(in)
		if err != nil || got.String() != want {
			t.Errorf("ParseID(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

// G7, G8: what is no id, and what the error says about it.
func TestParseIDErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                              "empty path",
		"gh:":                           "gh:<owner>/<repo>",
		"gh":                            "gh:<owner>/<repo>",
		"hub:":                          "hub:<owner>/<name>",
		"gh:owner":                      "names an owner only; a repository is gh:owner/<repo>",
		"gh/owner":                      "names an owner only",
		"hub:x":                         "exactly two segments",
		"hub:x/y/z":                     "exactly two segments",
		"gh:o//r":                       "empty path segment",
		"/x":                            "empty path segment",
		"x/":                            "empty path segment",
		"gh:o/..":                       `".." is not a name`,
		"./x":                           `"." is not a name`,
		`a\b`:                           "backslash",
		"a\x00b":                        "control character",
		"a\nb":                          "control character",
		"a\x7fb":                        "control character",
		"a\xffb":                        "not valid UTF-8",
		strings.Repeat("a/", 64) + "a":  "more than 64 segments",
		strings.Repeat("a", 5000):       "longer than",
		strings.Repeat(" ", 1500) + "x": "longer than",
	} {
		_, err := skill.ParseID(in)
		var syntax *skill.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseID(%.40q) = %v, want a SyntaxError that says %q", in, err, want)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("ParseID(%.40q): the error has %d bytes", in, len(err.Error()))
		}
	}
}

// G4, G12: a folder is addressed by the id whose disk path it is, or by none.
func TestParseDiskPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"gh/o/r/x":     "gh:o/r/x",
		"hub/acme/x":   "hub:acme/x",
		"Team/deploy":  "Team/deploy",
		"x/gh:o":       "x/gh:o",
		"github.com/o": "github.com/o",
	} {
		got, err := skill.ParseDiskPath(in)
		if err != nil || got.String() != want || got.DiskPath() != in {
			t.Errorf("ParseDiskPath(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "gh", "GH", "gh/o", "GH/o/r", "hub/x", "Hub/a/b", "hub/Acme/x", "gh:o/r", "GH:x", "hub:a/b", "../x", `a\b`,
	} {
		got, err := skill.ParseDiskPath(in)
		var syntax *skill.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("ParseDiskPath(%q) = %q, %v, want a SyntaxError", in, got, err)
		}
	}
}

func TestIDParts(t *testing.T) {
	t.Parallel()
	type parts struct{ Scheme, Path, Origin, Sub, Base, Parent, Web string }
	for in, want := range map[string]parts{
		"gh:o/r":       {"gh", "o/r", "gh:o/r", "", "r", "", "https://github.com/o/r"},
		"gh:o/r/a b/c": {"gh", "o/r/a b/c", "gh:o/r", "a b/c", "c", "gh:o/r/a b", "https://github.com/o/r/tree/HEAD/a%20b/c"},
		"hub:a/b":      {"hub", "a/b", "hub:a/b", "", "b", "", ""},
		"x/y":          {"local", "x/y", "x/y", "", "y", "x", ""},
		"x":            {"local", "x", "x", "", "x", "", ""},
	} {
		id := mustID(t, in)
		got := parts{id.Scheme().String(), id.Path(), id.Origin().String(), id.Sub(), id.Base(), "", id.WebURL("", "")}
		if p, ok := id.Parent(); ok {
			got.Parent = p.String()
			if !p.Contains(id) || id.Contains(p) {
				t.Errorf("%q does not contain %q alone", p, id)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parts of %q (-want +got):\n%s", in, diff)
		}
	}
	if got, want := mustID(t, "gh:o/r/x").WebURL("https://git.acme.test/", "abc"), "https://git.acme.test/o/r/tree/abc/x"; got != want {
		t.Errorf("WebURL = %q, want %q", got, want)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, rel, want string }{
		{"gh:o/r", "a b/c", "gh:o/r/a b/c"},
		{"gh:o/r", "", "gh:o/r"},
		{"x", "gh/y", "x/gh/y"},
		{"x", "a%20b", "x/a%20b"},
		{"gh:o/r", "../x", ""},
		{"gh:o/r", "/x", ""},
		{"hub:a/b", "c", ""},
	} {
		got, err := mustID(t, c.id).Join(c.rel)
		if got.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q.Join(%q) = %q, %v, want %q", c.id, c.rel, got, err, c.want)
		}
	}
}

func TestZeroID(t *testing.T) {
	t.Parallel()
	var id skill.ID
	if err := id.UnmarshalText(nil); err != nil || !id.IsZero() || id.Reference() != "" {
		t.Errorf("the zero id reads back as %q, %v", id, err)
	}
	if err := id.UnmarshalText([]byte("gh:o")); err == nil {
		t.Error("UnmarshalText(gh:o) = nil, want an error")
	}
	if err := id.UnmarshalText([]byte("gh:o/r")); err != nil || id.String() != "gh:o/r" {
		t.Errorf("UnmarshalText(gh:o/r) = %q, %v", id, err)
	}
}

func mustID(t *testing.T, s string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
