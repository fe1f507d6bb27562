package atskills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// largeProject has n skills and a trigger file of 50 lines.
func largeProject(t testing.TB, n int) billy.Filesystem {
	t.Helper()
	fsys := memfs.New()
	put := func(name, body string) {
		f, err := fsys.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		put(fmt.Sprintf(".atskills/team%02d/s%05d/SKILL.md", i%16, i), skillText(fmt.Sprintf("s%05d", i), "Numbered.", "Body."))
	}
	var lines strings.Builder
	for i := range 49 {
		fmt.Fprintf(&lines, "team%02d/s%05d\n", i%16, i)
	}
	put(triggerFile, lines.String()+"team03/\n")
	return fsys
}

// opens counts how often each file is opened.
type opens struct {
	billy.Filesystem
	of map[string]int
}

func (o *opens) Open(name string) (billy.File, error) {
	o.of[name]++
	return o.Filesystem.Open(name)
}

// V1, V3: a tree of 10,000 skills opens each SKILL.md once, and toggling one of them at most that one's.
func TestTreeOpens(t *testing.T) {
	t.Parallel()
	const n = 10_000
	project := &opens{largeProject(t, n), make(map[string]int)}
	env := atskills.Env{Project: project}
	tree, err := atskills.ReadTree(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Skills != n || len(tree.Rows) != n+16 || len(project.of) != n+1 {
		t.Errorf("%d skills in %d rows, %d files opened", tree.Skills, len(tree.Rows), len(project.of))
	}
	for name, times := range project.of {
		if times != 1 {
			t.Errorf("%s was opened %d times", name, times)
		}
	}
	clear(project.of)
	c, err := atskills.Toggle(t.Context(), env, "team03/s00003")
	if err != nil || len(c.Removed) != 2 || len(c.Written) != n/16-3 { // two have lines of their own
		t.Fatalf("removed %d lines, wrote %d, error %v", len(c.Removed), len(c.Written), err)
	}
	for name := range project.of {
		if strings.HasSuffix(name, "/SKILL.md") {
			t.Errorf("toggling opened %s", name)
		}
	}
}

func BenchmarkReadTree(b *testing.B) {
	for _, n := range []int{1, 16, 128, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			env := atskills.Env{Project: largeProject(b, n)}
			for b.Loop() {
				tree, err := atskills.ReadTree(b.Context(), env)
				if err != nil || tree.Skills != n {
					b.Fatal(tree, err)
				}
			}
		})
	}
}

// BenchmarkToggle turns a skill off and on again.
func BenchmarkToggle(b *testing.B) {
	for _, n := range []int{1, 16, 128, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			env := atskills.Env{Project: fsx.Locked(largeProject(b, n))}
			for b.Loop() {
				if _, err := atskills.Toggle(b.Context(), env, "team00/s00000"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLargeFile reads, judges and edits under a trigger file of about a megabyte, of lines of one kind.
func BenchmarkLargeFile(b *testing.B) {
	calls := map[string]func(atskills.Env) error{
		"Residency": func(env atskills.Env) error { _, err := atskills.Residency(b.Context(), env); return err },
		"ReadTree":  func(env atskills.Env) error { _, err := atskills.ReadTree(b.Context(), env); return err },
		"Lint":      func(env atskills.Env) error { _, err := atskills.Lint(b.Context(), env); return err },
		"Toggle":    func(env atskills.Env) error { _, err := atskills.Toggle(b.Context(), env, "b"); return err },
	}
	for kind, file := range map[string]string{
		"comments": strings.Repeat("#\n", 500_000),
		"blanks":   strings.Repeat("\n", 1_000_000),
		"repeats":  strings.Repeat("b\n", 20_000),
		"dead":     "a/\n" + strings.Repeat("!a/x\n", 3_000),
	} {
		for call, f := range calls {
			b.Run(kind+"/"+call, func(b *testing.B) {
				b.ReportAllocs()
				project := largeProject(b, 16)
				for _, name := range []string{"a/x", "b"} {
					write(b, project, map[string]string{".atskills/" + name + "/SKILL.md": skillText("s", "Does it.", "")})
				}
				write(b, project, map[string]string{triggerFile: file})
				for b.Loop() {
					if err := f(atskills.Env{Project: project}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
