package transport_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// C12: what was asked once is answered from memory, for every id of the origin, even after upstream changed or went.
func TestMemoRemembersProbes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	counter := transporttest.NewCounter(f)
	memo := transport.Memo(counter)
	first, err := memo.Head(t.Context(), parse(t, "gh:acme/skills/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	f.SetOffline(true)
	for _, text := range []string{"gh:acme/skills/deploy", "gh:acme/skills/other/path", "gh:acme/skills"} {
		if got, err := memo.Head(t.Context(), parse(t, text)); got != first || err != nil {
			t.Errorf("Head(%s) = %+v, %v, want %+v", text, got, err, first)
		}
	}
	if got := counter.Counts().Probes; got != 1 {
		t.Errorf("%d probes, want 1", got)
	}
	if _, err := memo.Head(t.Context(), parse(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("Head of another origin = %v, want ErrUnreachable", err)
	}
	if _, err := transport.Memo(counter).Head(t.Context(), parse(t, "gh:acme/skills")); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("Head of a new Memo = %v, want ErrUnreachable", err)
	}
}

func TestMemoForgetsFailures(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	memo := transport.Memo(f)
	id := parse(t, "gh:acme/skills")
	f.SetOffline(true)
	if _, err := memo.Head(t.Context(), id); !errors.Is(err, transport.ErrUnreachable) {
		t.Fatalf("Head = %v, want ErrUnreachable", err)
	}
	f.SetOffline(false)
	if head, err := memo.Head(t.Context(), id); err != nil || string(head.Revision) != f.Tip("acme/skills") {
		t.Errorf("Head after the outage = %+v, %v", head, err)
	}
}

// C5, C12: a no is an answer, and is remembered like one.
func TestMemoRemembersRefusedOrigins(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	counter := transporttest.NewCounter(f)
	memo := transport.Memo(counter)
	gone, closed := parse(t, "gh:no/body"), parse(t, "gh:acme/skills")
	if err := f.SetAccess("acme/skills", &transporttest.Access{User: "u", Password: "p"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := memo.Head(t.Context(), gone); !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("Head(%s) = %v, want ErrNotFound", gone, err)
		}
		if _, err := memo.Head(t.Context(), closed); !errors.Is(err, transport.ErrNoAccess) {
			t.Errorf("Head(%s) = %v, want ErrNoAccess", closed, err)
		}
	}
	if got := counter.Counts().Probes; got != 2 {
		t.Errorf("%d probes of two origins, want 2", got)
	}
}

// C12: what a caller concluded from a listing is kept for the session, through wrappers, and no more than has a bound.
func TestMemoKeepsRefusals(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ref, other := skill.Ref{ID: parse(t, "gh:acme/skills/x")}, skill.Ref{ID: parse(t, "hub:acme/x")}
	no := errors.New("no")
	memo := transport.Memo(f)
	if transport.Memo(memo) != memo {
		t.Error("the Memo of a Memo is another one")
	}
	mux := transport.Mux{GitHub: memo, Hub: f}
	outer := transport.Memo(mux).(transport.Rememberer)
	outer.Refuse(ref, no)
	outer.Refuse(other, no)
	for what, r := range map[string]transport.Rememberer{"the outer Memo": outer, "the Mux": mux, "the Memo of its member": memo.(transport.Rememberer)} {
		if err := r.Refusal(ref); err != no {
			t.Errorf("%s has %v for %s, want %v", what, err, ref.ID, no)
		}
		if err := r.Refusal(skill.Ref{ID: ref.ID, Branch: "b"}); err != nil {
			t.Errorf("%s has %v for a reference nobody refused", what, err)
		}
	}
	if err := outer.Refusal(other); err != no {
		t.Errorf("the outer Memo has %v for %s", err, other.ID)
	}
	if err := mux.Refusal(other); err != nil {
		t.Errorf("a Mux whose member cannot remember has %v", err)
	}
	kept := 0
	for i := range 5000 {
		ref := skill.Ref{ID: parse(t, fmt.Sprintf("gh:acme/skills/%d", i))}
		if outer.Refuse(ref, no); outer.Refusal(ref) != nil {
			kept++
		}
	}
	if kept == 0 || kept == 5000 {
		t.Errorf("kept %d of 5000", kept)
	}
}

// ask probes in the background and hands over the error.
func ask(ctx context.Context, t transport.Transport, id skill.ID) <-chan error {
	c := make(chan error, 1)
	go func() {
		_, err := t.Head(ctx, id)
		c <- err
	}()
	return c
}

// C11: who asks for an origin while it is being asked waits for that answer, be it yes or no.
func TestMemoSharesOneCall(t *testing.T) {
	t.Parallel()
	for _, offline := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			f.SetOffline(offline)
			release := make(chan struct{})
			f.Slow(release)
			counter := transporttest.NewCounter(f)
			memo := transport.Memo(counter)
			var waiting []<-chan error
			for range 8 {
				waiting = append(waiting, ask(t.Context(), memo, parse(t, "gh:acme/skills/deploy")))
			}
			other := ask(t.Context(), memo, parse(t, "hub:acme/deploy"))
			synctest.Wait()
			close(release)
			for _, c := range append(waiting, other) {
				if err := <-c; errors.Is(err, transport.ErrUnreachable) != offline || !offline && err != nil {
					t.Errorf("offline %t: Head = %v", offline, err)
				}
			}
			if got := counter.Counts().Probes; got != 2 {
				t.Errorf("offline %t: %d probes for two origins", offline, got)
			}
		})
	}
}

// A waiter whose context ends returns at once, while the call goes on for the others.
func TestMemoWaiterGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		release := make(chan struct{})
		f.Slow(release)
		memo := transport.Memo(f)
		id := parse(t, "gh:acme/skills")
		leader := ask(t.Context(), memo, id)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		waiter := ask(ctx, memo, id)
		synctest.Wait()
		cancel()
		if err := <-waiter; !errors.Is(err, context.Canceled) {
			t.Errorf("Head of the one who gave up = %v, want %v", err, context.Canceled)
		}
		close(release)
		if err := <-leader; err != nil {
			t.Errorf("Head of the one who stayed = %v", err)
		}
	})
}

// The one whose call it is may give up too: another of those who wait asks again, and its answer is remembered.
func TestMemoLeaderGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		release := make(chan struct{})
		f.Slow(release)
		counter := transporttest.NewCounter(f)
		memo := transport.Memo(counter)
		id := parse(t, "gh:acme/skills")
		ctx, cancel := context.WithCancel(t.Context())
		leader := ask(ctx, memo, id)
		synctest.Wait()
		var waiting []<-chan error
		for range 3 {
			waiting = append(waiting, ask(t.Context(), memo, id))
		}
		synctest.Wait()
		cancel()
		if err := <-leader; !errors.Is(err, context.Canceled) {
			t.Errorf("Head of the one who gave up = %v, want %v", err, context.Canceled)
		}
		synctest.Wait()
		close(release)
		for _, c := range waiting {
			if err := <-c; err != nil {
				t.Errorf("Head of one who waited = %v", err)
			}
		}
		if got := counter.Counts().Probes; got != 2 {
			t.Errorf("%d probes, want the abandoned one and one more", got)
		}
	})
}

// A call that panics leaves nobody waiting for ever.
func TestMemoLeaderPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		entered, boom := make(chan struct{}), make(chan struct{})
		f.Intercept(func(context.Context, string, skill.ID) error {
			close(entered)
			<-boom
			f.Intercept(nil)
			panic("boom")
		})
		memo := transport.Memo(f)
		id := parse(t, "gh:acme/skills")
		recovered := make(chan any, 1)
		go func() {
			defer func() { recovered <- recover() }()
			_, _ = memo.Head(t.Context(), id)
		}()
		<-entered
		waiter := ask(t.Context(), memo, id)
		synctest.Wait()
		close(boom)
		if got := <-recovered; got != "boom" {
			t.Errorf("recovered %v, want the panic of the call", got)
		}
		if err := <-waiter; err != nil {
			t.Errorf("Head of the one who waited = %v", err)
		}
	})
}

func TestMemoForwardsTheRest(t *testing.T) {
	t.Parallel()
	counter := transporttest.NewCounter(newFake(t))
	memo := transport.Memo(counter)
	id := parse(t, "gh:acme/skills/deploy")
	head, err := memo.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		snap, err := memo.Open(t.Context(), head.Revision, id)
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		names, err := memo.(transport.BranchLister).Branches(t.Context(), id)
		if err != nil || !slices.Equal(names, []string{"main"}) {
			t.Errorf("Branches = %q, %v", names, err)
		}
		found, err := memo.(transport.Searcher).Search(t.Context(), "ships")
		if err != nil || len(found) != 2 {
			t.Errorf("Search = %v, %v", found, err)
		}
	}
	if got, want := counter.Counts(), (transporttest.Counts{Probes: 1, Opens: 2, Branches: 2, Searches: 2}); got != want {
		t.Errorf("counts = %+v, want %+v", got, want)
	}
	bare := transport.Memo(plain{counter})
	if _, err := bare.(transport.BranchLister).Branches(t.Context(), id); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Branches of a transport that cannot = %v, want %v", err, errors.ErrUnsupported)
	}
	if _, err := bare.(transport.Searcher).Search(t.Context(), "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Search of a transport that cannot = %v, want %v", err, errors.ErrUnsupported)
	}
}
