package audit_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/skill"
)

func TestFix(t *testing.T) {
	t.Parallel()
	tests := []struct{ about, in, want string }{
		{"nothing to do", "---\nname: s\ndescription: d\n---\nB\n", "---\nname: s\ndescription: d\n---\nB\n"},
		{"no frontmatter", "# a: b: c\n", "# a: b: c\n"},
		{"unclosed", "---\nname: a: b\n", "---\nname: a: b\n"},
		{"byte order mark", "\uFEFF---\nname: s\ndescription: d\n---\nB\uFEFF\n", "---\nname: s\ndescription: d\n---\nB\uFEFF\n"},
		{"a colon", "---\nname: s\ndescription: Use when: it's late # now\n---\nB\xff\n", "---\nname: s\ndescription: 'Use when: it''s late # now'\n---\nB\xff\n"},
		{"a colon at the end, with CRLF", "---\r\nname: s\r\ndescription:  Use when:  \r\nlicense: MIT\r\n---\r\nB\r\n",
			"---\r\nname: s\r\ndescription:  'Use when:'  \r\nlicense: MIT\r\n---\r\nB\r\n"},
		{"a colon in a later line", "---\nname: s\ndescription: One\n  two: three\n  four.\n\nlicense: MIT\n---\nB\n",
			"---\nname: s\ndescription: 'One\n  two: three\n  four.'\n\nlicense: MIT\n---\nB\n"},
		{"two values", "---\nname: s\ndescription: a: b\nargument-hint: [x] [y]\n---\nB\n",
			"---\nname: s\ndescription: 'a: b'\nargument-hint: '[x] [y]'\n---\nB\n"},
		{"what quotes cannot mend stays", "---\nname: s\ndescription: a: b\nstray text\n---\nB\n", "---\nname: s\ndescription: a: b\nstray text\n---\nB\n"},
		{"spelling", "---\nName: s\n\"Description\": d\nallowed_tools: Read\nlicence: MIT\nversion: 1\n---\nB\n",
			"---\nname: s\n\"description\": d\nallowed-tools: Read\nlicense: MIT\nversion: 1\n---\nB\n"},
		{"a spelling beside the right one", "---\nname: s\nName: t\ndescription: d\n---\nB\n", "---\nname: s\nName: t\ndescription: d\n---\nB\n"},
		{"tools", "---\nname: s\ndescription: d\nallowed-tools: Read, Write,Bash(git add, git rm:*) # three\n---\nB\n",
			"---\nname: s\ndescription: d\nallowed-tools: Read, Write,Bash(git add, git rm:*) # three\n---\nB\n"},
		{"tools without a comment", "---\nname: s\ndescription: d\nallowed-tools: Read, Write,Bash(git add, git rm:*)\n---\nB\n",
			"---\nname: s\ndescription: d\nallowed-tools: Read Write Bash(git add, git rm:*)\n---\nB\n"},
		{"tools in quotes", "---\nname: s\ndescription: d\nallowed-tools: \"Read, Write\"\n---\nB\n", "---\nname: s\ndescription: d\nallowed-tools: \"Read Write\"\n---\nB\n"},
		{"a list of tools", "---\nname: s\ndescription: d\nallowed-tools:\n  - Read\n  - Bash(git:*)\n\nlicense: MIT\n---\nB\n",
			"---\nname: s\ndescription: d\nallowed-tools: Read Bash(git:*)\n\nlicense: MIT\n---\nB\n"},
		{"a list in brackets", "---\nname: s\ndescription: d\nallowed-tools: [Read, \"*\"]\n---\nB\n", "---\nname: s\ndescription: d\nallowed-tools: Read *\n---\nB\n"},
		{"everything", "\uFEFF---\nName: s\nDescription: a: b\nallowedTools: Read, Write\n---\nB\n",
			"---\nname: s\ndescription: 'a: b'\nallowed-tools: Read Write\n---\nB\n"},
	}
	for _, tt := range tests {
		got, done := audit.Fix("s", []byte(tt.in), audit.Options{})
		if string(got) != tt.want {
			t.Errorf("%s: %q\ngot  %q\nwant %q\n%v", tt.about, tt.in, got, tt.want, done)
		}
		if (len(done) > 0) != (tt.in != tt.want) {
			t.Errorf("%s: repairs %v", tt.about, done)
		}
	}
	allowed := []byte("---\nname: s\ndescription: d\nallowedTools: Read\n---\nB\n")
	if got, _ := audit.Fix("s", allowed, audit.Options{AllowFields: []string{"allowedTools"}}); !bytes.Equal(got, allowed) {
		t.Errorf("a field that is allowed was renamed: %s", got)
	}
}

// checkFix states what holds for any file: a repair takes problems away and adds none, the reading stays, and the
// result repairs to itself.
func checkFix(t interface {
	Fatalf(format string, args ...any)
}, data []byte) {
	fixed, done := audit.Fix("s", data, audit.Options{})
	if len(done) == 0 {
		if !bytes.Equal(fixed, data) {
			t.Fatalf("%q became %q without a repair", data, fixed)
		}
		return
	}
	before, after := skill.Parse("s", data, skill.ParseOptions{}), skill.Parse("s", fixed, skill.ParseOptions{})
	if before.Loads() && !after.Loads() {
		t.Fatalf("%q became %q, which does not load: %v", data, fixed, done)
	}
	renamed := slices.ContainsFunc(done, func(r audit.Repair) bool { return r.Code == skill.CodeUnknownField })
	if !renamed && before.Loads() && (before.Name != after.Name || before.Description != after.Description || !cmp.Equal(before.AllowedTools, after.AllowedTools) ||
		!cmp.Equal(before.Metadata, after.Metadata)) {
		t.Fatalf("%q became %q, which reads otherwise: %v", data, fixed, done)
	}
	if !bytes.Equal(before.Body(), after.Body()) {
		t.Fatalf("%q became %q, with another body", data, fixed)
	}
	if again, more := audit.Fix("s", fixed, audit.Options{}); !bytes.Equal(again, fixed) {
		t.Fatalf("%q became %q and then %q: %v", data, fixed, again, more)
	}
}

// TestFixKeeps is the round trip through repairs: any plain description and body survive, and the file is valid then.
func TestFixKeeps(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "b:", ": c", "# d", "'", "\"", "é", "---", "[x]", "{", "&e", "*f", "|", ">", "%", "@", "`", "\\n", "技"})
	rapid.Check(t, func(t *rapid.T) {
		description := "x " + strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "description"), " ")
		body := strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "body"), "\n")
		data := []byte("---\nname: s\ndescription: " + description + ": it\n---\n" + body + "\n")
		checkFix(t, data)
		fixed, done := audit.Fix("s", data, audit.Options{})
		d := skill.Parse("s", fixed, skill.ParseOptions{})
		if problems, _ := d.Strict(); len(problems) > 0 {
			t.Fatalf("%q became %q: %v %v", data, fixed, problems, done)
		}
		if want := skill.Parse("s", data, skill.ParseOptions{}); d.Description != want.Description || d.BodyText() != strings.TrimSpace(body) {
			t.Fatalf("%q became %q", data, fixed)
		}
	})
}

func FuzzFix(f *testing.F) {
	f.Add([]byte("\uFEFF---\r\nName: s\rDescription: a: b\nallowedTools: [Read, 'W']\n---\nB\n"))
	f.Add([]byte("---\nname: s\ndescription: a: b\n c: d\n\n e\nallowed-tools:\n- a, b\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) { checkFix(t, data) })
}
