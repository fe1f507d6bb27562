package fsx_test

import (
	"fmt"
	"testing"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

func BenchmarkViewReadDir(b *testing.B) {
	for _, sys := range fstest.Systems() {
		for _, n := range []int{1, 16, 128, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", sys.Name, n), func(b *testing.B) {
				fsys := sys.New(b)
				tree := fstest.Tree{}
				for i := range n {
					tree[fmt.Sprintf("s%05d/", i)] = ""
				}
				fstest.Write(b, fsys, ".atskills/gh/owner/repo", tree)
				v := fsx.NewView(fsys, ".atskills", true)
				b.ReportAllocs()
				for b.Loop() {
					if d, err := v.ReadDir("gh/owner/repo"); err != nil || len(d.Entries) != n {
						b.Fatal(len(d.Entries), err)
					}
				}
			})
		}
	}
}

func BenchmarkReadFile(b *testing.B) {
	for _, sys := range fstest.Systems() {
		b.Run(sys.Name, func(b *testing.B) {
			fsys := sys.New(b)
			fstest.Write(b, fsys, ".atskills/gh/owner/repo/skill", fstest.Tree{"SKILL.md": string(make([]byte, 4<<10))})
			v := fsx.NewView(fsys, ".atskills", true)
			b.ReportAllocs()
			for b.Loop() {
				if data, err := v.ReadFile("gh/owner/repo/skill/SKILL.md", 1<<20); err != nil || len(data) != 4<<10 {
					b.Fatal(len(data), err)
				}
			}
		})
	}
}

func BenchmarkWriteFile(b *testing.B) {
	for _, sys := range fstest.Systems() {
		b.Run(sys.Name, func(b *testing.B) {
			fsys := sys.New(b)
			b.ReportAllocs()
			for b.Loop() {
				if err := fsx.WriteFile(fsys, ".atskills/.autotrigger", []byte("line\n"), 0o644); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A staged tree of n files becomes dest.
func BenchmarkReplace(b *testing.B) {
	for _, sys := range fstest.Systems() {
		for _, n := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("%s/%d", sys.Name, n), func(b *testing.B) {
				fsys := sys.New(b)
				tree := fstest.Tree{"SKILL.md": "1"}
				for i := range n - 1 {
					tree[fmt.Sprintf("f%03d", i)] = "x"
				}
				b.ReportAllocs()
				for b.Loop() {
					staged, err := fsx.Stage(fsys, "dest")
					if err != nil {
						b.Fatal(err)
					}
					fstest.Write(b, fsys, staged, tree)
					if err := fsx.Replace(fsys, staged, "dest", fsx.ReplaceOptions{Commit: "SKILL.md"}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
