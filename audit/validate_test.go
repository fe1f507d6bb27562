package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const good = "---\nname: s\ndescription: Sorts mail. Use when triaging an inbox.\n---\n"

// tree is files by path. A value "-> x" is a link to x; a path that ends in "*" is executable.
type tree map[string]string

func (tr tree) write(t testing.TB, fsys billy.Filesystem) {
	t.Helper()
	for name, body := range tr {
		mode := os.FileMode(0o644)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o755
		}
		if err := fsys.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(body, "-> "); ok {
			err = fsys.Symlink(target, name)
		} else {
			err = util.WriteFile(fsys, name, []byte(body), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// lines are findings as path:line:column: severity code.
func lines(fs []audit.Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s:%d:%d: %v %s", f.Path, f.Line, f.Column, f.Severity, f.Code))
	}
	return out
}

func TestFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		about string
		files tree
		opts  audit.Options
		want  string // lines
	}{
		{"a plain skill", tree{"s/SKILL.md": good + "B\n"}, audit.Options{}, ""},
		{"no file", tree{"s/x.md": "x"}, audit.Options{}, "SKILL.md:1:1: error file-missing"},
		{"a near miss", tree{"s/skill.md": good + "B\n"}, audit.Options{}, "skill.md:1:1: error file-name-case"},
		{"a near miss beside the file", tree{"s/SKILL.md": good + "B\n", "s/Skill.md": ""}, audit.Options{}, "Skill.md:1:1: warning name-collision"},
		{"the file asked for", tree{"s/SKILL.md": good + "B\n", "s/skill.md": good + "B\n"}, audit.Options{File: "skill.md"},
			"skill.md:1:1: error file-name-case\nskill.md:1:1: warning name-collision"},
		{"a folder for a file", tree{"s/SKILL.md/x": ""}, audit.Options{}, "SKILL.md:1:1: error file-unreadable"},
		{"another directory's name", tree{"s/SKILL.md": good + "B\n"}, audit.Options{Dir: "t"}, "SKILL.md:2:7: error name-dir-mismatch"},
		{"references", tree{"s/SKILL.md": good + "[a](a.md) and [b](<b c.md> 'x') or ![i](i.png#f)\n[d]: d.md\n`[no](code.md)` `scripts/run.sh` <https://x/a.md>\n" +
			"[w](https://x/y.md) [m](mailto:x@y.z) [t](#here) [p](docs/{name}.md) [q](x) [r](%61.md) [z](../z.md) [y](/etc/passwd)\n```\n[f](fence.md)\npython scripts/go.py\n```\n[e](e.md)\n",
			"s/a.md": ""}, audit.Options{}, `
SKILL.md:5:20: warning reference-missing
SKILL.md:5:41: warning reference-missing
SKILL.md:6:6: warning reference-missing
SKILL.md:7:18: warning reference-missing
SKILL.md:8:93: warning reference-escapes
SKILL.md:8:106: warning reference-escapes
SKILL.md:11:8: warning reference-missing
SKILL.md:13:5: warning reference-missing`},
		{"references one level deep", tree{"s/SKILL.md": good + "[a](references/a.md) [b](references/deep/b.md) [c](references/../c.md) [d](references)\n",
			"s/references/a.md": "See [c](../c.md), [x](x.md), [gone](gone.md) and [up](../../up.md)", "s/references/x.md": "", "s/references/deep/b.md": "", "s/c.md": ""},
			audit.Options{}, "SKILL.md:5:26: advice reference-nested\nreferences/a.md:1:23: advice reference-nested"},
		{"tokens", tree{"s/SKILL.md": good + strings.Repeat("abcd", 5000) + "é\n"}, audit.Options{}, "SKILL.md:5:1: advice body-too-many-tokens"},
		{"just no more tokens", tree{"s/SKILL.md": good + strings.Repeat("abcd", 5000) + "\n"}, audit.Options{}, ""},
		{"scripts", tree{"s/SKILL.md": good + "B\n", "s/scripts/a.sh": "echo", "s/scripts/b*": "#!/bin/sh\n", "s/scripts/lib/c.py*": "x", "s/scripts/__init__.py": "",
			"s/scripts/data.json": "{}", "s/other.sh": "echo"}, audit.Options{}, `
scripts/a.sh:1:1: advice script-no-shebang
scripts/a.sh:1:1: advice script-not-executable
scripts/lib/c.py:1:1: advice script-no-shebang`},
		{"scripts without modes", tree{"s/SKILL.md": good + "B\n", "s/scripts/a.sh": "#!/bin/sh\n"}, audit.Options{Modeless: true}, ""},
		{"links", tree{"s/SKILL.md": good + "B\n", "s/in.md": "-> SKILL.md", "s/out.md": "-> ../x", "s/gone.md": "-> nowhere", "s/away.md": "-> /etc/passwd", "x": "", "s/loop": "-> ."},
			audit.Options{}, `
away.md:1:1: warning link-escapes
gone.md:1:1: warning link-escapes
in.md:1:1: warning link
loop:1:1: warning link
out.md:1:1: warning link-escapes`},
		{"names", tree{"s/SKILL.md": good + "B\n", "s/a/x.md": "", "s/A/X.md": "", "s/con.txt": "", "s/b:c": "", "s/dot.": "", "s/e\u0301": "", "s/é": ""}, audit.Options{}, `
a:1:1: warning name-collision
b:c:1:1: warning name-windows
con.txt:1:1: warning name-windows
dot.:1:1: warning name-windows
é:1:1: warning name-collision`},
		{"files", tree{"s/SKILL.md": good + "B\n", "s/a": "", "s/b": ""}, audit.Options{MaxFiles: 2}, "SKILL.md:1:1: warning bundle-too-large"},
		{"bytes", tree{"s/SKILL.md": good + "B\n", "s/a": "1234567890"}, audit.Options{MaxBytes: 60}, "SKILL.md:1:1: warning bundle-too-large"},
		{"just no more", tree{"s/SKILL.md": good + "B\n", "s/a": "x"}, audit.Options{MaxFiles: 2, MaxBytes: int64(len(good) + 3)}, ""},
		{"what git keeps is passed over", tree{"s/SKILL.md": good + "B\n", "s/.git/con": ""}, audit.Options{}, ""},
		{"severities and fields (section 0)", tree{"s/SKILL.md": "---\nname: s\ndescription: d\nversion: 1\nauthor: me\n---\nsee scripts/x.sh\n"},
			audit.Options{AllowFields: []string{"version"}, Severity: map[skill.Code]skill.Severity{
				skill.CodeUnknownField: skill.SeverityAdvice, audit.CodeReferenceAbsent: skill.SeverityError}},
			"SKILL.md:5:1: advice unknown-field\nSKILL.md:7:5: error reference-missing"},
		{"names of every script", tree{"s/SKILL.md": "---\nname: 技能\ndescription: d\n---\nB\n"}, audit.Options{UnicodeNames: true, Dir: "技能"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			t.Parallel()
			fsys := memfs.New()
			tt.files.write(t, fsys)
			r, err := audit.Validate(t.Context(), fsys, "s", tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			if w := strings.TrimSpace(tt.want); w != "" {
				want = strings.Split(w, "\n")
			}
			if diff := cmp.Diff(want, lines(r.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, r.Findings)
			}
			if r.Valid() != !strings.Contains(tt.want, "error") {
				t.Errorf("Valid = %v", r.Valid())
			}
		})
	}
}

// A folder reads alike on every file system, whichever root it is seen from.
func TestFileSystems(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links and modes need another system")
	}
	files := tree{"s/SKILL.md": good + "[x](x.md)\n", "s/scripts/a.sh*": "#!/bin/sh\n", "s/l": "-> ../o", "o": ""}
	dir := t.TempDir()
	disk, mem := fsx.OS(dir), memfs.New()
	files.write(t, disk)
	files.write(t, mem)
	want := []string{"SKILL.md:5:5: warning reference-missing", "l:1:1: warning link-escapes"}
	for name, from := range map[string]struct {
		fsys billy.Filesystem
		dir  string
	}{"memory": {mem, "s"}, "disk": {disk, "s"}, "root": {fsx.OS(filepath.Join(dir, "s")), ""}} {
		r, err := audit.Validate(t.Context(), from.fsys, from.dir, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines(r.Findings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := audit.Validate(t.Context(), mem, "gone", audit.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Validate(ctx, mem, "s", audit.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// shared returns the path of a file of the data shared between implementations, which lies beside the module where it
// is at hand.
func shared(t *testing.T, name string) []byte {
	t.Helper()
	file := filepath.Join("..", "..", "shared", filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: it is shared data and no part of the module", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func codes(fs []audit.Finding, s ...skill.Severity) []string {
	out := []string{}
	for _, f := range fs {
		if slices.Contains(s, f.Severity) {
			out = append(out, string(f.Code))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The folder adds nothing to what the shared vectors find in the text of a skill that has one file.
func TestValidateVectors(t *testing.T) {
	t.Parallel()
	var vectors []struct {
		ID     string `json:"id"`
		Dir    string `json:"dir_name"`
		File   string `json:"file_name"`
		Text   string `json:"skill_md"`
		Bytes  []byte `json:"skill_md_base64"`
		Strict struct {
			Valid    bool     `json:"valid"`
			Problems []string `json:"problems"`
			Advice   []string `json:"advice"`
		} `json:"strict"`
		Lenient struct {
			Loads    bool     `json:"loads"`
			Warnings []string `json:"warnings"`
		} `json:"lenient"`
	}
	if err := json.Unmarshal(shared(t, "spec/skill-vectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if v.File == "" {
			v.File = skill.SkillFile
		}
		if v.Bytes == nil {
			v.Bytes = []byte(v.Text)
		}
		fsys := memfs.New()
		tree{"d/" + v.File: string(v.Bytes)}.write(t, fsys)
		r, err := audit.Validate(t.Context(), fsys, "d", audit.Options{Dir: v.Dir})
		if err != nil {
			t.Fatal(err)
		}
		all := []skill.Severity{skill.SeverityError, skill.SeverityWarning, skill.SeverityAdvice}
		got := [][]string{codes(r.Findings, skill.SeverityError), codes(r.Findings, skill.SeverityAdvice), codes(r.Findings, skill.SeverityWarning), codes(r.Lenient(), all...)}
		want := [][]string{append([]string{}, v.Strict.Problems...), append([]string{}, v.Strict.Advice...), {}, append([]string{}, v.Lenient.Warnings...)}
		if diff := cmp.Diff(want, got); diff != "" || r.Valid() != v.Strict.Valid || r.Loads() != v.Lenient.Loads {
			t.Errorf("%s: errors, advice, warnings, lenient (-want +got):\n%s", v.ID, diff)
		}
	}
}

// FuzzValidate: no bytes panic, every finding is in range, and the places of those about a text lie inside it.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(good+"[a](../b.md) scripts/x.sh\n```\n"), "SKILL.md", "x.md", "[b](c/d/e.md)")
	f.Add([]byte("\xff---\r[](<\r\n>)"), "skill.md", "scripts/a", "#")
	f.Fuzz(func(t *testing.T, data []byte, file, other, text string) {
		fsys := memfs.New()
		for name, body := range map[string]string{file: string(data), other: text} {
			if fsx.CheckPath(name) != nil || strings.ContainsAny(name, `\`) || strings.Count(name, "/") > 4 || fsx.IsTemp(name) {
				return
			}
			if err := util.WriteFile(fsys, "s/"+name, []byte(body), 0o644); err != nil {
				return
			}
		}
		r, err := audit.Validate(t.Context(), fsys, "s", audit.Options{})
		if err != nil {
			t.Skip(err)
		}
		texts := map[string][]byte{r.File: r.Source, other: []byte(text)}
		for _, f := range append(r.Lenient(), r.Findings...) {
			if f.Code == "" || f.Message == "" || f.Line < 1 || f.Column < 1 || f.Path == "" {
				t.Errorf("finding %+v", f)
			}
			source, ok := texts[f.Path]
			if !ok || f.Line == 1 && f.Column == 1 {
				continue
			}
			source = bytes.TrimPrefix(source, []byte("\uFEFF"))
			source = bytes.ReplaceAll(bytes.ReplaceAll(bytes.ToValidUTF8(source, []byte("?")), []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
			ls := bytes.Split(source, []byte("\n"))
			if f.Line > len(ls) || f.Column > utf8.RuneCount(ls[f.Line-1])+1 {
				t.Errorf("%v of %s is outside of the text %q", f.Finding, f.Path, source)
			}
		}
		if r.Valid() && !r.Loads() {
			t.Errorf("valid and does not load: %v", r.Findings)
		}
	})
}
