package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// validateJSON runs validate --json on a skill that is the one file of a folder, from inside it.
func validateJSON(t *testing.T, dirName, file string, text []byte, flags ...string) (skillObject, int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.FromSlash(dirName))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
		t.Fatal(err)
	}
	h := host{dir: dir, getenv: func(string) string { return "" }}
	var stdout bytes.Buffer
	code := h.run(t.Context(), append([]string{"validate", "--json", "."}, flags...), nil, &stdout, io.Discard)
	var out []findings
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || len(out) != 1 {
		t.Fatalf("%v: %s", err, &stdout)
	}
	o := out[0].skillObject
	for _, f := range out[0].Findings {
		o.Findings = append(o.Findings, f.findingObject)
		o.Findings[len(o.Findings)-1].Message = f.Severity // a severity has no way back from its text
	}
	return o, code
}

type findings struct {
	skillObject
	Findings []struct {
		findingObject
		Severity string `json:"severity"`
	} `json:"findings"`
}

// codesOf returns the codes of o with the severity, of all when that is "".
func codesOf(o skillObject, severity string) []string {
	out := []string{}
	for _, f := range o.Findings {
		if severity == "" || f.Message == severity {
			out = append(out, string(f.Code))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every vector reads through the program as it does in the library: errors and advice strictly, all codes leniently.
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
			Loads    bool              `json:"loads"`
			Name     string            `json:"name"`
			Text     string            `json:"description"`
			Warnings []string          `json:"warnings"`
			Tools    []string          `json:"allowed_tools"`
			Metadata map[string]string `json:"metadata"`
		} `json:"lenient"`
	}
	file := filepath.Join("..", "..", "..", "shared", "spec", "skill-vectors.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("%s is not here: it is shared data and no part of the module", file)
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if v.File == "" {
			v.File = "SKILL.md"
		}
		if v.Bytes == nil {
			v.Bytes = []byte(v.Text)
		}
		if strings.ContainsAny(v.Dir, `<>:"|?*\`) {
			continue // not every system can hold it
		}
		o, code := validateJSON(t, v.Dir, v.File, v.Bytes)
		got := [][]string{codesOf(o, "error"), codesOf(o, "advice"), codesOf(o, "warning")}
		want := [][]string{append([]string{}, v.Strict.Problems...), append([]string{}, v.Strict.Advice...), {}}
		if diff := cmp.Diff(want, got); diff != "" || o.Valid != v.Strict.Valid || (code == 0) != o.Valid {
			t.Errorf("%s: valid %v, exit code %d; errors, advice, warnings (-want +got):\n%s", v.ID, o.Valid, code, diff)
		}
		o, code = validateJSON(t, v.Dir, v.File, v.Bytes, "--lenient")
		if diff := cmp.Diff(append([]string{}, v.Lenient.Warnings...), codesOf(o, "")); diff != "" || o.Loads != v.Lenient.Loads || (code == 0) != o.Loads {
			t.Errorf("%s: loads %v, exit code %d; codes (-want +got):\n%s", v.ID, o.Loads, code, diff)
		}
		if !o.Loads {
			continue
		}
		if v.Lenient.Metadata == nil {
			v.Lenient.Metadata = map[string]string{}
		}
		if o.Name != v.Lenient.Name || o.Description != v.Lenient.Text || !cmp.Equal(o.AllowedTools, list(v.Lenient.Tools)) ||
			!cmp.Equal(o.Metadata, v.Lenient.Metadata) {
			t.Errorf("%s: %+v, want %+v", v.ID, o, v.Lenient)
		}
	}
}

// The keys of the JSON forms are a contract with scripts, and nothing in them is null.
func TestValidateJSONKeys(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var stdout bytes.Buffer
	h.run(t.Context(), []string{"validate", "--json", ".atskills/review"}, nil, &stdout, io.Discard)
	var out []map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("allowedTools description findings loads metadata name path valid")
	if diff := cmp.Diff(want, keys(out[0])); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	finding := out[0]["findings"].([]any)[0].(map[string]any)
	if diff := cmp.Diff(strings.Fields("code column line message severity"), keys(finding)); diff != "" {
		t.Errorf("keys of a finding (-want +got):\n%s", diff)
	}
	for key, v := range out[0] {
		if v == nil {
			t.Errorf("%s is null", key)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	tests := []struct {
		source       string
		line, column int
		want         string
	}{
		{"a\r\nbcd\r\n", 2, 3, "bcd\n  ^\n"},
		{"\uFEFFab", 1, 1, "ab\n^\n"},
		{"a\rb\n", 2, 2, "b\n ^\n"},
		{"\té\tx", 1, 4, "\té\tx\n\t \t^\n"},
		{"a\x1b[2Jb\u202e\xff\xfe", 1, 2, "a�[2Jb��\n ^\n"},
		{"", 1, 1, ""},
		{"a\n\nb", 2, 1, ""},
		{"a", 9, 1, ""},
		{long, 1, 200, strings.Repeat("x", 160) + "\n" + strings.Repeat(" ", 80) + "^\n"},
		{long, 1, 301, strings.Repeat("x", 80) + "\n" + strings.Repeat(" ", 80) + "^\n"},
	}
	for _, tt := range tests {
		if got := excerpt([]byte(tt.source), tt.line, tt.column); got != tt.want {
			t.Errorf("excerpt(%.20q, %d, %d) = %q, want %q", tt.source, tt.line, tt.column, got, tt.want)
		}
	}
}

func TestFileURI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a b/SKILL.md": "a%20b/SKILL.md", "x:y/SKILL.md": "./x:y/SKILL.md", "/r/é": "file:///r/%C3%A9"} {
		if got := fileURI(name); got != want && filepath.Separator == '/' {
			t.Errorf("fileURI(%q) = %q, want %q", name, got, want)
		}
	}
}

// A file that changes while the question is asked is not overwritten.
func TestRepairOfChangedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "SKILL.md")
	if err := os.WriteFile(file, []byte("---\nname: s\ndescription: a: b\n---\nB\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := host{dir: dir, getenv: func(string) string { return "" }}
	other := []byte("something else\n")
	answer := readerFunc(func(p []byte) (int, error) {
		if err := os.WriteFile(file, other, 0o644); err != nil {
			return 0, err
		}
		return copy(p, "y\n"), nil
	})
	var stderr bytes.Buffer
	if code := h.run(t.Context(), []string{"validate", "--fix", "."}, answer, io.Discard, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "changed meanwhile") {
		t.Errorf("code %d, %s", code, &stderr)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, other) {
		t.Errorf("the file is %q, %v", got, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
