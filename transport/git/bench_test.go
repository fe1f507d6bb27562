package git_test

import (
	"fmt"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// A listing of a whole collection of n skills with three files each.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1, 16, 128, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			files := map[string]transporttest.File{}
			for i := range n {
				dir := fmt.Sprintf("skills/%d/s%d/", i%50, i)
				files[dir+"SKILL.md"] = transporttest.File{Body: fmt.Sprint("---\nname: ", i)}
				files[dir+"run.sh"] = transporttest.File{Body: fmt.Sprint(i), Mode: transport.Executable}
				files[dir+"ref/x.md"] = transporttest.File{Body: fmt.Sprint("ref", i)}
			}
			u, err := transporttest.NewUpstream("")
			if err != nil {
				b.Fatal(err)
			}
			rev, err := u.Commit("o/r", head0, files)
			if err != nil {
				b.Fatal(err)
			}
			s, err := transporttest.NewServer(u)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			tr := git.New(git.Options{BaseURL: s.URL()})
			at := id(b, "gh:o/r")
			b.ReportAllocs()
			s.ResetStats()
			for b.Loop() {
				if got := listed(b, tr, rev, at); got != 3*n {
					b.Fatalf("%d entries, want %d", got, 3*n)
				}
			}
			total := s.Stats().Total()
			b.ReportMetric(float64(total.Requests)/float64(b.N), "requests/op")
			b.ReportMetric(float64(total.Sent)/float64(b.N), "wire-B/op")
		})
	}
}

func listed(b *testing.B, tr *git.Transport, rev string, at skill.ID) int {
	snap, err := tr.Open(b.Context(), transport.Revision(rev), at)
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(at)
	if err != nil {
		b.Fatal(err)
	}
	return len(tree.Entries)
}
