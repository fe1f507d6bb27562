package trigger_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/internal/trigger"
)

// texts are the lines of f.
func texts(f trigger.File) []string {
	var out []string
	for _, l := range f.Lines {
		out = append(out, l.Text)
	}
	return out
}

// T1, T2, T3: what each line is.
func TestParseKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		kind trigger.Kind
	}{
		{"", trigger.Blank}, {"  \t ", trigger.Blank}, {"\r", trigger.Blank},
		{"#", trigger.Comment}, {"# x", trigger.Comment}, {" \t# x", trigger.Comment}, {"#@gh:o/r", trigger.Comment},
		{"@gh:o/r", trigger.Cloud}, {"  @gh:o/r ", trigger.Cloud}, {"@", trigger.Cloud}, {"@scope", trigger.Cloud},
		{"c#-helper", trigger.Pattern}, {"x # no comment", trigger.Pattern}, {"!x", trigger.Pattern}, {`\#x`, trigger.Pattern},
		{`\@scope`, trigger.Pattern}, {"/@scope", trigger.Pattern}, {"gh:o/r", trigger.Pattern}, {"\u3000#x", trigger.Pattern},
		{"\xff", trigger.Pattern}, {"\x00", trigger.Pattern},
	}
	for _, tt := range tests {
		f := trigger.Parse([]byte(tt.line + "\n"))
		if len(f.Lines) != 1 || f.Lines[0].Kind != tt.kind || f.Lines[0].Number != 1 {
			t.Errorf("Parse(%q) = %+v, want one line of kind %d", tt.line, f.Lines, tt.kind)
		}
	}
}

// T2: a line follows a cloud id in any spelling of it, and a bad one has its error.
func TestParseCloud(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line, id string
		whole    bool
	}{
		{"@gh:o/r", "gh:o/r", false},
		{"@gh:o/r/skills/", "gh:o/r/skills", true},
		{" @GH:o/r/API%20Gateway \r", "gh:o/r/API Gateway", false},
		{"@hub:Acme/X", "hub:acme/x", false},
		{"@gh/o/r", "gh:o/r", false},
		{"@https://github.com/o/r/tree/main/x", "gh:o/r/x", false},
		{"@", "", false},
		{"@gh:o", "", false},
		{"@team/deploy", "", false},
		{"@@gh:o/r", "", false},
		{"@gh:o/r/../x", "", false},
		{"@https://evil-github.com/o/r", "", false},
	}
	for _, tt := range tests {
		l := trigger.Parse([]byte(tt.line + "\n")).Lines[0]
		switch {
		case (l.Err == nil) != (tt.id != "") || (l.Ref == nil) != (tt.id == ""):
			t.Errorf("Parse(%q) follows %+v, error %v", tt.line, l.Ref, l.Err)
		case l.Ref != nil && (l.Ref.ID.String() != tt.id || l.Ref.Dir != tt.whole):
			t.Errorf("Parse(%q) follows %q, whole %v", tt.line, l.Ref.ID, l.Ref.Dir)
		}
	}
}

// T1: a BOM and CRLF are accepted, and are no part of a line.
func TestParseEnds(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"":                  nil,
		"\n":                {""},
		"\ufeff":            nil,
		"\ufeff# x\r\ny":    {"# x", "y"},
		"a\rb\nc\r\r\nd\r":  {"a\rb", "c\r", "d"},
		"a\n\ufeffb\n\xff ": {"a", "\ufeffb", "\xff "},
	}
	for data, want := range tests {
		f := trigger.Parse([]byte(data))
		if diff := cmp.Diff(want, texts(f)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", data, diff)
		}
	}
}

// T6: an edit keeps every other byte.
func TestEdits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		edit       func(trigger.File) trigger.File
		want       string
	}{
		{"append to nothing", "", func(f trigger.File) trigger.File { return f.Append("x", "y") }, "x\ny\n"},
		{"append to a BOM", "\ufeff", func(f trigger.File) trigger.File { return f.Append("x") }, "\ufeffx\n"},
		{"append nothing", "a", func(f trigger.File) trigger.File { return f.Append() }, "a"},
		{"append to LF", "a\n", func(f trigger.File) trigger.File { return f.Append("x") }, "a\nx\n"},
		{"append to CRLF", "a\r\nb\nc\r\n", func(f trigger.File) trigger.File { return f.Append("x") }, "a\r\nb\nc\r\nx\r\n"},
		{"complete LF", "a\nb", func(f trigger.File) trigger.File { return f.Append("x") }, "a\nb\nx\n"},
		{"complete CRLF", "a\r\nb", func(f trigger.File) trigger.File { return f.Append("x") }, "a\r\nb\r\nx\r\n"},
		{"complete CR", "a\nb\r", func(f trigger.File) trigger.File { return f.Append("x") }, "a\nb\r\nx\n"},
		{"delete", "\ufeffa\r\nb\nc", func(f trigger.File) trigger.File { return f.Delete(0, 2) }, "\ufeffb\n"},
		{"delete nothing", "a\r\nb\n", func(f trigger.File) trigger.File { return f.Delete() }, "a\r\nb\n"},
		{"delete all", "\ufeffa", func(f trigger.File) trigger.File { return f.Delete(0) }, "\ufeff"},
		{"replace", "a\r\nb\nc\n", func(f trigger.File) trigger.File { return f.Replace(0, "x", "y") }, "x\r\ny\r\nb\nc\n"},
		{"replace the last", "a\r\nb", func(f trigger.File) trigger.File { return f.Replace(1, "x", "y") }, "a\r\nx\r\ny"},
		{"replace by nothing", "a\nb\n", func(f trigger.File) trigger.File { return f.Replace(0) }, "b\n"},
	}
	for _, tt := range tests {
		f := trigger.Parse([]byte(tt.data))
		got := tt.edit(f)
		if string(got.Bytes()) != tt.want {
			t.Errorf("%s: %q became %q, want %q", tt.name, tt.data, got.Bytes(), tt.want)
		}
		if string(f.Bytes()) != tt.data {
			t.Errorf("%s changed the file it was given to %q", tt.name, f.Bytes())
		}
		if diff := cmp.Diff(texts(trigger.Parse(got.Bytes())), texts(got)); diff != "" {
			t.Errorf("%s: lines of the result (-as read, +as edited):\n%s", tt.name, diff)
		}
		for i, l := range got.Lines {
			if l.Number != i+1 {
				t.Errorf("%s: line %d has number %d", tt.name, i+1, l.Number)
			}
		}
	}
}

// T7: the line written for a path, and what it is when it is read.
func TestLiteral(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path          string
		dir, anchored bool
		want          string
	}{
		{"deploy", false, false, "deploy"},
		{"deploy", false, true, "/deploy"},
		{"team", true, false, "team/"},
		{"team/deploy", true, true, "/team/deploy/"},
		{"c#", false, false, "c#"},
		{"#x", false, false, `\#x`},
		{"#x", false, true, `/#x`},
		{"!bang", false, false, `\!bang`},
		{"[z]", false, false, `\[z]`},
		{"**", true, false, `\*\*/`},
		{"a?", false, false, `a\?`},
		{`\x`, false, false, `\\x`},
		{"a b ", false, false, `a b\ `},
		{"a  ", false, true, `/a\ \ `},
		{"a b ", true, false, "a b /"},
		{" ", false, false, `\ `},
		{" #x", false, false, `\ #x`},
		{" lead", false, true, "/ lead"},
		{"@scope", false, false, `\@scope`},
		{"ünï", false, false, "ünï"},
		{"\ufeffx", false, false, "\\\ufeffx"},
		{"\xff", false, false, "\xff"},
	}
	for _, tt := range tests {
		got, err := trigger.Literal(tt.path, tt.dir, tt.anchored)
		if err != nil || got != tt.want {
			t.Errorf("Literal(%q, %v, %v) = %q, error %v; want %q", tt.path, tt.dir, tt.anchored, got, err, tt.want)
		}
	}
	for _, path := range []string{"", "/x", "x/", "a//b", ".", "a/../b", "a\nb", "a\rb", "a\x00"} {
		if got, err := trigger.Literal(path, false, false); err == nil {
			t.Errorf("Literal(%q) = %q, want an error", path, got)
		}
	}
}

// T7: every literal spelling of a path is its own line, and nothing else is.
func TestLineLiteral(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"x": "x", "/x": "x", "x/": "x", "/x/": "x", "/a/b": "a/b", "x   ": "x", `x\  `: "x ", `\x`: "x", `a\/b`: "a/b",
		`\#x`: "#x", `\@x`: "@x", `\!x`: "!x", `\ x`: " x", "c#": "c#", "]": "]", `\[z]`: "[z]", "  x": "  x",
		"": "", "# x": "", "@gh:o/r": "", "!x": "", "x*": "", "x?": "", "[z]": "", "**/x": "", `x\`: "", `x\/`: "", "/": "",
		"//x": "", "x//": "", "a//b": "", "./x": "", "..": "", "\x00": "",
	}
	for text, want := range tests {
		l := trigger.Parse([]byte(text + "\n")).Lines[0]
		if got, ok := l.Literal(); ok != (want != "") || ok && got != want {
			t.Errorf("line %q names %q, %v; want %q", text, got, ok, want)
		}
	}
}

// segment generates names of folders that are hard to write as a pattern.
func segment() *rapid.Generator[string] {
	part := rapid.SampledFrom(strings.Split(`a|b|Z|0|-|_|.|*|?|[|]|\|!|#|@| |  |ü|**|[z]|/|`+"\t|\xff|\ufeff|\u3000", "|"))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.ReplaceAll(strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), ""), "/", "")
	}).Filter(func(s string) bool { return s != "" && s != "." && s != ".." })
}

func paths() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(segment(), 1, 3), func(segs []string) string { return strings.Join(segs, "/") })
}

// T7: the literal of any path names it, whatever stands around it.
func TestLiteralNamesItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		path := paths().Draw(t, "path")
		text, err := trigger.Literal(path, rapid.Bool().Draw(t, "dir"), rapid.Bool().Draw(t, "anchored"))
		if err != nil {
			t.Fatal(err)
		}
		end := rapid.SampledFrom([]string{"", "\n", "\r\n"}).Draw(t, "end")
		for _, before := range []string{"", "\ufeff", "# x\n"} {
			lines := trigger.Parse([]byte(before + text + end)).Lines
			if got, ok := lines[len(lines)-1].Literal(); !ok || got != path {
				t.Fatalf("the literal %q of %q names %q, %v", text, path, got, ok)
			}
		}
	})
}

// T6: whatever a file holds, it is written back as it was, and an edit touches its own line alone.
func FuzzFile(f *testing.F) {
	for _, s := range []string{"", "a\r\n\r\n# x\n@gh:o/r/\n!y\\ \nz", "\ufeff\ufeff\r\r\n\x00\xff", "\\", "\n\n"} {
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		file := trigger.Parse(data)
		if !bytes.Equal(file.Bytes(), data) {
			t.Fatalf("Parse(%q) is written as %q", data, file.Bytes())
		}
		if added := file.Append("x").Bytes(); len(data) > 0 && !bytes.HasPrefix(added, bytes.TrimSuffix(data, []byte("\r"))) {
			t.Errorf("%q with a line more is %q", data, added)
		}
		for i, l := range file.Lines {
			if path, ok := l.Literal(); ok {
				again, err := trigger.Literal(path, false, true)
				if err != nil {
					t.Errorf("line %q names %q: %v", l.Text, path, err)
				}
				if got, ok := trigger.Parse([]byte(again)).Lines[0].Literal(); !ok || got != path {
					t.Errorf("line %q names %q, and its literal %q names %q", l.Text, path, again, got)
				}
			}
			if i != int(at) {
				continue
			}
			if got := file.Replace(i, l.Text).Bytes(); !bytes.Equal(got, data) {
				t.Errorf("line %d of %q replaced by itself: %q", i+1, data, got)
			}
			if got := texts(file.Delete(i)); len(got) != len(file.Lines)-1 {
				t.Errorf("line %d of %q deleted: %q", i+1, data, got)
			}
		}
	})
}
