package transport_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const upstream = `
-- acme/skills/deploy/SKILL.md --
Ships a build.
-- hub:acme/deploy/SKILL.md --
Ships a build, from the hub.
`

func newFake(t *testing.T) *transporttest.Fake {
	t.Helper()
	u, err := transporttest.NewUpstream(upstream)
	if err != nil {
		t.Fatal(err)
	}
	return transporttest.NewFake(u)
}

func parse(t *testing.T, text string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// plain hides the optional abilities of a transport.
type plain struct{ transport.Transport }

// failing is a member that answers every search with an error.
type failing struct {
	transport.Transport
	err error
}

func (f failing) Search(context.Context, string) ([]skill.ID, error) { return nil, f.err }

// pages is a member that knows its own pages.
type pages struct{ transport.Transport }

func (pages) WebURL(id skill.ID, _ transport.Revision) string { return "" }

// R9: a wrapper names the page of a member that knows none as the id does, and believes a member that says there is none.
func TestWebURL(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for name, tt := range map[string]struct {
		t    any
		id   string
		want string
	}{
		"mux":         {transport.Mux{GitHub: plain{f}}, "gh:o/r/x", "https://github.com/o/r/tree/abc/x"},
		"memo":        {transport.Memo(plain{f}), "gh:o/r/x", "https://github.com/o/r/tree/abc/x"},
		"hub":         {transport.Mux{Hub: plain{f}}, "hub:o/r", ""},
		"not there":   {transport.Mux{}, "gh:o/r/x", ""},
		"mux, none":   {transport.Mux{GitHub: pages{f}}, "gh:o/r/x", ""},
		"memo, none":  {transport.Memo(pages{f}), "gh:o/r/x", ""},
		"memo of mux": {transport.Memo(transport.Mux{GitHub: plain{f}}), "gh:o/r/x", "https://github.com/o/r/tree/abc/x"},
	} {
		p, ok := tt.t.(transport.WebPager)
		if !ok {
			t.Errorf("%s names no pages", name)
			continue
		}
		if got := p.WebURL(parse(t, tt.id), "abc"); got != tt.want {
			t.Errorf("%s: WebURL = %q, want %q", name, got, tt.want)
		}
	}
}

func TestMuxKeepsTheContract(t *testing.T) {
	t.Parallel()
	mux := func(_ *testing.T, u *transporttest.Upstream) transport.Transport {
		f := transporttest.NewFake(u)
		return transport.Mux{GitHub: f, Hub: f}
	}
	t.Run("gh", func(t *testing.T) { transporttest.Test(t, transporttest.Setup{New: mux, Conditional: true}) })
	hub := transporttest.Setup{New: mux, Hub: true, Conditional: true, Playlists: true, Visibility: true}
	t.Run("hub", func(t *testing.T) { transporttest.Test(t, hub) })
}

func TestMuxPicksByScheme(t *testing.T) {
	t.Parallel()
	github, hub := transporttest.NewCounter(newFake(t)), transporttest.NewCounter(newFake(t))
	mux := transport.Mux{GitHub: github, Hub: hub}
	for _, c := range []struct {
		id          string
		github, hub int
	}{
		{"gh:acme/skills/deploy", 1, 0},
		{"hub:acme/deploy", 0, 1},
	} {
		id := parse(t, c.id)
		head, err := mux.Head(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := mux.Open(t.Context(), head.Revision, id)
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		if _, err := mux.Branches(t.Context(), id); err != nil {
			t.Error(err)
		}
		if got, want := github.Reset(), (transporttest.Counts{Probes: c.github, Opens: c.github, Branches: c.github}); got != want {
			t.Errorf("%s: GitHub was asked %+v, want %+v", c.id, got, want)
		}
		if got, want := hub.Reset(), (transporttest.Counts{Probes: c.hub, Opens: c.hub, Branches: c.hub}); got != want {
			t.Errorf("%s: the hub was asked %+v, want %+v", c.id, got, want)
		}
	}
}

// H1: without a hub the error names the alternatives. G2: local ids reach no transport.
func TestMuxWithoutMember(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for _, c := range []struct {
		mux  transport.Mux
		id   string
		says []string
	}{
		{transport.Mux{GitHub: f}, "hub:acme/deploy", []string{"configure a hub", "gh: id", ".atskills/hub/acme/deploy"}},
		{transport.Mux{Hub: f}, "gh:acme/skills/deploy", []string{"gh:", ".atskills/gh/acme/skills/deploy"}},
		{transport.Mux{GitHub: f, Hub: f}, "team/deploy", []string{".atskills/team/deploy"}},
	} {
		id := parse(t, c.id)
		_, probe := c.mux.Head(t.Context(), id)
		_, list := c.mux.Open(t.Context(), "x", id)
		_, branches := c.mux.Branches(t.Context(), id)
		for _, err := range []error{probe, list, branches} {
			if !errors.Is(err, transport.ErrNotConfigured) {
				t.Errorf("%s: %v, want ErrNotConfigured", c.id, err)
				continue
			}
			for _, words := range append(c.says, c.id) {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%s: %q does not say %q", c.id, err, words)
				}
			}
		}
	}
}

func TestMuxOpenWantsOneOrigin(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	mux := transport.Mux{GitHub: f, Hub: f}
	for _, ids := range [][]skill.ID{
		nil,
		{parse(t, "gh:acme/skills/deploy"), parse(t, "hub:acme/deploy")},
		{parse(t, "gh:acme/skills/deploy"), parse(t, "gh:acme/other")},
	} {
		if snap, err := mux.Open(t.Context(), "x", ids...); err == nil || snap != nil {
			t.Errorf("Open(%v) = %v, %v, want an error", ids, snap, err)
		}
	}
}

func TestMuxForwardsAbilities(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	outage := errors.New("outage")
	both := []string{"gh:acme/skills/deploy", "hub:acme/deploy"}
	for _, c := range []struct {
		name string
		mux  transport.Mux
		want []string
		err  error
	}{
		{"each id once", transport.Mux{GitHub: f, Hub: f}, both, nil},
		{"hub only", transport.Mux{Hub: f}, both, nil},
		{"the other one can", transport.Mux{GitHub: f, Hub: plain{f}}, both, nil},
		{"a memo of one that cannot", transport.Mux{GitHub: f, Hub: transport.Memo(plain{f})}, both, nil},
		{"one fails", transport.Mux{GitHub: f, Hub: failing{f, outage}}, both, outage},
		{"none can", transport.Mux{GitHub: plain{f}, Hub: plain{f}}, nil, errors.ErrUnsupported},
		{"no hub", transport.Mux{GitHub: plain{f}}, nil, transport.ErrNotConfigured},
	} {
		ids, err := c.mux.Search(t.Context(), "ships build")
		var got []string
		for _, id := range ids {
			got = append(got, id.String())
		}
		if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: Search = %q, %v, want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
	id := parse(t, "gh:acme/skills")
	if got, err := (transport.Mux{GitHub: f}).Branches(t.Context(), id); err != nil || !slices.Equal(got, []string{"main"}) {
		t.Errorf("Branches = %q, %v", got, err)
	}
	if _, err := (transport.Mux{GitHub: plain{f}}).Branches(t.Context(), id); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Branches of a transport that cannot = %v, want %v", err, errors.ErrUnsupported)
	}
}
