package toggle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/internal/trigger"
)

// BenchmarkPlan splits a folder's line out of a tree of n skills under a file of 50 lines, proof included.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{16, 128, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var skills []string
			for i := range n {
				skills = append(skills, fmt.Sprintf("team%02d/s%05d", i%16, i))
			}
			slices.Sort(skills)
			var file strings.Builder
			for i := range 49 {
				fmt.Fprintf(&file, "team%02d/s%05d\n", i%16, i)
			}
			file.WriteString("team03/\n")
			tree, f := toggle.NewTree(skills, 128), trigger.Parse([]byte(file.String()))
			for b.Loop() {
				s := selected(b, tree, f)
				e, err := toggle.Plan(b.Context(), s, tree.Find("team03/s00003"))
				if err != nil || len(e.Removed(f)) != 2 {
					b.Fatal(e, err)
				}
			}
		})
	}
}

// BenchmarkPlanOwnLines turns off a folder of n skills that each have a line.
func BenchmarkPlanOwnLines(b *testing.B) {
	for _, n := range []int{16, 128, 2_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var skills []string
			for i := range n {
				skills = append(skills, fmt.Sprintf("team/s%05d", i))
			}
			tree, f := toggle.NewTree(skills, 128), trigger.Parse([]byte(strings.Join(skills, "\n")))
			for b.Loop() {
				s := selected(b, tree, f)
				e, err := toggle.Plan(b.Context(), s, tree.Find("team"))
				if err != nil || len(e.Removed(f)) != n {
					b.Fatal(e, err)
				}
			}
		})
	}
}
