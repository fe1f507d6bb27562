package skill_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/skill"
)

// corpus returns the path of a file of the shared test data, and skips the test where there is none.
func corpus(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join("..", "..", "shared", "corpus", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no shared corpus beside the module: %v", err)
	}
	return path
}

// listing returns the paths of the regular files, and of the links and submodules, in the output of git ls-tree.
func listing(tb testing.TB, name string) (files, others []string) {
	tb.Helper()
	f, err := os.Open(corpus(tb, "listings/"+name+".lstree.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		meta, path, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			tb.Fatalf("listing line %q has no tab", lines.Text())
		}
		if strings.HasPrefix(meta, "100") {
			files = append(files, path)
		} else {
			others = append(others, path)
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return files, others
}

func TestCorpusIDs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(corpus(t, "ids.txt"))
	if err != nil {
		t.Fatal(err)
	}
	disk := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		id, err := skill.ParseID(line)
		if err != nil {
			t.Errorf("ParseID(%q): %v", line, err)
			continue
		}
		checkID(t, id)
		if got := id.String(); got != line {
			t.Errorf("ParseID(%q).String() = %q", line, got)
		}
		if r, err := skill.ParseRef(line); err != nil || r.ID != id {
			t.Errorf("ParseRef(%q) = %v, %v, want the same id", line, r.ID, err)
		}
		if prior, ok := disk[id.DiskPath()]; ok {
			t.Errorf("%q and %q share the disk path %q", prior, line, id.DiskPath())
		}
		disk[id.DiskPath()] = line
	}
	if len(disk) < 2000 {
		t.Errorf("read %d ids, want over 2000", len(disk))
	}
}

// W1, W4, W5: real listings of flat, nested, bundled and hidden collections.
func TestCorpusLeaves(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"ComposioHQ__awesome-claude-skills":                864,
		"jeremylongshore__claude-code-plugins-plus-skills": 3148,
		"microsoft__agent-skills":                          160,
		"sickn33__agentic-awesome-skills":                  6017,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, _ := listing(t, name)
			dirs, problems := skill.Leaves(files)
			if len(dirs) != want {
				t.Errorf("Leaves = %d skills, want %d", len(dirs), want)
			}
			for _, p := range problems {
				t.Errorf("problem: %s %v", p.Code, p)
			}
		})
	}
}

func BenchmarkLeaves(b *testing.B) {
	files, _ := listing(b, "sickn33__agentic-awesome-skills")
	double := make([]string, 0, 2*len(files))
	for _, f := range files {
		double = append(double, "first/"+f, "second/"+f)
	}
	b.ReportAllocs()
	for b.Loop() {
		if dirs, _ := skill.Leaves(double); len(dirs) != 2*6017 {
			b.Fatalf("Leaves = %d skills", len(dirs))
		}
	}
}
