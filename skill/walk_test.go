package skill_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// words tells problems as "code path".
func words(problems []skill.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Code+" "+p.Path)
	}
	return out
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		paths    []string
		want     []string
		problems []string
	}{
		{rule: "nothing"},
		{rule: "W1 no skill", paths: []string{"README.md", "a/b"}},
		{rule: "W1 the top", paths: []string{"x/SKILL.md", "SKILL.md"}, want: []string{""}},
		{
			rule:  "W1 nested",
			paths: []string{"x/SKILL.md", "x/node_modules/d/SKILL.md", "x/templates/t/SKILL.md"},
			want:  []string{"x"},
		},
		{rule: "W1 flat and nested", paths: []string{"skills/a/SKILL.md", "skills/cat/b/SKILL.md"},
			want: []string{"skills/a", "skills/cat/b"}},
		{
			rule:     "W1 exact name",
			paths:    []string{"a/skill.md", "b/Skill.md", "c/SKILL.MD", "d/skill.md", "d/SKILL.md", "e/SKILL.md.bak"},
			want:     []string{"d"},
			problems: []string{"file-name a/skill.md", "file-name b/Skill.md", "file-name c/SKILL.MD"},
		},
		{
			rule:     "W1 a near miss hides nothing below it",
			paths:    []string{"a/skill.md", "a/b/SKILL.md"},
			want:     []string{"a/b"},
			problems: []string{"file-name a/skill.md"},
		},
		{
			rule:     "W1 a folder called SKILL.md",
			paths:    []string{"a/SKILL.md/x", "b/SKILL.md/SKILL.md"},
			want:     []string{"b/SKILL.md"},
			problems: []string{"not-a-file a/SKILL.md", "not-a-file b/SKILL.md"},
		},
		{rule: "W2 dot folders", paths: []string{".claude/skills/a/SKILL.md", ".agents/SKILL.md", ".github/x/SKILL.md"},
			want: []string{".agents", ".claude/skills/a", ".github/x"}},
		{rule: "W2 .git", paths: []string{".git/SKILL.md", "a/.GIT/b/SKILL.md", "a/.gitx/SKILL.md"},
			want: []string{"a/.gitx"}},
		{rule: "W4 byte order of the whole path", paths: []string{"a/x/SKILL.md", "a-b/x/SKILL.md", "B/SKILL.md", "é/SKILL.md", "z/SKILL.md"},
			want: []string{"B", "a-b/x", "a/x", "z", "é"}},
		{rule: "W4 byte order of the whole path", paths: []string{"a-b/SKILL.md", "a/SKILL.md"}, want: []string{"a", "a-b"}},
		{rule: "names", paths: []string{"a//SKILL.md", "b/../SKILL.md", "./SKILL.md", "c/SKILL.md"}, want: []string{"c"},
			problems: []string{"name ", "name a", "name b"}},
		{rule: "absolute paths", paths: []string{"/SKILL.md", "/a/SKILL.md"}, problems: []string{"name ", "name "}},
		{rule: "a path twice", paths: []string{"a/SKILL.md", "a/SKILL.md"}, want: []string{"a"}},
		{rule: "a file that is a folder too", paths: []string{"a", "a/SKILL.md"}, want: []string{"a"}},
		{rule: "too deep", paths: []string{strings.Repeat("d/", 65) + "SKILL.md", strings.Repeat("e/", 64) + "SKILL.md"},
			want: []string{strings.TrimSuffix(strings.Repeat("e/", 64), "/")}, problems: []string{"limit " + strings.TrimSuffix(strings.Repeat("d/", 65), "/")}},
	} {
		dirs, problems := skill.Leaves(c.paths)
		if diff := cmp.Diff(c.want, dirs); diff != "" {
			t.Errorf("%s: Leaves(%.200q) (-want +got):\n%s", c.rule, c.paths, diff)
		}
		if diff := cmp.Diff(c.problems, words(problems)); diff != "" {
			t.Errorf("%s: problems of Leaves(%.200q) (-want +got):\n%s", c.rule, c.paths, diff)
		}
	}
}

// folders is a tree whose listings are written out. A node is written as its name behind a mark: "/" a folder, "@" a
// folder behind a link, "=" a file behind a link, "!" a link that must not be followed, "?" a link nobody followed,
// "x" an entry that cannot be read, none a file.
type folders map[string]struct {
	nodes string
	real  string
	err   error
}

func (f folders) read(dir string) (skill.Listing, error) {
	d, ok := f[dir]
	if !ok {
		return skill.Listing{}, fs.ErrNotExist
	}
	if d.err != nil {
		return skill.Listing{}, d.err
	}
	l := skill.Listing{Real: d.real}
	for word := range strings.FieldsSeq(d.nodes) {
		n := skill.Node{Name: word[1:]}
		switch word[0] {
		case '/':
			n.Kind = skill.Dir
		case '@':
			n.Kind, n.Linked = skill.Dir, true
		case '=':
			n.Linked = true
		case '!':
			n.Kind, n.Err = skill.Link, errors.New("leaves the project")
		case '?':
			n.Kind = skill.Link
		case 'x':
			n.Err = fs.ErrPermission
		default:
			n.Name = word
		}
		l.Nodes = append(l.Nodes, n)
	}
	return l, nil
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		tree     folders
		want     []string
		problems []string
	}{
		{
			rule:     "W6 the top",
			tree:     folders{},
			problems: []string{"unreadable "},
		},
		{
			rule: "W6 siblings go on",
			tree: folders{
				"":  {nodes: "/a /b /c xd xSKILL.md"},
				"a": {nodes: "SKILL.md"}, "b": {err: fs.ErrPermission}, "c": {nodes: "SKILL.md"},
			},
			want:     []string{"a", "c"},
			problems: []string{"unreadable SKILL.md", "unreadable b", "unreadable d"},
		},
		{
			rule: "W3 links that lead out or nowhere",
			tree: folders{
				"":  {nodes: "!out /a /b /c ?upstream"},
				"a": {nodes: "!SKILL.md"}, "b": {nodes: "?SKILL.md"}, "c": {nodes: "=SKILL.md !bundled"},
			},
			want:     []string{"c"},
			problems: []string{"link a/SKILL.md", "link b/SKILL.md", "link out"},
		},
		{
			rule: "W3 a folder counts under its real path, whatever comes first",
			tree: folders{
				"":    {nodes: "@a /z", real: "top"},
				"a":   {nodes: "SKILL.md", real: "top/z/s"},
				"z":   {nodes: "/s", real: "top/z"},
				"z/s": {nodes: "SKILL.md", real: "top/z/s"},
			},
			want:     []string{"z/s"},
			problems: []string{"duplicate a"},
		},
		{
			rule: "W3 the empty Real is the path",
			tree: folders{
				"": {nodes: "@a /z"}, "a": {nodes: "SKILL.md", real: "z"}, "z": {nodes: "SKILL.md"},
			},
			want:     []string{"z"},
			problems: []string{"duplicate a"},
		},
		{
			rule: "W3 cycles are cut",
			tree: folders{
				"":       {nodes: "/a", real: "top"},
				"a":      {nodes: "@loop /s @self", real: "top/a"},
				"a/s":    {nodes: "SKILL.md", real: "top/a/s"},
				"a/loop": {nodes: "/a", real: "top"},
				"a/self": {nodes: "@loop /s @self", real: "top/a"},
			},
			want:     []string{"a/s"},
			problems: []string{"duplicate a/loop", "duplicate a/self"},
		},
		{
			rule: "W3 what several links reach counts once, in order, nearer links first",
			tree: folders{
				"":       {nodes: "@b @a @c", real: "top"},
				"a":      {nodes: "@deep /s", real: "far/a"},
				"a/s":    {nodes: "SKILL.md", real: "far/a/s"},
				"a/deep": {nodes: "SKILL.md", real: "far/c"},
				"b":      {nodes: "SKILL.md", real: "far/a/s"},
				"c":      {nodes: "SKILL.md", real: "far/c"},
			},
			want:     []string{"a/s", "c"},
			problems: []string{"duplicate a/deep", "duplicate b"},
		},
		{
			rule: "W1 a bundle is not looked into",
			tree: folders{"": {nodes: "/a"}, "a": {nodes: "/sub SKILL.md !out xbad skill.md"}},
			want: []string{"a"},
		},
		{
			rule: "W2 not even read",
			tree: folders{"": {nodes: "/.git /.Git !.GIT /a"}, "a": {nodes: "SKILL.md"}},
			want: []string{"a"},
		},
	} {
		dirs, problems := skill.Walk(c.tree.read)
		if diff := cmp.Diff(c.want, dirs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
		if diff := cmp.Diff(c.problems, words(problems)); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s", c.rule, diff)
		}
	}
}

func TestReserved(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".git": true, ".GIT": true, ".Git": true, "git": false, ".github": false, ".gitignore": false, "": false,
	} {
		if got := skill.Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %v, want %v", name, got, want)
		}
	}
}

// W6: a problem says what the reader said.
func TestWalkProblemUnwraps(t *testing.T) {
	t.Parallel()
	_, problems := skill.Walk(folders{"": {nodes: "/b"}, "b": {err: fs.ErrPermission}}.read)
	if len(problems) != 1 || !errors.Is(problems[0], fs.ErrPermission) || problems[0].Error() != `"b": permission denied` {
		t.Errorf("problems = %v, want fs.ErrPermission at b", problems)
	}
}

// A tree without end stops at the bounds, and says so.
func TestWalkBounds(t *testing.T) {
	t.Parallel()
	t.Run("depth", func(t *testing.T) {
		t.Parallel()
		reads := 0
		dirs, problems := skill.Walk(func(string) (skill.Listing, error) {
			reads++
			return skill.Listing{Nodes: []skill.Node{{Name: "d", Kind: skill.Dir}}}, nil
		})
		if len(dirs) != 0 || len(problems) != 1 || problems[0].Code != skill.ProblemLimit || reads != skill.MaxWalkDepth+1 {
			t.Errorf("Walk = %v, %v after %d reads", dirs, problems, reads)
		}
	})
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		dirs, problems := skill.Walk(func(string) (skill.Listing, error) {
			return skill.Listing{Nodes: []skill.Node{{Name: "d", Kind: skill.Dir, Linked: true}}}, nil
		})
		if len(dirs) != 0 || len(problems) != 1 || problems[0].Code != skill.ProblemLimit {
			t.Errorf("Walk = %v, %v", dirs, problems)
		}
	})
	t.Run("nodes", func(t *testing.T) {
		t.Parallel()
		wide := make([]skill.Node, 1000)
		for i := range wide {
			wide[i] = skill.Node{Name: fmt.Sprintf("%03d", i), Kind: skill.Dir}
		}
		nodes := 0
		_, problems := skill.Walk(func(string) (skill.Listing, error) {
			nodes += len(wide)
			return skill.Listing{Nodes: wide}, nil
		})
		limits := 0
		for _, p := range problems {
			if strings.Contains(p.Error(), "200000 entries") {
				limits++
			}
		}
		if limits != 1 || nodes > skill.MaxWalkNodes+len(wide) {
			t.Errorf("read %d nodes, said so %d times", nodes, limits)
		}
	})
}

// W5: the count over a listing and the walk over what landed give the same set.
func TestLeavesAgreeWithWalk(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "a-b", "b", "SKILL.md", "x.md", ".git", ".claude", "é"}
	for range 50 {
		root := t.TempDir()
		var paths []string
		for range 1 + rng.IntN(20) {
			segs := make([]string, 1+rng.IntN(4))
			for i := range segs {
				segs[i] = names[rng.IntN(len(names))]
			}
			p := path.Join(segs...)
			full := filepath.Join(root, filepath.FromSlash(p))
			// A name that is a file already cannot be a folder too, and the other way round.
			if os.MkdirAll(filepath.Dir(full), 0o755) != nil || os.WriteFile(full, nil, 0o644) != nil {
				continue
			}
			paths = append(paths, p)
		}
		// Folders left empty by a refused file are no part of a listing, and hold no skill either.
		want, _ := skill.Leaves(paths)
		got, problems := skill.Walk(readDisk(root))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Walk over %q differs from Leaves (-leaves +walk), problems %v:\n%s", paths, problems, diff)
		}
	}
}

func readDisk(root string) func(string) (skill.Listing, error) {
	return func(dir string) (skill.Listing, error) {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return skill.Listing{}, err
		}
		var l skill.Listing
		for _, e := range entries {
			n := skill.Node{Name: e.Name()}
			if e.IsDir() {
				n.Kind = skill.Dir
			}
			l.Nodes = append(l.Nodes, n)
		}
		return l, nil
	}
}

// FuzzLeaves: the order of the list does not matter, the result is in byte order, no skill lies below another, none
// below .git, and each has its file in the list.
func FuzzLeaves(f *testing.F) {
	f.Add("a/SKILL.md\nb/SKILL.md\na/b/SKILL.md\nskill.md")
	f.Add(".git/SKILL.md\nSKILL.md/x\nx/SKILL.md/SKILL.md")
	f.Add("a-b/SKILL.md\na/x/SKILL.md\n//\n../SKILL.md")
	f.Fuzz(func(t *testing.T, list string) {
		paths := strings.Split(list, "\n")
		dirs, problems := skill.Leaves(paths)
		slices.Reverse(paths)
		again, problemsAgain := skill.Leaves(paths)
		if !slices.Equal(dirs, again) || !slices.Equal(words(problems), words(problemsAgain)) {
			t.Errorf("Leaves(%q) depends on the order: %q and %q", paths, dirs, again)
		}
		if !slices.IsSorted(dirs) || len(slices.Compact(slices.Clone(dirs))) != len(dirs) {
			t.Errorf("Leaves(%q) = %q, not in order or not unique", paths, dirs)
		}
		for _, d := range dirs {
			if !slices.Contains(paths, strings.TrimPrefix(d+"/SKILL.md", "/")) {
				t.Errorf("Leaves(%q) holds %q, which has no file", paths, d)
			}
			for seg := range strings.SplitSeq(d, "/") {
				if skill.Reserved(seg) {
					t.Errorf("Leaves(%q) went into %q", paths, d)
				}
			}
			for _, other := range dirs {
				if d == "" && len(dirs) > 1 || strings.HasPrefix(other, d+"/") {
					t.Errorf("Leaves(%q) holds %q and %q below it", paths, d, other)
				}
			}
		}
	})
}

func ExampleLeaves() {
	dirs, problems := skill.Leaves([]string{
		"README.md",
		"skills/pdf/SKILL.md",
		"skills/pdf/examples/form/SKILL.md",
		"skills/docx/skill.md",
	})
	fmt.Println(dirs)
	fmt.Println(problems)
	// Output:
	// [skills/pdf]
	// ["skills/docx/skill.md": found skill.md; a skill's file is called SKILL.md exactly]
}
