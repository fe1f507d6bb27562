package atskills_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// folderNames are those of generated trees: few, so that they meet at several depths, and some that are patterns.
var folderNames = []string{"a", "b", "c", "[z]", "!bang", "#x", "a b ", "c#", "**", `\x`, "@s"}

// skillPaths generates the skills of a project, some of them copies of what acme has.
func skillPaths() *rapid.Generator[[]string] {
	own := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(folderNames), 1, 3), func(segs []string) string { return strings.Join(segs, "/") })
	copied := rapid.SampledFrom([]string{"gh/acme/kit/skills/deploy", "gh/acme/kit/skills/mine"})
	return rapid.Custom(func(t *rapid.T) []string {
		files := []string{"z/" + skill.SkillFile}
		for _, p := range rapid.SliceOfN(rapid.OneOf(own, own, own, own, copied), 1, 9).Draw(t, "skills") {
			files = append(files, p+"/"+skill.SkillFile)
		}
		dirs, _ := skill.Leaves(files)
		return dirs
	})
}

// handEdits generates what a person may write into a trigger file.
func handEdits(paths []string) *rapid.Generator[string] {
	literal := rapid.Custom(func(t *rapid.T) string {
		segs := strings.Split(rapid.SampledFrom(paths).Draw(t, "skill"), "/")
		line, err := trigger.Literal(strings.Join(segs[:rapid.IntRange(1, len(segs)).Draw(t, "depth")], "/"), rapid.Bool().Draw(t, "dir"), rapid.Bool().Draw(t, "anchored"))
		if err != nil {
			t.Fatal(err)
		}
		return line
	})
	negation := rapid.Map(literal, func(l string) string { return "!" + l })
	other := rapid.SampledFrom([]string{"*", "a/*", "!**/b", "[a-c]", "", "# x", "  # y", "gone/", "z ", "a\\", "@bad",
		"@gh:acme/kit/skills/deploy", "@gh:acme/kit/skills/", "@gh:acme/kit/skills", "@gh:acme/kit/.claude/",
		"@" + linkedID, "@hub:acme/list/", "@hub:acme/list", "@hub:acme/lists/"})
	return rapid.OneOf(literal, literal, negation, other)
}

// lists are playlists of copies, of what is read through the cache, and of what is not there; one lists the other (H5).
const lists = `
-- hub:acme/list/.playlist --
gh:acme/kit/skills/deploy
gh:acme/kit/skills/mine
gh:acme/linked/x
-- hub:acme/lists/.playlist --
gh:acme/kit/skills/
hub:acme/list
gh:acme/kit/.claude/
`

// linkedID is the id at whose path a link may stand, to a skill of the project.
const linkedID, linkedDir = "gh:acme/linked/x", "gh/acme/linked/x"

// V1-V7: after any sequence of installing, uninstalling, toggling and editing by hand, the tree, the block and git itself
// agree on what is resident. Toggling changes nothing else or is refused, and leaves all other lines as they are.
func TestToggleAgrees(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	judge := newIgnoreJudge(t)
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		edits := handEdits(h.paths)
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"edit", "edit", "toggle", "toggle", "install", "uninstall"}).Draw(t, "step") {
			case "edit":
				h.edit(rapid.SliceOfN(edits, 0, 6).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
			case "toggle":
				h.toggle()
			case "install":
				_, _ = atskills.Install(t.Context(), h.env, h.ref()) // a refusal changes nothing, and what it changes is checked below
			case "uninstall":
				_, _ = atskills.Uninstall(t.Context(), h.env, h.ref())
			}
			h.agree(judge)
		}
	})
	judge.check(t)
}

// history is one generated project.
type history struct {
	*rapid.T
	env    atskills.Env
	paths  []string
	linked string // what stands behind linkedDir, "" for nothing
}

func newHistory(t *rapid.T) *history {
	up, err := transporttest.NewUpstream(acme + lists)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{T: t, paths: skillPaths().Draw(t, "tree")}
	h.env = atskills.Env{Project: memfs.New(), Cache: fsx.Locked(memfs.New()), Transport: transporttest.NewFake(up)}
	for _, p := range h.paths {
		h.write(".atskills/"+p+"/SKILL.md", skillText("s", "Does it.", ""))
	}
	if h.linked = rapid.SampledFrom(h.paths).Draw(t, "linked"); h.linked > "gh/" || rapid.Bool().Draw(t, "without a link") {
		h.linked = "" // the walk would come to the link first
		return h
	}
	if err := h.env.Project.MkdirAll(".atskills/"+path.Dir(linkedDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := h.env.Project.Symlink("../../../"+h.linked, ".atskills/"+linkedDir); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *history) write(name, body string) {
	if err := fsx.WriteFile(h.env.Project, name, []byte(body), 0o644); err != nil {
		h.Fatal(err)
	}
}

func (h *history) file() trigger.File {
	data, err := fsx.ReadFile(h.env.Project, triggerFile, -1)
	if err != nil && !os.IsNotExist(err) {
		h.Fatal(err)
	}
	return trigger.Parse(data)
}

func (h *history) edit(lines []string, end string) {
	h.write(triggerFile, strings.Join(lines, end)+rapid.SampledFrom([]string{"", end}).Draw(h.T, "finish"))
}

func (h *history) ref() string {
	dir := rapid.SampledFrom(h.paths).Draw(h.T, "ref")
	if id, err := skill.ParseDiskPath(dir); err == nil {
		return id.Reference()
	}
	return dir
}

func (h *history) tree() *atskills.Tree {
	tree, err := atskills.ReadTree(h.Context(), h.env)
	if err != nil {
		h.Fatal(err)
	}
	return tree
}

// on lists the skills of the project that are resident.
func on(tree *atskills.Tree) []string {
	var out []string
	for _, r := range tree.Rows {
		if r.Kind == atskills.RowSkill && r.On > 0 {
			out = append(out, r.Key)
		}
	}
	return out
}

// toggle toggles a row, twice where that is to give back what was.
func (h *history) toggle() {
	before := h.tree()
	r := rapid.SampledFrom(before.Rows).Draw(h.T, "row")
	again, ok := h.toggled(r, before)
	if !ok || r.Kind == atskills.RowBroken || r.On > 0 && r.On < r.Skills || rapid.Bool().Draw(h.T, "once") {
		return
	}
	last, ok := h.toggled(r, again)
	if !ok {
		h.Fatalf("toggling %q is refused the second time", r.Key)
	}
	if !slices.Equal(on(last), on(before)) {
		h.Fatalf("toggling %q twice leaves %q on, of %q (V7)", r.Key, on(last), on(before))
	}
}

// toggled toggles r and holds that its skills changed, and nothing else did.
func (h *history) toggled(r atskills.Row, before *atskills.Tree) (*atskills.Tree, bool) {
	file := h.file()
	c, err := atskills.Toggle(h.Context(), h.env, r.Key)
	after, now := h.tree(), h.file()
	if err != nil {
		if !bytes.Equal(file.Bytes(), now.Bytes()) {
			h.Fatalf("toggling %q is refused (%v) and writes %q", r.Key, err, now.Bytes())
		}
		return after, false
	}
	if was, is := without(file, c.Removed), without(now, c.Written); !slices.Equal(was, is) {
		h.Fatalf("toggling %q touched other lines: %q became %q (T6)", r.Key, file.Bytes(), now.Bytes())
	}
	if r.Kind == atskills.RowCloud || r.Kind == atskills.RowBroken {
		return after, true
	}
	for _, b := range before.Rows {
		if b.Key == r.Key {
			r = b // as it was this time
		}
	}
	want := slices.DeleteFunc(on(before), func(p string) bool { return p == r.Key || strings.HasPrefix(p, r.Key+"/") })
	if r.On < r.Skills {
		for _, p := range h.paths {
			if p == r.Key || strings.HasPrefix(p, r.Key+"/") {
				want = append(want, p)
			}
		}
	}
	slices.Sort(want)
	if got := on(after); !slices.Equal(got, want) {
		h.Fatalf("toggling %q in %q makes %q: %q are on, want %q", r.Key, file.Bytes(), now.Bytes(), got, want)
	}
	return after, true
}

// without lists the lines of f but some.
func without(f trigger.File, lines []atskills.TriggerLine) []string {
	var out []string
	for _, l := range f.Lines {
		if !slices.Contains(lines, atskills.TriggerLine{Number: l.Number, Text: l.Text}) {
			out = append(out, l.Text)
		}
	}
	return out
}

// agree holds that the tree shows what the block has and what each state says, and leaves the rest to git.
func (h *history) agree(judge *ignoreJudge) {
	block, err := atskills.Residency(h.Context(), h.env)
	if err != nil {
		h.Fatal(err)
	}
	checkBlock(h.T, block)
	tree := h.tree()
	if tree.On != len(block.Rows) || tree.Tokens != block.Tokens {
		h.Fatalf("the tree has %d on for %d tokens, the block %d for %d", tree.On, tree.Tokens, len(block.Rows), block.Tokens)
	}
	var resident []string
	for _, r := range block.Rows {
		if r.Where != atskills.WhereCloud {
			dir := strings.TrimSuffix(strings.TrimPrefix(r.Path, ".atskills/"), "/SKILL.md")
			if dir == linkedDir {
				dir = h.linked
			}
			resident = append(resident, dir)
		}
	}
	slices.Sort(resident)
	if got := on(tree); !slices.Equal(got, resident) {
		h.Fatalf("in %q the tree has %q on, the block %q", h.file().Bytes(), got, resident)
	}
	plain := make(map[string]bool) // those that are not on for a line with "@" alone
	for _, r := range tree.Rows {
		whole := r.State == atskills.StateOn || r.State == atskills.StateCovered
		if r.Kind == atskills.RowSkill || r.Kind == atskills.RowDir {
			if r.State == atskills.StateOff != (r.On == 0) || whole && r.On < r.Skills || whole && r.Kind == atskills.RowDir && r.Line == 0 {
				h.Fatalf("in %q the row is %+v", h.file().Bytes(), r)
			}
		}
		if r.Kind == atskills.RowSkill && !strings.HasPrefix(strings.TrimSpace(r.LineText), "@") {
			plain[r.Key] = r.On > 0
		}
	}
	judge.add(h.T, h.file(), plain)
}

// ignoreJudge collects verdicts and has git check all of them at once.
type ignoreJudge struct {
	dir  string
	want map[string]bool // by path from dir
	file map[string]string
	n    int
}

func newIgnoreJudge(t *testing.T) *ignoreJudge {
	j := &ignoreJudge{dir: t.TempDir(), want: make(map[string]bool), file: make(map[string]string)}
	j.git(t, nil, "init", "-q")
	return j
}

func (j *ignoreJudge) git(t *testing.T, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", j.dir, "-c", "core.ignorecase=false", "-c", "core.excludesFile="}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1 is "none of them"
		t.Fatal(err)
	}
	return out
}

// add asks about skills under the plain lines of f (T4).
func (j *ignoreJudge) add(t *rapid.T, f trigger.File, skills map[string]bool) {
	var plain strings.Builder
	for _, l := range f.Lines {
		if l.Kind == trigger.Pattern {
			plain.WriteString(l.Text)
		}
		plain.WriteByte('\n')
	}
	j.n++
	top := fmt.Sprintf("case%d", j.n)
	for path, ignored := range skills {
		name := top + "/" + path
		if err := os.MkdirAll(filepath.Join(j.dir, filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		j.want[name], j.file[name] = ignored, plain.String()
	}
	if err := os.MkdirAll(filepath.Join(j.dir, top), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(j.dir, top, ".gitignore"), []byte(plain.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (j *ignoreJudge) check(t *testing.T) {
	t.Helper()
	var in bytes.Buffer
	for name := range j.want {
		in.WriteString(name + "\x00")
	}
	ignored := make(map[string]bool)
	for _, name := range strings.Split(string(j.git(t, in.Bytes(), "check-ignore", "--no-index", "-z", "--stdin")), "\x00") {
		ignored[name] = true
	}
	on := 0
	for name, want := range j.want {
		if ignored[name] != want {
			t.Errorf("git ignores %q: %v, the tree says %v, under\n%s", name, ignored[name], want, j.file[name])
		}
		if want {
			on++
		}
	}
	if on == 0 || on == len(j.want) {
		t.Errorf("%d of %d skills were on: that tells nothing", on, len(j.want))
	}
}
