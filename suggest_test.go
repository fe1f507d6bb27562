package atskills_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

// numbered returns n folders below prefix, in byte order.
func numbered(prefix string, n int) []string {
	dirs := make([]string, n)
	for i := range dirs {
		dirs[i] = fmt.Sprintf("%s/s%04d", prefix, i)
	}
	return dirs
}

// R6: the shallowest sub-collections that fit, past oversized ones, largest first then by path, one for each name.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		dirs []string
		want []atskills.Suggested
	}{
		{"the largest first, then by path",
			slices.Concat(numbered("a", 10), numbered("b", 120), numbered("c", 10)),
			[]atskills.Suggested{{"b", 120}, {"a", 10}, {"c", 10}}},
		{"exactly the cap fits, one more is descended past",
			slices.Concat(numbered("fits", 128), numbered("over/x", 64), numbered("over/y", 65)),
			[]atskills.Suggested{{"fits", 128}, {"over/y", 65}, {"over/x", 64}}},
		{"the shallowest: nothing inside a collection that fits",
			slices.Concat(numbered("a/x", 50), numbered("a/y", 50), numbered("b", 100)),
			[]atskills.Suggested{{"a", 100}, {"b", 100}}},
		{"one for each name, its shortest path",
			slices.Concat(numbered("big/docs", 90), numbered("big/other", 60), numbered("docs", 20)),
			[]atskills.Suggested{{"big/other", 60}, {"docs", 20}}},
		{"a folder of one skill is a single skill, and those come only without collections",
			slices.Concat([]string{"a/only"}, numbered("b", 130), []string{"c/x", "c/y"}),
			[]atskills.Suggested{{"c", 2}}},
		{"a name that continues another's",
			slices.Concat(numbered("a-b", 70), numbered("a", 70)),
			[]atskills.Suggested{{"a", 70}, {"a-b", 70}}},
	}
	for _, tt := range tests {
		slices.Sort(tt.dirs)
		if diff := cmp.Diff(tt.want, atskills.Suggest(tt.dirs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := atskills.Suggest(numbered("flat", 200)); len(got) != 200 || got[0] != (atskills.Suggested{Dir: "flat/s0000", Count: 1}) {
		t.Errorf("a flat folder suggests %d, first %v; want its 200 single skills", len(got), got[0])
	}
}

// R5, R6 over real listings: every suggestion fits, covers what it says, and none lies in another.
func TestSuggestionsOfRealListings(t *testing.T) {
	t.Parallel()
	for name, paths := range listings(t) {
		dirs, _ := skill.Leaves(paths)
		if len(dirs) <= atskills.MaxSkills {
			continue
		}
		got := atskills.Suggest(dirs)
		if len(got) == 0 {
			t.Errorf("%s: no suggestion for %d skills", name, len(dirs))
		}
		for i, s := range got {
			n := 0
			for _, d := range dirs {
				if d == s.Dir || strings.HasPrefix(d, s.Dir+"/") {
					n++
				}
			}
			if n != s.Count || n > atskills.MaxSkills {
				t.Errorf("%s: suggestion %q says %d, covers %d", name, s.Dir, s.Count, n)
			}
			for _, other := range got[i+1:] {
				if strings.HasPrefix(other.Dir, s.Dir+"/") {
					t.Errorf("%s: suggestion %q lies in %q", name, other.Dir, s.Dir)
				}
			}
		}
	}
}

// listings reads the file lists of real repositories from the shared corpus.
func listings(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../shared/corpus/listings/*.lstree.gz")
	if err != nil || len(files) == 0 {
		t.Skip("the corpus of real listings is not beside this checkout")
	}
	out := make(map[string][]string)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(z); lines.Scan(); {
			mode, path, ok := strings.Cut(lines.Text(), "\t")
			if ok && strings.HasPrefix(mode, "100") {
				out[filepath.Base(name)] = append(out[filepath.Base(name)], path)
			}
		}
	}
	return out
}
