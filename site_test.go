package atskills_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// tagged is an upstream whose every revision is called "1", as two hubs may call theirs. It fails the test when a probe
// says that the caller has something which upstream never served.
type tagged struct {
	*testing.T
	*transporttest.Fake
	served map[string]bool
}

func (u tagged) Head(ctx context.Context, id skill.ID) (transport.Head, error) {
	head, err := u.Fake.Head(ctx, id)
	if err == nil {
		head.Revision = "1"
	}
	return head, err
}

func (u tagged) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	if known.Revision != "" && !u.served[id.String()] {
		u.Errorf("%s: the probe says that another site's %+v is known", id, known)
	}
	return u.Head(ctx, id)
}

func (u tagged) Open(ctx context.Context, _ transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	u.served[ids[0].Origin().String()] = true
	head, err := u.Fake.Head(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	return u.Fake.Open(ctx, head.Revision, ids...)
}

// sites are two providers of everything, under one cache. Use makes one of them the project's.
type sites struct {
	*world
	ours, theirs tagged
}

func newSites(t *testing.T) *sites {
	w := newWorld(t, starter)
	up, err := transporttest.NewUpstream(strings.NewReplacer("Write it down.", "THEIRS", "Run scripts/run.sh.", "THEIRS").Replace(starter))
	if err != nil {
		t.Fatal(err)
	}
	s := &sites{world: w, ours: tagged{t, w.fake, make(map[string]bool)}, theirs: tagged{t, transporttest.NewFake(up), make(map[string]bool)}}
	s.ours.SetSite("https://ours.example")
	s.theirs.SetSite("https://theirs.example/hub")
	s.use(s.ours)
	return s
}

func (s *sites) use(u tagged) {
	s.counter = transporttest.NewCounter(u)
	s.env.Transport = transport.Memo(transport.Mux{GitHub: s.counter, Hub: s.counter})
}

// oursOf maps references whose content differs by site to what our site says.
var oursOf = map[string]string{notesRef: "Write it down.", deployRef: "Run scripts/run.sh."}

// C4, H3: what one site served is never the answer for another, although ids and revisions are equal, for no verb; nor is
// it a change. Each site's own answers stay right, however they take turns.
func TestSitesOfOneID(t *testing.T) {
	t.Parallel()
	for ref, ours := range oursOf {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			s := newSites(t)
			for range 2 {
				for _, turn := range []struct {
					site tagged
					want string
				}{{s.ours, ours}, {s.theirs, "THEIRS"}} {
					s.use(turn.site)
					clear(turn.site.served) // the entry is the other's by now
					res := s.resolve(ref)
					if res.Content != turn.want || res.Served != atskills.ServedFresh || len(res.Warnings) > 0 {
						t.Errorf("Resolve = %q served %s, warnings %v; want %q", res.Content, res.Served, res.Warnings, turn.want)
					}
					if res := s.resolve(ref); res.Content != turn.want || res.Served != atskills.ServedCached {
						t.Errorf("again: %q served %s", res.Content, res.Served)
					}
				}
			}
			s.use(s.ours)
			clear(s.ours.served)
			s.save(ref)
			name := ".atskills/" + ids(s.world, ref)[0].DiskPath() + "/SKILL.md"
			if got := fstest.Read(t, s.env.Project, "")[name]; !strings.Contains(got, ours) {
				t.Errorf("saved %q", got)
			}
		})
	}
}

// C4, C5: where a site has nothing, or does not answer, the copy of another is no fallback. It stays, and is the fallback
// of its own, and of nobody when no site is configured (H1).
func TestOtherSiteIsNoFallback(t *testing.T) {
	t.Parallel()
	for ref, ours := range oursOf {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			s := newSites(t)
			s.resolve(ref)
			before := fstest.Read(t, s.env.Cache, "")
			s.use(s.theirs)
			s.theirs.SetOffline(true)
			s.refuse(ref, atskills.ErrUnreachable)
			s.theirs.SetOffline(false)
			s.theirs.Remove(ids(s.world, ref)[0].Origin().String())
			s.refuse(ref, atskills.ErrNotFound)
			if diff := cmp.Diff(before, fstest.Read(t, s.env.Cache, "")); diff != "" {
				t.Errorf("the cache changed (-before +after):\n%s", diff)
			}
			s.ours.SetOffline(true)
			for name, of := range map[string]transport.Transport{"its own": s.ours, "none": nil, "no member": transport.Mux{}} {
				s.env.Transport = of
				if res := s.resolve(ref); res.Content != ours || res.Served != atskills.ServedStale {
					t.Errorf("%s: %q served %s", name, res.Content, res.Served)
				}
			}
		})
	}
}

// C4, X1, Z1: what asks no upstream goes by the site as well: approvals, the tree, completion.
func TestOtherSiteIsNotHeld(t *testing.T) {
	t.Parallel()
	s := newSites(t)
	s.trigger("@"+notesRef, "@"+skillsRef+"/")
	s.resolve(notesRef)
	s.resolve(skillsRef)
	s.approve(s.approval(deployRef, runScript))
	held := func(want bool) {
		t.Helper()
		_, err := atskills.NeedsApproval(t.Context(), s.env, notesRef, "pen.txt")
		if got := !errors.Is(err, atskills.ErrNotFound); got != want {
			t.Errorf("NeedsApproval: %v", err)
		}
		if got := s.readTree().On > 0; got != want {
			t.Errorf("%d skills are on in the tree", s.readTree().On)
		}
		if got := s.index(nil).Len() > 2; got != want { // the two lines themselves are known all the same
			t.Errorf("%d completions", s.index(nil).Len())
		}
	}
	held(true)
	s.use(s.theirs)
	held(false)
	s.resolve(skillsRef)
	if a := s.approval(deployRef, runScript); !a.Needed || a.State != atskills.ScriptSame {
		t.Errorf("the script of another site: %+v", a)
	}
}

// C10: an entry of another site neither answers for what is below it, nor is it whole with something of another in it.
func TestSitesBelowEachOther(t *testing.T) {
	t.Parallel()
	s := newSites(t)
	s.resolve("gh:acme/kit")
	s.use(s.theirs)
	if res := s.resolve(deployRef); res.Content != "THEIRS" {
		t.Errorf("below another's entry: %q served %s", res.Content, res.Served)
	}
	s.use(s.ours)
	for range 2 {
		s.resolve("gh:acme/kit")
		if res := s.resolve(deployRef); res.Content != oursOf[deployRef] {
			t.Errorf("below our entry: %q served %s", res.Content, res.Served)
		}
	}
}

// C3: entries of other clients say nothing of sites. Those of gh: ids are github.com's, and those of hub: ids are believed.
func TestSiteOfOtherClientsEntries(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]map[string]bool{
		notesRef:  {"": true, "https://ours.example": true},
		deployRef: {"": true, "https://ours.example": false},
	} {
		for site, believed := range want {
			s := newSites(t)
			s.ours.SetSite(site)
			s.ours.served[ids(s.world, ref)[0].String()] = true
			name := ids(s.world, ref)[0].DiskPath() + "/SKILL.md"
			write(t, s.env.Cache, map[string]string{name: skillText("x", "Written by another.", "OTHER CLIENT")})
			s.setMeta(ref, map[string]any{"id": ref, "revision": "1", "fetchedAt": "2026-01-01T00:00:00.000Z"})
			if got := s.resolve(ref).Content == "OTHER CLIENT"; got != believed {
				t.Errorf("%s read from %q: believed %v, want %v", ref, site, got, believed)
			}
		}
	}
}

// C10: bodies are the same wherever they come from, and do not move again.
func TestSitesShareBodies(t *testing.T) {
	t.Parallel()
	s := newSites(t)
	s.resolve(notesRef)
	s.use(s.theirs)
	s.resolve(notesRef)
	s.asked("the other site", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 1})
}

// B9: skills of one site are not what appeared or vanished on another.
func TestSitesDoNotDrift(t *testing.T) {
	t.Parallel()
	s := newSites(t)
	s.trigger("@" + skillsRef + "/")
	s.block()
	if _, err := s.theirs.Commit("acme/kit", time.Time{}, map[string]transporttest.File{"skills/deploy": {Deleted: true}}); err != nil {
		t.Fatal(err)
	}
	s.use(s.theirs)
	if drift := s.block().Drift; len(drift) > 0 {
		t.Errorf("drift %v", drift)
	}
}
