package atskills_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// copiesOf makes a skill with n files of one body.
func copiesOf(body string, n int) map[string]transporttest.File {
	files := map[string]transporttest.File{"SKILL.md": {Body: skillText("bomb", "Grows.", "Body.")}}
	for i := range n {
		files[fmt.Sprintf("f%03d", i)] = transporttest.File{Body: body}
	}
	return files
}

// F6: equal bodies move once and count each time they land, whether upstream tells sizes (a hub) or not (git), and whether
// the body comes from upstream or from the disk. The error names the limit, and nothing is written.
func TestCopiesCountWhereTheyLand(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	kilobyte := strings.Repeat("x", 1<<10)
	for _, ref := range []string{"hub:acme/bomb", "gh:acme/bomb"} {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.fake.SetLimits(transport.Limits{FetchBytes: limit})
			name := strings.TrimPrefix(ref, "gh:")
			commit := func(files map[string]transporttest.File) {
				t.Helper()
				if _, err := w.fake.Commit(name, time.Time{}, files); err != nil {
					t.Fatal(err)
				}
			}
			refused := func(err error) {
				t.Helper()
				var passed *transport.LimitError
				if !errors.As(err, &passed) || passed.Field != "FetchBytes" || passed.Max != limit {
					t.Fatalf("error %v, want the limit of FetchBytes", err)
				}
			}
			commit(copiesOf(kilobyte, 64)) // the SKILL.md is what goes past it
			_, err := atskills.Resolve(t.Context(), w.env, ref)
			refused(err)
			if got := tree(t, w.env.Cache, ""); len(got) > 0 {
				t.Errorf("%d files in the cache", len(got))
			}
			if got := w.counter.Counts(); ref[:3] == "hub" && got.Bodies > 0 {
				t.Errorf("%d bodies moved although the sizes were known", got.Bodies)
			}
			noEnv := w.env
			noEnv.Cache = nil
			_, err = atskills.Resolve(t.Context(), noEnv, ref)
			refused(err)

			commit(map[string]transporttest.File{"f063": {Deleted: true}})
			if res := w.resolve(ref); len(res.Files) != 63 {
				t.Fatalf("%d files", len(res.Files))
			}
			before := tree(t, w.env.Cache, "")
			more := make(map[string]transporttest.File) // the body is on disk by now
			for i := range 64 {
				more[fmt.Sprintf("g%03d", i)] = transporttest.File{Body: kilobyte}
			}
			commit(more)
			res := w.resolve(ref)
			if res.Served != atskills.ServedStale || !hasWarning(res.Warnings, atskills.WarnRefresh, "Limits.FetchBytes") {
				t.Errorf("served %s, warnings %v", res.Served, res.Warnings)
			}
			if diff := cmp.Diff(before, tree(t, w.env.Cache, "")); diff != "" {
				t.Errorf("the old copy changed (-before +after):\n%s", diff)
			}
		})
	}
}

// F6: what the old copy holds already counts as well, although it does not move.
func TestKeptFilesCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.fake.SetLimits(transport.Limits{FetchBytes: 8 << 10})
	for _, kilobytes := range []int{6, 7, 9} {
		files := map[string]transporttest.File{"SKILL.md": {Body: skillText("kept", "Kept.", "Body.")}}
		for i := range kilobytes {
			files[fmt.Sprintf("f%d", i)] = transporttest.File{Body: strings.Repeat(fmt.Sprint(i), 1<<10)}
		}
		if _, err := w.fake.Commit("acme/kept", time.Time{}, files); err != nil {
			t.Fatal(err)
		}
		want := atskills.ServedFresh
		if kilobytes > 8 {
			want = atskills.ServedStale
		}
		if res := w.resolve("gh:acme/kept"); res.Served != want {
			t.Errorf("%d kilobytes: served %s, warnings %v", kilobytes, res.Served, res.Warnings)
		}
	}
}
