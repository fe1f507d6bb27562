package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// newHost returns a host with a project of one skill, and nothing else of a machine.
func newHost(t *testing.T) host {
	t.Helper()
	dir := t.TempDir()
	skillDir := filepath.Join(dir, ".atskills", "review")
	if err := os.MkdirAll(skillDir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: review\ndescription: Reviews \x1b[31ma change.\n---\nRead it \x1b[2Jtwice.\n"
	for name, body := range map[string]string{"SKILL.md": text, "list.md": "- all\n"} {
		if err := os.WriteFile(filepath.Join(skillDir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return host{dir: dir, getenv: func(string) string { return "" }, cache: fsx.OS(t.TempDir())}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	tests := []struct {
		args           string
		stdin          string
		code           int
		stdout, stderr string // parts; "" means that nothing is written
	}{
		{"", "", 2, "", "usage: atskills <command>"},
		{"frob", "", 2, "", `unknown command "frob"`},
		{"--frob", "", 2, "", "unknown command"},
		{"gte review", "", 2, "", "did you mean: atskills get"},
		{"review", "", 2, "", "to read the skill: atskills get review"},
		{"@skills:Review", "", 2, "", "to read the skill: atskills get review"},
		{"gh:acme/skills/x", "", 2, "", "to read the reference: atskills get gh:acme/skills/x"},
		{"get", "", 2, "", "usage: atskills get"},
		{"toggle", "", 2, "", "toggle: want at least one row"},
		{"validate", "", 2, "", "validate: want at least one folder or file"},
		{"validate @skills:review", "", 2, "", "this takes a folder: .atskills/review\n"},
		{"validate review .atskills/nope", "", 2, "", `no such file or folder: ".atskills/nope"`},
		{"catalog @skills:gh:acme/skills", "", 2, "", "this takes a folder\n"},
		{"audit review", "", 2, "", "this takes a folder: .atskills/review\n"},
		{"validate --json --sarif .", "", 2, "", "validate: want only one of --json and --sarif"},
		{"validate --yes .", "", 2, "", "validate: --yes needs --fix"},
		{"get --frob review", "", 2, "", "flag provided but not defined: -frob"},
		{"get review --frob", "", 2, "", "flag provided but not defined: -frob"},
		{"get --json --prompt review", "", 2, "", "get: want only one of --json and --prompt"},
		{"get review", "", 0, "Read it ", "skill review: Reviews "},
		{"get review --json", "", 0, `{"id":"review"`, ""},
		{"get --json -- review", "", 0, `{"id":"review"`, ""},
		{"get -- --json", "", 1, "", "nothing at --json"},
		{"get nope", "", 1, "", "nothing at nope"},
		{"get --json nope", "", 1, `{"error":{"code":"not_found"`, "nothing at nope"},
		{"get --help", "", 0, "Usage: atskills get", ""},
		{"paths", "", 0, "", ""},
		{"paths", "\n \n\t\r\n", 0, "", ""},
		{"paths", "review", 0, `{"path":"review","ok":true,"id":"review","error":""}`, ""},
		{"paths", "gh:a\r\nreview\r\n", 2, `{"path":"review","ok":true,"id":"review","error":""}`, ""},
		{"paths review", "", 2, "", "usage: atskills paths"},
		{"paths --frob", "", 2, "", "flag provided but not defined"},
		{"help", "", 0, "Commands:", ""},
		{"--help", "", 0, "Commands:", ""},
		{"help get", "", 0, "Usage: atskills get", ""},
		{"help help", "", 0, "Usage: atskills help", ""},
		{"help frob", "", 2, "", `there is no command "frob"`},
		{"help gte", "", 2, "", "did you mean: atskills help get"},
		{"help get paths", "", 2, "", "want one command"},
		{"version", "", 0, "atskills ", ""},
		{"--version", "", 0, "atskills ", ""},
		{"version now", "", 2, "", "usage: atskills version"},
	}
	for _, tt := range tests {
		var stdout, stderr bytes.Buffer
		code := h.run(t.Context(), strings.Fields(tt.args), strings.NewReader(tt.stdin), &stdout, &stderr)
		if code != tt.code {
			t.Errorf("atskills %s = %d, want %d\n%s", tt.args, code, tt.code, &stderr)
		}
		for stream, pair := range map[string][2]string{"stdout": {stdout.String(), tt.stdout}, "stderr": {stderr.String(), tt.stderr}} {
			got, want := pair[0], pair[1]
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("atskills %s: %s = %q, want %q in it", tt.args, stream, got, want)
			}
		}
	}
}

// What is no reference is a failure like others, in every command that reads references; the reason comes alone where
// only one thing is wrong.
func TestNoReferenceIsAFailure(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, command := range []string{"get", "get --json", "save", "diff", "remove", "install", "uninstall", "toggle", "approve run.sh"} {
		for _, ref := range []string{"../x", "hub:acme", "/deploy"} {
			var stdout, stderr bytes.Buffer
			args := slices.Insert(strings.Fields(command), 1, ref)
			if code := h.run(t.Context(), args, nil, &stdout, &stderr); code != exitFailed || strings.Contains(stderr.String(), "usage:") {
				t.Errorf("%q exits with %d, want %d: %s", args, code, exitFailed, &stderr)
			}
		}
	}
}

// A command line that is wrong in one way is told that alone.
func TestOneReasonAtATime(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for args, lacks := range map[string]string{
		"get":                   "--json",
		"get --json --prompt x": "reference",
		"validate":              "--",
		"validate --yes .":      "--json",
		"gte":                   "to read",
		"review":                "did you mean",
		"help gte":              "[",
	} {
		var stderr bytes.Buffer
		h.run(t.Context(), strings.Fields(args), nil, io.Discard, &stderr)
		first, _, _ := strings.Cut(stderr.String(), "usage:")
		if strings.Contains(first, lacks) {
			t.Errorf("atskills %s: %q has %q", args, first, lacks)
		}
	}
}

func TestHelpNamesEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"get", "save", "diff", "remove", "paths", "validate", "catalog", "audit", "new", "help", "version"} {
		if !strings.Contains(helpTexts[""], "\n  "+name) || !strings.HasPrefix(helpTexts[name], "Usage: atskills "+name) {
			t.Errorf("no help on %q", name)
		}
	}
	for _, s := range sentinels {
		if !strings.Contains(helpTexts["get"], s.code) {
			t.Errorf("help on get lacks the code %q", s.code)
		}
	}
	for name, text := range helpTexts {
		for line := range strings.Lines(text) {
			if len(line) > 121 {
				t.Errorf("help on %q has a line of %d bytes: %s", name, len(line), line)
			}
		}
	}
}

// What is written to a pipe is what was read; a terminal gets no control characters, and standard error never does.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var stdout, stderr bytes.Buffer
	h.run(t.Context(), []string{"get", "review"}, nil, &stdout, &stderr)
	if want := "Read it \x1b[2Jtwice.\n"; stdout.String() != want {
		t.Errorf("stdout = %q, want %q", &stdout, want)
	}
	if strings.ContainsRune(stderr.String(), '\x1b') {
		t.Errorf("stderr = %q", &stderr)
	}
	stdout.Reset()
	out := newOutput(&stdout, io.Discard)
	out.terminal = true
	out.print("a\x1b[2J\r\n\tb\u009b1m\x7f\x00\x9bé\n")
	if err := out.flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a[2J\n\tb1m�é\n"; stdout.String() != want {
		t.Errorf("on a terminal %q, want %q", &stdout, want)
	}
	stderr.Reset()
	newOutput(io.Discard, &stderr).say("  warning: %s", "a\nb\x1b[31m\u202ec")
	if want := "  warning: a b[31mc\n"; stderr.String() != want {
		t.Errorf("say = %q, want %q", &stderr, want)
	}
}

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// The keys of the JSON forms are a contract with scripts.
func TestJSONKeys(t *testing.T) {
	t.Parallel()
	id, err := skill.ParseID("gh:acme/skills/API Gateway")
	if err != nil {
		t.Fatal(err)
	}
	menu := newResult(&atskills.Resolution{
		ID: id, Kind: atskills.Menu, Entries: []atskills.Entry{{ID: id}, {Path: "p"}},
		Warnings: []atskills.Warning{{Code: "stale", Message: "m"}},
	})
	got := decode(t, menu)
	want := strings.Fields("content description dir entries fetchedAt files id kind name path playlist revision reviewURL served source visibility warnings")
	slices.Sort(want)
	if diff := cmp.Diff(want, keys(got)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{}, got["files"]); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got["id"] != "gh:acme/skills/API Gateway" {
		t.Errorf("id = %q, want the canonical spelling", got["id"])
	}
	entries := []any{
		map[string]any{"id": "gh:acme/skills/API%20Gateway", "name": "", "description": "", "path": "", "bundle": []any{}, "whole": false},
		map[string]any{"id": "", "name": "", "description": "", "path": "p", "bundle": []any{}, "whole": false},
	}
	if diff := cmp.Diff(entries, got["entries"]); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{map[string]any{"code": "stale", "message": "m"}}, got["warnings"]); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	empty := decode(t, newResult(&atskills.Resolution{}))
	for _, key := range []string{"files", "entries", "warnings"} {
		if diff := cmp.Diff([]any{}, empty[key]); diff != "" {
			t.Errorf("%s of nothing (-want +got):\n%s", key, diff)
		}
	}
}

func decode(t *testing.T, v any) map[string]any {
	t.Helper()
	var b bytes.Buffer
	out := newOutput(&b, io.Discard)
	out.object(v)
	if err := out.flush(); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%q is not one line", &b)
	}
	var m map[string]any
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Every sentinel and type has a code of its own, through whatever wraps it, and the fields of that code.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	id, err := skill.ParseID("gh:acme/skills")
	if err != nil {
		t.Fatal(err)
	}
	_, syntax := skill.ParseRef("gh:acme")
	upstream := func(kind error, cause transport.Cause) error {
		return &transport.Error{Op: "probe", URL: "u", Kind: kind, Cause: cause, Hint: "do this"}
	}
	tests := []struct {
		err    error
		code   string
		fields map[string]any
	}{
		{syntax, "invalid_reference", map[string]any{"ref": "gh:acme"}},
		{&atskills.NotFoundError{ID: id, Looked: []string{"a"}, Near: []string{"b"}, Hint: "h"}, "not_found", map[string]any{
			"looked": []any{"a"}, "there": []any{}, "near": []any{"b"}, "hint": "h"}},
		{upstream(transport.ErrNotFound, transport.CauseEmpty), "not_found", map[string]any{"cause": "empty",
			"looked": []any{}, "there": []any{}, "near": []any{}, "hint": "do this"}},
		{&atskills.TooLargeError{ID: id, Count: 129, Suggestions: []atskills.Suggestion{{ID: id, Count: 3}}}, "too_large",
			map[string]any{"count": 129.0, "limit": 128.0, "suggestions": []any{map[string]any{"id": "gh:acme/skills", "count": 3.0}}}},
		{&atskills.TooLargeError{ID: id, Count: 129, Bytes: 7}, "too_large",
			map[string]any{"count": 129.0, "limit": 128.0, "bytes": 7.0, "suggestions": []any{}}},
		{upstream(transport.ErrNoAccess, transport.CauseNoAccess), "no_access", map[string]any{"cause": "no_access", "hint": "do this"}},
		{upstream(transport.ErrUnreachable, transport.CauseDNS), "unreachable", map[string]any{"cause": "dns", "hint": "do this"}},
		{upstream(transport.ErrNoRevision, transport.CauseNotFound), "no_revision", map[string]any{"cause": "not_found", "hint": "do this"}},
		{upstream(transport.ErrProtocol, transport.CauseProtocol), "protocol", map[string]any{"cause": "protocol", "hint": "do this"}},
		{upstream(atskills.ErrNotConfigured, ""), "not_configured", map[string]any{"cause": "", "hint": "do this"}},
		{atskills.ErrNotConfigured, "not_configured", nil},
		{atskills.ErrCacheInTree, "cache_in_tree", nil},
		{&transport.LimitError{What: "tree entries", Max: 9, Field: "Entries"}, "limit",
			map[string]any{"what": "tree entries", "max": 9.0, "field": "Entries"}},
		{&fsx.SizeError{Name: "SKILL.md", Max: 9}, "limit", map[string]any{"what": "bytes in one file", "max": 9.0, "field": ""}},
		{context.Canceled, "cancelled", nil},
		{context.DeadlineExceeded, "cancelled", nil},
		{errors.New("disk on fire"), "internal", nil},
	}
	const ref = "gh:x/y"
	for _, tt := range tests {
		wrapped := fmt.Errorf("somewhere: %w", tt.err)
		got := decode(t, newFailure(atskills.Outcome{Ref: ref, Err: wrapped}))
		want := map[string]any{"code": tt.code, "message": wrapped.Error(), "ref": ref}
		maps.Copy(want, tt.fields)
		if diff := cmp.Diff(map[string]any{"error": want}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.err, diff)
		}
	}
}

// X5: a reference is given back without what may be a secret in it, whatever the error is about.
func TestFailedReference(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"https://github.com/o/r?access_token=TOK":          "https://github.com/o/r",
		"@skills:github.com/o/r/tree/main/x/?a=TOK#TOK":    "@skills:github.com/o/r/tree/main/x/",
		"https://github.com/o/r.git?access_token=TOK#main": "https://github.com/o/r.git",
		"git@github.com:o/r#TOK":                           "git@github.com:o/r",
		"https://u:TOK@github.com/o/r":                     "https://…@github.com/o/r",
		"gh:o/r/what?":                                     "gh:o/r/what?",
		"gh:o/r/c#-helper?x":                               "gh:o/r/c#-helper?x",
	} {
		for _, err := range []error{context.Canceled, errors.New("disk on fire")} {
			if got := newFailure(atskills.Outcome{Ref: ref, Err: err}).Error.Ref; got != want {
				t.Errorf("ref of %q that failed with %v = %q, want %q", ref, err, got, want)
			}
		}
	}
}

// A line past the bound is a verdict of its own, and the next one is read as if nothing had been.
func TestPathsLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxLine)
	for _, end := range []string{"\ndeploy\n", "\r\n\ndeploy", ""} {
		var stdout bytes.Buffer
		out := newOutput(&stdout, io.Discard)
		code := paths(nil, strings.NewReader("first\n"+long+end), out)
		if err := out.flush(); err != nil || code != exitUsage {
			t.Errorf("%q: code %d, %v", end, code, err)
		}
		lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
		if want := 2 + strings.Count(end, "deploy"); len(lines) != want {
			t.Fatalf("%q: %d verdicts, want %d", end, len(lines), want)
		}
		if len(lines[1]) > 1000 || !strings.Contains(lines[1], `"ok":false,"id":"","error":"the line is longer than 1048576 bytes"`) {
			t.Errorf("%q: verdict %.300s", end, lines[1])
		}
		if strings.Contains(lines[1], "\ufffd") || strings.Contains(lines[1], `\ufffd`) {
			t.Errorf("%q: the line was cut inside a character: %.300s", end, lines[1])
		}
	}
}

// A line is answered before the next is written: a program may keep paths running and ask it.
func TestPathsAnswersAtOnce(t *testing.T) {
	t.Parallel()
	in, ask := io.Pipe()
	answers, stdout := io.Pipe()
	go func() {
		paths(nil, in, newOutput(stdout, io.Discard))
		stdout.Close()
	}()
	dec := json.NewDecoder(answers)
	for _, ref := range []string{"one", "two"} {
		if _, err := io.WriteString(ask, ref+"\n"); err != nil {
			t.Fatal(err)
		}
		var v verdict
		if err := dec.Decode(&v); err != nil || v.ID != ref {
			t.Fatalf("%+v, %v; want the verdict on %q", v, err, ref)
		}
	}
	ask.Close()
	if err := dec.Decode(new(verdict)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error)  { return 0, errors.New("bad sector") }
func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, args := range [][]string{{"get", "review"}, {"get", "--json", "review"}, {"paths"}, {"help"}, {"version"}} {
		var stderr bytes.Buffer
		code := h.run(t.Context(), args, strings.NewReader("review\n"), brokenPipe{}, &stderr)
		if code != exitFailed || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%q on a full disk = %d, %s", args, code, &stderr)
		}
	}
	var stderr bytes.Buffer
	if code := h.run(t.Context(), []string{"paths"}, brokenPipe{}, io.Discard, &stderr); code != exitFailed ||
		!strings.Contains(stderr.String(), "bad sector") {
		t.Errorf("paths of an unreadable file = %d, %s", code, &stderr)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout bytes.Buffer
	code := h.run(ctx, []string{"get", "--json", "gh:acme/skills"}, nil, &stdout, io.Discard)
	if code != exitFailed || !strings.HasPrefix(stdout.String(), `{"error":{"code":"cancelled",`) {
		t.Errorf("cancelled = %d, %s", code, &stdout)
	}
}

func TestReportCapsBundledFiles(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range maxListed + 5 {
		files = append(files, fmt.Sprintf("f%02d", i))
	}
	var stderr bytes.Buffer
	report(newOutput(io.Discard, &stderr), &atskills.Resolution{Kind: atskills.Skill, Served: atskills.ServedFresh, Files: files})
	if got := stderr.String(); !strings.Contains(got, "f19 and 5 more\n") || strings.Contains(got, "f20") {
		t.Errorf("report = %s", got)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := &progress{to: &b}
	p.update(git.Progress{Op: "fetch", Objects: 1, Total: 9, Bytes: drawAfter - 1})
	p.clear()
	if b.Len() > 0 {
		t.Errorf("a short transfer drew %q", &b)
	}
	p.update(git.Progress{Op: "fetch", Objects: 2, Total: 9, Bytes: 2_000_000})
	const line = "fetch: 2 of 9 objects, 2.0 MB"
	if got := b.String(); got != "\r"+line {
		t.Errorf("drew %q", got)
	}
	p.clear()
	if got, want := b.String(), "\r"+line+"\r"+strings.Repeat(" ", len(line))+"\r"; got != want {
		t.Errorf("after clear %q, want %q", got, want)
	}
	p.clear()
	if !strings.HasSuffix(b.String(), " \r") {
		t.Errorf("cleared twice: %q", &b)
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	root := h.dir
	for _, tt := range []struct{ dir, want string }{
		{root, root},
		{filepath.Join(root, "src", "deep"), root},
		{filepath.Join(root, ".atskills", "review"), root},
	} {
		if got := (host{dir: tt.dir}).project(); got != tt.want {
			t.Errorf("project from %s = %s, want %s", tt.dir, got, tt.want)
		}
	}
	// A file of that name is no skill tree, and without one the working directory is the project.
	bare := t.TempDir()
	if err := os.WriteFile(filepath.Join(bare, ".atskills"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(bare, "below")
	if got := (host{dir: below}).project(); got != below {
		t.Errorf("project = %s, want %s", got, below)
	}
}
