package atskills_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// swept is a project with a skill of its own, a saved copy and a followed skill.
func swept(t *testing.T) *world {
	w := newWorld(t, tiny)
	w.env.Project = memfs.New()
	w.project(map[string]string{"team/mine/": "Mine.", "gh/acme/kit/deploy/": "Saved.", "gh/acme/kit/deploy/.source": "gh:acme/kit/deploy\n2026-01-01 rev:0\n"})
	w.trigger("team/", "@gh:acme/kit/deploy", "@gh:acme/kit/review")
	return w
}

// B6, W6: whichever call of a file system fails, the result is an error, or a block in which each skill has its row or a
// note says what happened to it or to a folder above.
func TestResidencyFaults(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(*world) *billy.Filesystem{
		"project": func(w *world) *billy.Filesystem { return &w.env.Project },
		"cache":   func(w *world) *billy.Filesystem { return &w.env.Cache },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fstest.Sweep(t, func(t *testing.T, n int) bool {
				w := swept(t)
				fsys := broken(w)
				var reached func() bool
				*fsys, reached = fstest.FailNth(*fsys, n)
				b, err := atskills.Residency(t.Context(), w.env)
				if err != nil {
					return reached()
				}
				checkBlock(t, b)
				for skill, above := range map[string][]string{
					"mine":   {".atskills/team/mine", ".atskills/team", ".atskills"},
					"deploy": {".atskills/gh/acme/kit/deploy", ".atskills/gh/acme/kit", ".atskills/gh/acme", ".atskills/gh", ".atskills"},
					"review": {"gh:acme/kit/review"},
				} {
					if !strings.Contains(b.Text, "\n- "+skill+": ") && !toldOf(b, above) {
						t.Errorf("%s is gone without a word: %q, notes %v", skill, b.Text, b.Notes)
					}
				}
				return reached()
			})
		})
	}
}

// toldOf reports whether a note is about one of places, or about what stands in the first.
func toldOf(b *atskills.Block, places []string) bool {
	for _, n := range b.Notes {
		for _, at := range places {
			if n.Path == at || n.ID.String() == at || strings.HasPrefix(n.Path, places[0]+"/") {
				return true
			}
		}
	}
	return false
}

// S8: wherever a save of a copy lost power, the block has the old copy's row or the new one's.
func TestResidencyAfterCrash(t *testing.T) {
	t.Parallel()
	step := 7
	if everyFault() {
		step = 1
	}
	for n := 1; n < 10_000; n += step {
		done := false
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, acme)
			w.env.Project = memfs.New()
			if _, err := atskills.Save(t.Context(), w.env, "gh:acme/kit/skills/review"); err != nil {
				t.Fatal(err)
			}
			w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads everything.", "b")})
			w.trigger("@gh:acme/kit/skills/review")
			disk := w.env.Project
			var reached func() bool
			w.env.Project, reached = fstest.LosePower(disk, n)
			_, err := atskills.Save(t.Context(), w.env, "gh:acme/kit/skills/review")
			done = !reached()
			if done && err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // the dead holder's lock is taken over
			w.env.Project = fsx.Locked(disk)
			b := w.block()
			if len(b.Rows) != 1 || !strings.Contains(b.Text, "/gh/acme/kit/skills/review/SKILL.md)") || b.Rows[0].Where != atskills.WhereSaved {
				t.Errorf("after a crash at call %d: %q, notes %v", n, b.Text, b.Notes)
			}
		})
		if t.Failed() || done {
			return
		}
	}
	t.Error("no end")
}
