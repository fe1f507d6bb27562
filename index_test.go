package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func (w *world) index(old *atskills.Index, changed ...skill.ID) *atskills.Index {
	w.Helper()
	x, err := old.Refresh(w.Context(), w.env, changed...)
	if err != nil {
		w.Fatal(err)
	}
	return x
}

// completions shows each as "text | name | description | where".
func completions(found []atskills.Completion) []string {
	var out []string
	for _, c := range found {
		out = append(out, strings.Join([]string{c.Text, c.Name, c.Description, c.Where}, " | "))
	}
	return out
}

// Z1, Z2: what is offered is the project's skills and what its trigger file follows, each with description and place;
// upstream is never asked, and what the cache happens to hold beside is not offered.
func TestIndexOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- other/repo/SKILL.md --\n"+skillText("other", "Other.", ""))
	for _, ref := range []string{"gh:acme/kit/skills", "gh:other/repo"} {
		w.resolve(ref)
	}
	write(t, w.env.Project, map[string]string{
		".atskills/team/deploy/SKILL.md": skillText("ship it", "Ships\n  a build.", ""),
		".atskills/API Gateway/SKILL.md": "no frontmatter",
		".atskills/hub/Acme/x/SKILL.md":  skillText("x", "No reference leads here (G12).", ""),
		".atskills/.autotrigger": "# followed\nteam/\n@gh:acme/kit/skills/\n@gh:acme/kit/skills/deploy\n@gh:not/cached\n" +
			"@hub:none\n@gh:acme/kit/skills/\n",
	})
	w.counter.Reset()
	x := w.index(nil)
	want := []string{
		"@skills:API%20Gateway | API Gateway |  | .atskills/API Gateway",
		"@skills:team/deploy | ship it | Ships a build. | .atskills/team/deploy",
		"@skills:gh:acme/kit/skills | skills | 2 skills | followed, .autotrigger line 3",
		"@skills:gh:acme/kit/skills/deploy | deploy | Ships a build. | followed, .autotrigger line 3",
		"@skills:gh:acme/kit/skills/review | review | Reads a change. | followed, .autotrigger line 3",
		"@skills:gh:not/cached | cached |  | followed, .autotrigger line 5, not cached",
	}
	if diff := cmp.Diff(want, completions(x.Complete("", 0))); diff != "" {
		t.Errorf("everything (-want +got):\n%s", diff)
	}
	w.asked("an index and a completion", transporttest.Counts{})
	if x.Len() != len(want) {
		t.Errorf("Len = %d, want %d", x.Len(), len(want))
	}
}

// Z1, B1: where the project has copies of a followed id, those are offered.
func TestIndexOffersCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve("gh:acme/kit/skills")
	write(t, w.env.Project, map[string]string{
		".atskills/gh/acme/kit/skills/review/SKILL.md": skillText("review", "Mine.", ""),
		".atskills/.autotrigger":                       "@gh:acme/kit/skills/\n",
	})
	want := []string{
		"@skills:gh:acme/kit/skills/review | review | Mine. | .atskills/gh/acme/kit/skills/review",
		"@skills:gh:acme/kit/skills | skills | 1 skills | .atskills/gh/acme/kit/skills",
	}
	if diff := cmp.Diff(want, completions(w.index(nil).Complete("", 0))); diff != "" {
		t.Errorf("with a copy (-want +got):\n%s", diff)
	}
}

// Z1, H5: a followed playlist offers itself and its rows, each with its own id.
func TestIndexOffersPlaylist(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.resolve(listRef)
	write(t, w.env.Project, map[string]string{".atskills/.autotrigger": "@" + listRef + "/\n"})
	want := []string{
		"@skills:hub:acme/starter | starter | a playlist of 3 | followed, .autotrigger line 1",
		"@skills:gh:acme/kit/skills/review | review | Reads a change. | followed, .autotrigger line 1",
		"@skills:hub:acme/notes | notes | Takes notes. | followed, .autotrigger line 1",
		"@skills:gh:acme/kit/.claude | .claude |  | followed, .autotrigger line 1",
	}
	if diff := cmp.Diff(want, completions(w.index(nil).Complete("", 0))); diff != "" {
		t.Errorf("a playlist (-want +got):\n%s", diff)
	}
}

// Z2: prefix and segment matches come first, then fuzzy ones.
func TestCompleteOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	files := make(map[string]string)
	for _, dir := range []string{
		"deploy", "deploy-tools", "team/deploy", "team/redeploy", "ops/quick-deploy", "deployments/aws", "d/e/p/loy",
		"review", "gh/acme/kit/skills/depot", "été/plan", "API Gateway",
	} {
		files[".atskills/"+dir+"/SKILL.md"] = skillText("n", "D.", "")
	}
	files[".atskills/misc/thing/SKILL.md"] = skillText("Deploy helper", "D.", "")
	write(t, w.env.Project, files)
	x := w.index(nil)
	for _, c := range []struct {
		typed string
		want  []string
	}{
		{"deploy", []string{"deploy", "team/deploy", "deploy-tools", "misc/thing", "deployments/aws", "ops/quick-deploy", "team/redeploy", "d/e/p/loy"}},
		{"@skills:Deploy", []string{"deploy", "team/deploy", "deploy-tools", "misc/thing", "deployments/aws", "ops/quick-deploy", "team/redeploy", "d/e/p/loy"}},
		{"te/de", []string{"team/deploy", "team/redeploy"}},
		{"te/red", []string{"team/redeploy"}},
		{"acme/k", []string{"gh:acme/kit/skills/depot"}},
		{"gh/acme", []string{"gh:acme/kit/skills/depot"}},
		{"GH:AC", []string{"gh:acme/kit/skills/depot"}},
		{"é", []string{"été/plan"}},
		{"api%20g", []string{"API%20Gateway"}},
		{"api g", []string{"API%20Gateway"}},
		{"gate", []string{"API%20Gateway", "gh:acme/kit/skills/depot"}},
		{"rvw", []string{"review"}},
		{"zzz", nil},
		{"\xff", nil},
	} {
		var got []string
		for _, m := range x.Complete(c.typed, 0) {
			got = append(got, strings.TrimPrefix(m.Text, "@skills:"))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Complete(%q) (-want +got):\n%s", c.typed, diff)
		}
		for n := 1; n <= len(got); n++ {
			if first := x.Complete(c.typed, n); len(first) != n || first[n-1].Text != "@skills:"+got[n-1] {
				t.Errorf("Complete(%q, %d) = %q, want the first %d of %q", c.typed, n, completions(first), n, got)
			}
		}
	}
}

// Z1: a refreshed index shows what changed, opens nothing else, and leaves the old one as it was.
func TestIndexRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	disk := w.env.Project
	write(t, disk, map[string]string{
		".atskills/one/SKILL.md": skillText("one", "First.", ""), ".atskills/two/SKILL.md": skillText("two", "Second.", ""),
		".atskills/.autotrigger": "@gh:acme/kit/skills/review\n",
	})
	var mu sync.Mutex
	var opened []string
	watch := func(c fstest.Call) error {
		if c.Op == fstest.OpOpen && strings.HasSuffix(c.Name, atskills.SkillFile) {
			mu.Lock()
			defer mu.Unlock()
			opened = append(opened, c.Name)
		}
		return nil
	}
	w.env.Project, w.env.Cache = fstest.Hook(disk, watch), fstest.Hook(w.env.Cache, watch)
	old := w.index(nil)
	took := func(what string, want ...string) {
		t.Helper()
		slices.Sort(opened)
		if !slices.Equal(opened, want) {
			t.Errorf("%s opened %q, want %q", what, opened, want)
		}
		opened = nil
	}
	took("the first", ".atskills/one/SKILL.md", ".atskills/two/SKILL.md")
	write(t, disk, map[string]string{
		".atskills/one/SKILL.md": skillText("one", "Changed.", ""), ".atskills/two/SKILL.md": skillText("two", "Not told.", ""),
		".atskills/three/SKILL.md": skillText("three", "New.", ""),
	})
	w.resolve(reviewRef)
	opened = nil
	one, err := skill.ParseID("one")
	if err != nil {
		t.Fatal(err)
	}
	fresh := w.index(old, one)
	took("a refresh", ".atskills/one/SKILL.md", ".atskills/three/SKILL.md", "gh/acme/kit/skills/review/SKILL.md")
	want := []string{"Changed.", "New.", "Second.", "Reads a change."}
	var got []string
	for _, c := range fresh.Complete("", 0) {
		got = append(got, c.Description)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("descriptions (-want +got):\n%s", diff)
	}
	if got := completions(old.Complete("one", 1)); len(got) != 1 || !strings.Contains(got[0], "First.") || old.Len() != 3 {
		t.Errorf("the old index says %q, of %d", got, old.Len())
	}
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Moved on.", "")})
	w.resolve(reviewRef)
	opened = nil
	if got := completions(w.index(fresh).Complete("review", 1)); len(got) != 1 || !strings.Contains(got[0], "Moved on.") {
		t.Errorf("another revision in the cache: %q", got)
	}
	took("a refresh after a fetch", "gh/acme/kit/skills/review/SKILL.md")
}

// Z1: no project, no tree and no cache are an empty index; a broken environment is an error.
func TestIndexWithout(t *testing.T) {
	t.Parallel()
	for _, env := range []atskills.Env{{}, {Project: memfs.New()}} {
		x, err := atskills.NewIndex(t.Context(), env)
		if err != nil || x.Len() != 0 || x.Complete("x", 5) != nil {
			t.Errorf("NewIndex = %d, error %v", x.Len(), err)
		}
	}
	if x := (*atskills.Index)(nil); x.Len() != 0 || x.Complete("", 0) != nil {
		t.Error("the nil index offers something")
	}
	cache, err := memfs.New().Chroot("p/.atskills")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := atskills.NewIndex(t.Context(), atskills.Env{Cache: cache}); !errors.Is(err, atskills.ErrCacheInTree) {
		t.Errorf("NewIndex error = %v, want ErrCacheInTree", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{".atskills/x/SKILL.md": skillText("x", "X.", "")})
	if _, err := atskills.NewIndex(ctx, w.env); !errors.Is(err, context.Canceled) {
		t.Errorf("NewIndex error = %v, want the context's", err)
	}
}

// thousand is a project of n skills.
func thousand(t testing.TB, n int) *atskills.Index {
	t.Helper()
	fsys := fsx.Locked(memfs.New())
	for i := range n {
		name := fmt.Sprintf(".atskills/team-%02d/area-%d/skill-%04d/SKILL.md", i%40, i%7, i)
		if err := fsx.WriteFile(fsys, name, []byte(skillText(fmt.Sprintf("skill-%04d", i), "Does a thing.", "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := atskills.NewIndex(t.Context(), atskills.Env{Project: fsys})
	if err != nil || x.Len() != n {
		t.Fatalf("NewIndex = %d, error %v", x.Len(), err)
	}
	return x
}

// Z2: a completion costs two allocations, however many skills there are; asking from many goroutines is safe.
func TestCompleteAllocates(t *testing.T) {
	x := thousand(t, 1000)
	for _, typed := range []string{"skill-07", "te/sk", "s07", "zzz"} {
		if n := testing.AllocsPerRun(20, func() { x.Complete(typed, 20) }); n > 2 {
			t.Errorf("Complete(%q) allocates %v times, want at most 2", typed, n)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := x.Complete("skill-0007", 5); len(got) == 0 || got[0].ID.Base() != "skill-0007" {
				t.Errorf("Complete = %q", completions(got))
			}
		})
	}
	wg.Wait()
}

// Z2: no input makes a completion fail, and all that is offered fits.
func FuzzComplete(f *testing.F) {
	for _, s := range []string{"", "deploy", "@skills:te/de", "\xff", "//", "é", "gh:", ":", "%"} {
		f.Add(s)
	}
	x := thousand(f, 50)
	f.Fuzz(func(t *testing.T, typed string) {
		all := x.Complete(typed, 0)
		if some := x.Complete(typed, 7); !slices.Equal(some, all[:min(7, len(all))]) {
			t.Errorf("Complete(%q, 7) = %q, and all is %q", typed, completions(some), completions(all))
		}
	})
}

func BenchmarkComplete(b *testing.B) {
	for _, n := range []int{16, 1000, 10000} {
		x := thousand(b, n)
		for _, typed := range []string{"skill-00", "te/sk", "s0t7", "zzz"} {
			b.Run(fmt.Sprintf("%s/%d", typed, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x.Complete(typed, 20)
				}
			})
		}
	}
}
