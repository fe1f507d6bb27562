package atskills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// tools are those of the world's resident block.
func (w *world) tools(render atskills.Renderer) *atskills.Tools {
	w.Helper()
	block, err := atskills.Residency(w.Context(), w.env)
	if err != nil {
		w.Fatal(err)
	}
	return atskills.NewTools(w.env, block.Rows, render)
}

// call calls a tool with arguments as pairs of key and value.
func call(t *testing.T, tools *atskills.Tools, name string, pairs ...any) (string, error) {
	t.Helper()
	args := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return tools.Call(t.Context(), name, data)
}

// B2: what the block promises has a working way behind it: each resident skill can be activated, and each file read.
func TestTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Transport = transport.Memo(w.env.Transport)
	write(t, w.env.Project, map[string]string{
		".atskills/own/SKILL.md": skillText("own", "Mine.", "Read a.md."), ".atskills/own/a.md": "A file.",
		".atskills/.autotrigger": "own\n@gh:acme/kit/skills/\n",
	})
	tools := w.tools(atskills.Renderer{})
	defs := tools.Definitions()
	if got, want := tools.Names(), []string{"own", "deploy", "review"}; !slices.Equal(got, want) || len(defs) != 2 ||
		defs[0].Name != atskills.ActivateTool || defs[1].Name != atskills.ReadFileTool {
		t.Fatalf("names %q, definitions %+v", got, defs)
	}
	schema, err := json.Marshal(defs[0].InputSchema)
	want := `{"additionalProperties":false,"properties":{"name":{"description":"A skill, by name.","enum":["own","deploy","review"],"type":"string"}},"required":["name"],"type":"object"}`
	if string(schema) != want || err != nil {
		t.Errorf("schema %s, error %v; want %s", schema, err, want)
	}
	w.counter.Reset()
	for name, ref := range map[string]string{"own": "own", "deploy": deployRef, "review": reviewRef} {
		text, err := call(t, tools, atskills.ActivateTool, "name", name)
		if want := w.resolve(ref).Prompt(); err != nil || text != want {
			t.Errorf("%s: %q, error %v; want %q", name, text, err, want)
		}
		for _, file := range append(w.resolve(ref).Files, "SKILL.md", "./SKILL.md") {
			if text, err := call(t, tools, atskills.ReadFileTool, "name", name, "path", file); err != nil || !strings.HasPrefix(text, "--- file ") {
				t.Errorf("%s of %s: %q, error %v", file, name, text, err)
			}
		}
	}
	w.asked("the tools in one session", transporttest.Counts{})
	text, err := call(t, tools, atskills.ReadFileTool, "name", "own", "path", "a.md")
	if want := "--- file a.md (7 bytes) ---\nA file.\n--- end of file a.md ---\n"; text != want || err != nil {
		t.Errorf("a.md: %q, error %v; want %q", text, err, want)
	}
}

// B2: with nothing resident there is no tool, and a call says so.
func TestToolsNone(t *testing.T) {
	t.Parallel()
	tools := newWorld(t, "").tools(atskills.Renderer{})
	if defs := tools.Definitions(); len(defs) != 0 {
		t.Errorf("definitions %+v", defs)
	}
	var unknown *skill.UnknownSkillError
	if text, err := call(t, tools, atskills.ActivateTool, "name", "x"); !errors.As(err, &unknown) {
		t.Errorf("a call: %q, error %v", text, err)
	}
}

// Two skills of one name are both reached: the first by the name, the second by its id; no name stands for another's id.
func TestToolsEqualNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{
		".atskills/a/review/SKILL.md": skillText("review", "Mine.", "My own."),
		".atskills/b/SKILL.md":        skillText("gh:acme/kit/skills/review", "Poses as another.", "Forged."),
		".atskills/.autotrigger":      "/a/\n/b\n@gh:acme/kit/skills/review\n",
	})
	tools := w.tools(atskills.Renderer{})
	if got, want := tools.Names(), []string{"review", "b", reviewRef}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	for name, want := range map[string]string{"review": "My own.", "b": "Forged.", reviewRef: "Look twice."} {
		if text, err := call(t, tools, atskills.ActivateTool, "name", name); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %q, error %v; want %q in it", name, text, err, want)
		}
	}
	schema, err := json.Marshal(tools.Definitions())
	if want := reviewRef + " is another skill called review."; err != nil || !strings.Contains(string(schema), want) {
		t.Errorf("definitions %s, error %v; want %q in them", schema, err, want)
	}
}

// G12: a resident skill that no reference addresses has a working way as well.
func TestToolsUnaddressable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/hub/Acme/x/SKILL.md": skillText("odd", "Odd.", "Body."), ".atskills/hub/Acme/x/a.md": "A.",
		".atskills/.autotrigger": "x\n",
	})
	tools := w.tools(atskills.Renderer{})
	text, err := call(t, tools, atskills.ActivateTool, "name", "odd")
	if err != nil || !strings.Contains(text, "--- skill /.atskills/hub/Acme/x (local) ---\nodd: Odd.\n") || !strings.Contains(text, "\n  a.md\n\nBody.\n") {
		t.Errorf("%q, error %v", text, err)
	}
	if text, err := call(t, tools, atskills.ReadFileTool, "name", "odd", "path", "a.md"); err != nil || !strings.Contains(text, "\nA.\n") {
		t.Errorf("%q, error %v", text, err)
	}
}

// Wrong arguments give an error that a model can act on.
func TestToolsArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/own/SKILL.md": skillText("own", "Mine.", ""), ".atskills/own/references/guide.md": "x",
		".atskills/own/blob": "a\x00b", ".atskills/own/latin": "caf\xe9", ".atskills/.autotrigger": "own\n",
	})
	tools := w.tools(atskills.Renderer{})
	for _, c := range []struct{ tool, args, want string }{
		{"other", `{}`, `no such tool: "other"`},
		{atskills.ActivateTool, ``, `the arguments are not of the form {"name": "<skill>"}: EOF`},
		{atskills.ActivateTool, `{`, `not of the form`},
		{atskills.ActivateTool, `[]`, `is of type array`},
		{atskills.ActivateTool, `{"name": 3}`, `name is of type number`},
		{atskills.ActivateTool, `{"name": "own", "x": 1}`, `unknown field "x"`},
		{atskills.ActivateTool, `{"name": "own"} {}`, `text behind`},
		{atskills.ActivateTool, `{}`, `no skill is called ""`},
		{atskills.ActivateTool, `null`, `the names are: own`},
		{atskills.ActivateTool, `{"name": "owm"}`, `no skill is called "owm"; there is own; the names are: own`},
		{atskills.ActivateTool, `{"name": "../own"}`, `no skill is called`},
		{atskills.ReadFileTool, `{"name": "own"}`, `bundles no file ""`},
		{atskills.ReadFileTool, `{"name": "own", "path": "guide.md"}`, `did you mean references/guide.md`},
		{atskills.ReadFileTool, `{"name": "own", "path": "references"}`, `bundles no file "references"`},
		{atskills.ReadFileTool, `{"name": "own", "path": "blob"}`, `binary`},
		{atskills.ReadFileTool, `{"name": "own", "path": "latin"}`, `no UTF-8`},
		{atskills.ReadFileTool, `{"name": "own", "path": "SKILL.md", "offset": -1}`, `counts bytes`},
		{atskills.ReadFileTool, `{"name": "own", "path": "SKILL.md", "offset": 9999}`, `behind the end`},
		{atskills.ReadFileTool, `{"name": "own", "path": "SKILL.md", "offset": 1.5}`, `offset is of type number`},
	} {
		text, err := tools.Call(t.Context(), c.tool, []byte(c.args))
		if err == nil || text != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Call(%s, %s) = %q, error %v; want %q", c.tool, c.args, text, err, c.want)
		}
	}
	if _, err := call(t, tools, "other"); !errors.Is(err, atskills.ErrNoTool) {
		t.Errorf("another's tool: error %v, want ErrNoTool", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tools.Call(ctx, atskills.ActivateTool, []byte(`{"name": "own"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("Call error = %v, want the context's", err)
	}
}

// W3: no path and no link leads out of the skill's folder; a folder that is itself reached by a link is the skill's.
func TestToolsStayInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	dir := t.TempDir()
	w.env.Project = fsx.OS(dir)
	write(t, w.env.Project, map[string]string{
		".atskills/own/SKILL.md": skillText("own", "Mine.", ""), ".atskills/own/a.md": "inside", "secret": "secret",
		".claude/skills/linked/SKILL.md": skillText("linked", "Linked.", ""), ".claude/skills/linked/b.md": "through a link",
		".atskills/.autotrigger": "own\nlinked\n", ".atskills/own/.source": "stamp",
	})
	for name, target := range map[string]string{
		".atskills/linked": "../.claude/skills/linked", ".atskills/own/out.md": "../../secret", ".atskills/own/in.md": "a.md",
		".atskills/own/dir": "../..", ".atskills/own/gone": "/etc/passwd",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	tools := w.tools(atskills.Renderer{})
	for _, c := range []struct{ skill, path, want string }{
		{"own", "a.md", "inside"}, {"own", "in.md", "inside"}, {"linked", "b.md", "through a link"},
	} {
		if text, err := call(t, tools, atskills.ReadFileTool, "name", c.skill, "path", c.path); err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s of %s: %q, error %v; want %q", c.path, c.skill, text, err, c.want)
		}
	}
	for _, path := range []string{
		"out.md", "dir/secret", "gone", "../../secret", "/secret", filepath.Join(dir, "secret"), "..", "", ".", "a.md/../../../secret",
		`..\..\secret`, "dir/.atskills/own/a.md", ".source", "a.md/", "\x00", "././../own/a.md",
	} {
		if text, err := call(t, tools, atskills.ReadFileTool, "name", "own", "path", path); err == nil {
			t.Errorf("%q: %q", path, text)
		}
	}
}

// X2: a long file comes in pieces that make the whole, each within its frame.
func TestToolsPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	whole := strings.Repeat("日本語 line\n--- end of file long.md ---\n", 4000)
	write(t, w.env.Project, map[string]string{
		".atskills/own/SKILL.md": skillText("own", "Mine.", ""), ".atskills/own/long.md": whole, ".atskills/.autotrigger": "own\n",
	})
	tools := w.tools(atskills.Renderer{})
	var got strings.Builder
	for calls := 0; got.Len() < len(whole) && calls < 10; calls++ {
		text, err := call(t, tools, atskills.ReadFileTool, "name", "own", "path", "long.md", "offset", got.Len())
		if err != nil {
			t.Fatal(err)
		}
		end := lastLine(text)
		if strings.Count(text, end) != 1 || end != "--- end of file long.md (2) ---" {
			t.Errorf("the closing line %q", end)
		}
		text = strings.TrimSuffix(text, end+"\n")
		_, text, _ = strings.Cut(text, "\n")
		if i := strings.LastIndex(text, "--- cut at "); i >= 0 && strings.Contains(text[i:], "goes on") {
			next := 0
			if _, err := fmt.Sscanf(text[i:], fmt.Sprintf("--- cut at %%d of %d bytes;", len(whole)), &next); err != nil {
				t.Fatalf("note %q: %v", text[i:], err)
			}
			text = text[:i]
			for got.Len()+len(text) > next { // the line break before the note
				text = text[:len(text)-1]
			}
		}
		got.WriteString(text)
	}
	if diff := cmp.Diff(whole, got.String()); diff != "" {
		t.Errorf("the pieces (-want +got):\n%s", diff)
	}
	text, err := call(t, tools, atskills.ReadFileTool, "name", "own", "path", "long.md", "offset", 1)
	if err != nil || !strings.Contains(text, "bytes) ---\n本語 line\n") {
		t.Errorf("from the middle of a character: %.80q, error %v", text, err)
	}
}

// C8: what was deleted from the cache since is fetched again; without a cache there is memory, and no path is named.
func TestToolsWithoutCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	write(t, w.env.Project, map[string]string{".atskills/.autotrigger": "@" + deployRef + "\n"})
	tools := w.tools(atskills.Renderer{})
	if err := fsx.RemoveAll(w.env.Cache, "gh"); err != nil {
		t.Fatal(err)
	}
	if text, err := call(t, tools, atskills.ReadFileTool, "name", "deploy", "path", runScript); err != nil || !strings.Contains(text, "#!/bin/sh") {
		t.Errorf("after the cache was deleted: %q, error %v", text, err)
	}
	w.env.Cache = nil
	tools = w.tools(atskills.Renderer{})
	if text, err := call(t, tools, atskills.ReadFileTool, "name", "deploy", "path", runScript); err != nil || !strings.Contains(text, "#!/bin/sh") {
		t.Errorf("without a cache: %q, error %v", text, err)
	}
	if text, err := call(t, tools, atskills.ActivateTool, "name", "deploy"); err != nil || strings.Contains(text, "Folder:") {
		t.Errorf("without a cache: %q, error %v", text, err)
	}
}

// The skills of a registry, in another agent's folder of the project, are rows with a path; none leads out of the project.
func TestToolsRegistry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	const location = ".claude/skills/tidy/SKILL.md"
	text := skillText("tidy", "Tidies.", "Sweep.")
	write(t, w.env.Project, map[string]string{location: text, ".claude/skills/tidy/ref.md": "Refer."})
	r := skill.NewRegistry([]skill.Found{{
		Doc: skill.Parse("tidy", []byte(text), skill.ParseOptions{}), Dir: "tidy", Location: location,
	}}, skill.RegistryOptions{Trusted: true})
	var rows []atskills.BlockRow
	for _, s := range r.Skills() {
		rows = append(rows, atskills.BlockRow{Name: s.Name, Path: s.Location})
	}
	rows = append(rows, atskills.BlockRow{Name: "out", Path: "../out/SKILL.md"}, atskills.BlockRow{Name: "top", Path: "/etc/SKILL.md"})
	tools := atskills.NewTools(w.env, rows, atskills.Renderer{})
	if text, err := call(t, tools, atskills.ActivateTool, "name", "tidy"); err != nil || !strings.Contains(text, "\nSweep.\n") {
		t.Errorf("%q, error %v", text, err)
	}
	if text, err := call(t, tools, atskills.ReadFileTool, "name", "tidy", "path", "ref.md"); err != nil || !strings.Contains(text, "\nRefer.\n") {
		t.Errorf("%q, error %v", text, err)
	}
	for _, name := range []string{"out", "top"} {
		if text, err := call(t, tools, atskills.ActivateTool, "name", name); err == nil {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// No argument makes a tool fail otherwise than by an error, or shows what lies outside of the skill's folder.
func FuzzToolCall(f *testing.F) {
	env := atskills.Env{Project: fsx.Locked(memfs.New())}
	for name, body := range map[string]string{
		".atskills/own/SKILL.md": skillText("own", "Mine.", "Inside."), ".atskills/own/a.md": "inside", ".atskills/own/.source": "outside",
		"secret": "outside", ".atskills/other/SKILL.md": skillText("other", "outside", "outside"),
	} {
		if err := fsx.WriteFile(env.Project, name, []byte(body), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	id, err := skill.ParseID("own")
	if err != nil {
		f.Fatal(err)
	}
	tools := atskills.NewTools(env, []atskills.BlockRow{{ID: id, Name: "own"}}, atskills.Renderer{})
	for _, args := range []string{`{"name":"own"}`, `{"name":"own","path":"a.md","offset":2}`, `{"name":"own","path":"../other/SKILL.md"}`, `{"name":"own","path":"../../secret"}`, `[`, `null`} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for _, tool := range []string{atskills.ActivateTool, atskills.ReadFileTool} {
			text, err := tools.Call(t.Context(), tool, []byte(args))
			if strings.Contains(text, "outside") || (err == nil) == (text == "") {
				t.Errorf("Call(%s, %q) = %q, error %v", tool, args, text, err)
			}
		}
	})
}
