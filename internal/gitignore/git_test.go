package gitignore_test

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

// TestGit compares verdict and deciding line with git's on random lines and paths (T3, T4). ATSKILLS_GITIGNORE_CASES and
// ATSKILLS_GITIGNORE_SEED ask for more, or other, cases.
func TestGit(t *testing.T) {
	t.Parallel()
	cases := number(t, "ATSKILLS_GITIGNORE_CASES", 200_000)
	seed := uint64(number(t, "ATSKILLS_GITIGNORE_SEED", 1))
	git := newJudge(t)
	g := grammar{rand.New(rand.NewPCG(seed, 0)), runtime.GOOS != "linux"}
	var tally tally
	var trees int
	for done := 0; done < cases; {
		tree := "tree" + strconv.Itoa(trees)
		trees++
		paths, dirs := growTree(t, g, filepath.Join(git.dir, tree))
		for range 500 {
			lines, sources := g.rules(paths)
			asked := g.sample(paths, sources, lines)
			end := pick(g, "\n", "\n", "\n", "\r\n")
			wants := git.decide(t, tree, lines, asked, end)
			tally.compare(t, lines, asked, dirs, wants)
			done += len(asked)
			if tally.wrong > 10 {
				t.Fatalf("seed %d: too many differences", seed)
			}
			if done >= cases {
				break
			}
		}
	}
	t.Logf("seed %d: %d cases, %d decided by a line, %d ignored, %d by an ancestor, %d differences; git crashed %d times", seed, tally.cases, tally.decided, tally.ignored, tally.above, tally.wrong, git.crashes)
	if tally.decided < tally.cases/10 {
		t.Errorf("only %d of %d cases were decided by a line: the generator has lost touch with the paths", tally.decided, tally.cases)
	}
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

type tally struct{ cases, decided, ignored, above, wrong int }

// compare matches each path in both ways and holds it against git's verdict.
func (y *tally) compare(t *testing.T, lines, paths []string, dirs map[string]bool, wants []gitignore.Verdict) {
	t.Helper()
	rules := gitignore.New(lines)
	walk := rules.Walk()
	for i, path := range paths {
		dir := dirs[path]
		got, want := rules.Match(path, dir), wants[i]
		y.cases++
		if want.Line >= 0 {
			y.decided++
		}
		if want.Ignored {
			y.ignored++
		}
		if got.At != path && got.Line >= 0 {
			y.above++
		}
		if walked := walk.Match(path, dir); walked != got {
			y.wrong++
			t.Errorf("%q, %q (dir %t): Walk says %+v, Match %+v", lines, path, dir, walked, got)
		}
		if got.Line != want.Line || got.Ignored != want.Ignored {
			y.wrong++
			t.Errorf("%q, %q (dir %t): %+v, git says line %d, ignored %t", lines, path, dir, got, want.Line, want.Ignored)
			continue
		}
		if problem := inconsistent(rules, path, dir, got); problem != "" {
			y.wrong++
			t.Errorf("%q, %q (dir %t): %+v: %s", lines, path, dir, got, problem)
		}
	}
}

// inconsistent tells in what the parts of a verdict contradict each other; git does not tell At.
func inconsistent(rules *gitignore.Rules, path string, dir bool, v gitignore.Verdict) string {
	switch {
	case v.Line < 0 && (v.Ignored || v.At != ""):
		return "nothing decided, yet there is a verdict"
	case v.Line < 0:
		return ""
	case v.Ignored == rules.Negated(v.Line):
		return "the line says the opposite"
	case v.At != path && !strings.HasPrefix(path, v.At+"/"):
		return "At is neither the path nor an ancestor"
	case v.At != path && !v.Ignored:
		return "an ancestor that is taken back decides nothing"
	case !rules.Alone(v.Line, v.At, dir || v.At != path):
		return "the line does not match At"
	case rules.Match(v.At, dir || v.At != path) != v:
		return "At has another verdict"
	}
	return ""
}

// growTree makes directories below root. It returns the paths to ask about, which are all of them, as the disk lists them,
// and names that are none, and tells which are directories.
func growTree(t *testing.T, g grammar, root string) (paths []string, dirs map[string]bool) {
	t.Helper()
	for range 120 {
		// What a file system refuses is not asked about.
		_ = os.MkdirAll(filepath.Join(root, g.path()), 0o700)
	}
	dirs = make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		path, err = filepath.Rel(root, path)
		dirs[filepath.ToSlash(path)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.Sorted(maps.Keys(dirs))
	for _, path := range paths[:len(paths):len(paths)] {
		other := path + "/" + g.name()
		if g.chance(10) {
			other = path + "/" + g.path()
		}
		// Where letters do not differ by case a directory has several names.
		if _, err := os.Lstat(filepath.Join(root, other)); err != nil && g.chance(50) {
			paths = append(paths, other)
		}
	}
	return paths, dirs
}

// rules makes one file's lines, and tells which paths they were made from.
func (g grammar) rules(paths []string) (lines, sources []string) {
	count := pick(g, 1, 1, 1, 2, 3, 4, 6, 10, 20)
	for range count {
		source := pick(g, paths...)
		sources = append(sources, source)
		lines = append(lines, g.line(source))
	}
	if count == 1 && g.chance(50) {
		// Taken back: so no ancestor decides, and every path is a case of its own.
		lines[0] = "!" + strings.TrimPrefix(lines[0], "!")
	}
	return lines, sources
}

// sample picks the paths to ask about: those the lines were made from, some made from the lines, some at random, and some
// that seem to match.
func (g grammar) sample(paths, sources, lines []string) []string {
	rules := gitignore.New(lines)
	asked := slices.Compact(slices.Sorted(slices.Values(sources)))
	if !g.portable {
		for _, line := range lines {
			asked = append(asked, g.guess(line), g.guess(line))
		}
	}
	for _, i := range g.Perm(len(paths)) {
		likely := false
		for line := range lines {
			likely = likely || rules.Alone(line, paths[i], true)
		}
		if len(asked) < 15 || likely && len(asked) < 40 {
			asked = append(asked, paths[i])
		}
	}
	return asked
}
