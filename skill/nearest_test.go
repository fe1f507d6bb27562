package skill_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	among := []string{
		"team-flows/deploy", "team-flows/release", "deploy-all", "pdf", "docs/pdf", "docs/pdf-forms", "api-gateway",
		"x", "y/x", "代码审查", "mcp_server", "archive/deploy",
	}
	for want, near := range map[string][]string{
		"deploy":              {"archive/deploy", "team-flows/deploy"},
		"Team-Flows/Deploy":   {"team-flows/deploy", "archive/deploy"},
		"team-flow/deploy":    {"team-flows/deploy", "archive/deploy"},
		"depoly":              {"archive/deploy", "team-flows/deploy"},
		"team-flows/releases": {"team-flows/release"},
		"mcp-server":          {"mcp_server"},
		"api gateway":         {"api-gateway"},
		"pfd":                 {"pdf", "docs/pdf"},
		"pd":                  {"pdf", "docs/pdf"},
		"代码审":                 {"代码审查"},
		"terraform":           nil,
		"":                    nil,
	} {
		if diff := cmp.Diff(near, skill.Nearest(want, among, 2)); diff != "" {
			t.Errorf("Nearest(%q) (-want +got):\n%s", want, diff)
		}
	}
}

// The answer depends on the set of candidates, not on their order or number.
func TestNearestIsDeterministic(t *testing.T) {
	t.Parallel()
	var among []string
	for i := range 200 {
		among = append(among, fmt.Sprintf("group-%d/skill-%d", i%7, i))
	}
	want := skill.Nearest("skill-17", among, 5)
	if len(want) != 5 || want[0] != "group-3/skill-17" {
		t.Errorf("Nearest = %q", want)
	}
	slices.Reverse(among)
	if diff := cmp.Diff(want, skill.Nearest("skill-17", append(among, among...), 5)); diff != "" {
		t.Errorf("reversed and doubled (-want +got):\n%s", diff)
	}
	if got := skill.Nearest("skill-17", among, 0); got != nil {
		t.Errorf("Nearest with max 0 = %q", got)
	}
}

// FuzzNearest: what is near agrees with a distance computed in full.
func FuzzNearest(f *testing.F) {
	f.Add("deploy", "depoly")
	f.Add("a/bcdefghijklm", "bcdefghijk")
	f.Add("abcdefghijkl/mnopqr", "badcfehgjilk/nmopqr")
	f.Add("é", "e")
	f.Fuzz(func(t *testing.T, want, path string) {
		if len(want) > 100 || len(path) > 100 {
			return
		}
		got := skill.Nearest(want, []string{path}, 1)
		if near := isNear(want, path); near != (len(got) == 1) {
			t.Errorf("Nearest(%q, %q) = %q, want near: %v", want, path, got, near)
		}
	})
}

// isNear says whether path is an answer for want, by the plain definition.
func isNear(want, path string) bool {
	want, path = strings.ToLower(want), strings.ToLower(path)
	base := want[strings.LastIndexByte(want, '/')+1:]
	other := path[strings.LastIndexByte(path, '/')+1:]
	forgiven := min(len([]rune(base))/4+1, 4)
	return want != "" && min(distance(want, path), distance(base, other)) <= forgiven
}

// distance is the number of edits and swaps between a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case x[i-1] == y[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

func BenchmarkNearest(b *testing.B) {
	among := make([]string, 20_000)
	for i := range among {
		among[i] = fmt.Sprintf("collections/group-%d/skill-with-a-name-%d", i%97, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		if got := skill.Nearest("group-9/skill-with-a-nmae-1234", among, 3); len(got) != 3 {
			b.Fatalf("Nearest = %q", got)
		}
	}
}
