package transporttest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// mutant is a transport with one fault: each field, when set, replaces a part of an honest one.
type mutant struct {
	*transporttest.Fake
	head  func(ctx context.Context, id skill.ID) (transport.Head, error)
	since func(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error)
	rev   func(transport.Revision) transport.Revision
	ctx   func(context.Context) context.Context
	tree  func(transport.Snapshot, skill.ID) (transport.Tree, error)
	fetch func(context.Context, transport.Snapshot, []transport.Entry, put) error
}

type put = func(transport.Entry, io.Reader) error

type mutantSnapshot struct {
	transport.Snapshot
	m *mutant
}

func (m *mutant) Head(ctx context.Context, id skill.ID) (transport.Head, error) {
	if m.head != nil {
		return m.head(ctx, id)
	}
	return m.Fake.Head(ctx, id)
}

func (m *mutant) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	if m.since != nil {
		return m.since(ctx, id, known)
	}
	return m.Head(ctx, id)
}

func (m *mutant) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	if m.rev != nil {
		rev = m.rev(rev)
	}
	if m.ctx != nil {
		ctx = m.ctx(ctx)
	}
	s, err := m.Fake.Open(ctx, rev, ids...)
	if err != nil {
		return nil, err
	}
	return mutantSnapshot{s, m}, nil
}

func (s mutantSnapshot) Tree(id skill.ID) (transport.Tree, error) {
	if s.m.tree != nil {
		return s.m.tree(s.Snapshot, id)
	}
	return s.Snapshot.Tree(id)
}

func (s mutantSnapshot) Fetch(ctx context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	if s.m.ctx != nil {
		ctx = s.m.ctx(ctx)
	}
	if s.m.fetch != nil {
		return s.m.fetch(ctx, s.Snapshot, want, put)
	}
	return s.Snapshot.Fetch(ctx, want, put)
}

// mutants are faults, each with the cases of the suite that must find it.
var mutants = map[string]struct {
	cases []string
	make  func(*mutant)
}{
	"unchanged for ever": {[]string{"HeadSince"}, func(m *mutant) {
		m.since = func(_ context.Context, _ skill.ID, known transport.Known) (transport.Head, error) {
			return transport.Head{Revision: known.Revision}, nil
		}
	}},
	"one revision for ever": {[]string{"Head"}, func(m *mutant) {
		var once sync.Once
		var head transport.Head
		var err error
		m.head = func(ctx context.Context, id skill.ID) (transport.Head, error) {
			once.Do(func() { head, err = m.Fake.Head(ctx, id) })
			return head, err
		}
	}},
	"says nothing of a move": {[]string{"Moved"}, func(m *mutant) {
		m.head = func(ctx context.Context, id skill.ID) (transport.Head, error) {
			h, err := m.Fake.Head(ctx, id)
			h.Moved = ""
			return h, err
		}
	}},
	"calls every failure an outage": {[]string{"Unknown", "Empty", "Denied"}, func(m *mutant) {
		m.head = func(ctx context.Context, id skill.ID) (transport.Head, error) {
			h, err := m.Fake.Head(ctx, id)
			if err != nil {
				err = transport.ErrUnreachable
			}
			return h, err
		}
	}},
	"deaf to its context": {[]string{"Cancelled", "CancelledFetch"}, func(m *mutant) {
		m.ctx = context.WithoutCancel
	}},
	"newest revision whatever is asked": {[]string{"Pinned", "NoRevision"}, func(m *mutant) {
		m.rev = func(transport.Revision) transport.Revision { return transport.Revision(m.Tip("acme/skills")) }
	}},
	"entries out of order": {[]string{"Tree"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			slices.Reverse(t.Entries)
			return t, err
		}
	}},
	"no modes": {[]string{"Modes"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			for i := range t.Entries {
				t.Entries[i].Mode = transport.Regular
			}
			return t, err
		}
	}},
	"rows in byte order": {[]string{"hub/Playlist"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			slices.SortFunc(t.Rows, func(a, b transport.Row) int { return strings.Compare(a.Ref.ID.String(), b.Ref.ID.String()) })
			return t, err
		}
	}},
	"a row's slash is lost": {[]string{"hub/Playlist"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			for i := range t.Rows {
				t.Rows[i].Ref.Dir = false
			}
			return t, err
		}
	}},
	"public unless told otherwise": {[]string{"hub/Visibility"}, func(m *mutant) {
		m.head = func(ctx context.Context, id skill.ID) (transport.Head, error) {
			h, err := m.Fake.Head(ctx, id)
			if h.Visibility == "" {
				h.Visibility = transport.Public
			}
			return h, err
		}
	}},
	"silent about skipped names": {[]string{"Names"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			t.Skipped = nil
			return t, err
		}
	}},
	"nothing there is an empty folder": {[]string{"NoPath", "SeveralIDs"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, _ := s.Tree(id)
			return t, nil
		}
	}},
	"one hash for all folders": {[]string{"SameTree"}, func(m *mutant) {
		m.tree = func(s transport.Snapshot, id skill.ID) (transport.Tree, error) {
			t, err := s.Tree(id)
			t.Hash = "git:" + zeros
			return t, err
		}
	}},
	"altered bodies": {[]string{"Fetch", "Pinned"}, func(m *mutant) {
		m.fetch = func(ctx context.Context, s transport.Snapshot, want []transport.Entry, put put) error {
			return s.Fetch(ctx, want, func(e transport.Entry, r io.Reader) error {
				return put(e, io.MultiReader(r, strings.NewReader("\n")))
			})
		}
	}},
	"equal content once": {[]string{"Fetch"}, func(m *mutant) {
		m.fetch = func(ctx context.Context, s transport.Snapshot, want []transport.Entry, put put) error {
			seen := map[string]bool{}
			return s.Fetch(ctx, want, func(e transport.Entry, r io.Reader) error {
				if seen[e.Hash] {
					return nil
				}
				seen[e.Hash] = true
				return put(e, r)
			})
		}
	}},
	"everything whatever is asked": {[]string{"FetchSubset"}, func(m *mutant) {
		m.fetch = func(ctx context.Context, s transport.Snapshot, _ []transport.Entry, put put) error {
			id, err := skill.ParseID("gh:acme/skills/deploy")
			if err != nil {
				return err
			}
			t, err := s.Tree(id)
			return errors.Join(err, s.Fetch(ctx, t.Entries, put))
		}
	}},
	"goes on after an error": {[]string{"PutError"}, func(m *mutant) {
		m.fetch = func(ctx context.Context, s transport.Snapshot, want []transport.Entry, put put) error {
			return s.Fetch(ctx, want, func(e transport.Entry, r io.Reader) error {
				_ = put(e, r)
				return nil
			})
		}
	}},
}

// mutantVar names the fault that TestMutant has; only TestSuiteFindsFaults sets it.
const mutantVar = "TRANSPORTTEST_MUTANT"

func TestMutant(t *testing.T) {
	name, ok := os.LookupEnv(mutantVar)
	if !ok {
		t.Skip("is run by TestSuiteFindsFaults")
	}
	setup := transporttest.Setup{Conditional: true, New: func(_ *testing.T, u *transporttest.Upstream) transport.Transport {
		m := &mutant{Fake: transporttest.NewFake(u)}
		mutants[name].make(m)
		return m
	}}
	transporttest.Test(t, setup)
	t.Run("hub", func(t *testing.T) {
		setup.Hub, setup.Playlists, setup.Visibility = true, true, true
		transporttest.Test(t, setup)
	})
}

// The suite is run over faulty transports, in a process of its own for each, and must fail in the cases named.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range mutants {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestMutant$")
		cmd.Env = append(os.Environ(), mutantVar+"="+name)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err == nil {
			t.Errorf("a transport with the fault %q passes", name)
			continue
		}
		for _, c := range m.cases {
			if !strings.Contains(out.String(), "--- FAIL: TestMutant/"+c+" ") {
				t.Errorf("the fault %q is not found by %s:\n%s", name, c, out.String())
			}
		}
	}
}
