package transport_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// The digests of "hello\n", as git hash-object and sha256sum print them.
const (
	gitHello    = "git:ce013625030ba8dba906f756967f9e9ca394464a"
	sha256Hello = "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
)

func TestEntryMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hash, body string
		want       bool
	}{
		{gitHello, "hello\n", true},
		{gitHello, "hello", false},
		{gitHello, "", false},
		{sha256Hello, "hello\n", true},
		{sha256Hello, "Hello\n", false},
		{"", "hello\n", false},
		{"md5:b1946ac92492d2347c6235b4d2611184", "hello\n", false},
		{gitHello[len("git:"):], "hello\n", false},
	} {
		if got := (transport.Entry{Hash: c.hash}).Matches([]byte(c.body)); got != c.want {
			t.Errorf("%q matches %q = %t, want %t", c.hash, c.body, got, c.want)
		}
	}
}

func TestNewDigestUnknown(t *testing.T) {
	t.Parallel()
	for _, like := range []string{"", "md5:00", "GIT:00"} {
		if d, err := transport.NewDigest(like, 0); err == nil {
			t.Errorf("NewDigest(%q) = %v, want an error", like, d)
		}
	}
}

// C4: the text says what was asked, what came of it and what to do; both the kind and the cause below match.
func TestError(t *testing.T) {
	t.Parallel()
	err := error(&transport.Error{
		Op: "probe", URL: "https://github.com/acme/skills", Kind: transport.ErrNoAccess, Cause: transport.CauseNoAccess,
		Err: fs.ErrPermission, Hint: "set a token",
	})
	const want = "probe https://github.com/acme/skills: no access: permission denied (set a token)"
	if err.Error() != want {
		t.Errorf("text = %q, want %q", err, want)
	}
	if !errors.Is(err, transport.ErrNoAccess) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, transport.ErrNotFound) {
		t.Errorf("%v matches the wrong errors", err)
	}
	bare := error(&transport.Error{Op: "list", URL: "x", Kind: transport.ErrProtocol})
	if bare.Error() != "list x: unexpected answer" || !errors.Is(bare, transport.ErrProtocol) {
		t.Errorf("text = %q", bare)
	}
}

// F6: the error of a limit names the field that raises it.
func TestLimitError(t *testing.T) {
	t.Parallel()
	err := &transport.LimitError{What: "tree entries", Max: 7, Field: "Entries"}
	if got, want := err.Error(), "more than 7 tree entries (Limits.Entries raises this limit)"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
}

func TestLimitsWithDefaults(t *testing.T) {
	t.Parallel()
	if got := (transport.Limits{}).WithDefaults(); got != transport.DefaultLimits() {
		t.Errorf("zero limits become %+v", got)
	}
	want := transport.DefaultLimits()
	want.Depth, want.StallTimeout = 3, time.Second
	if got := (transport.Limits{Depth: 3, StallTimeout: time.Second}).WithDefaults(); got != want {
		t.Errorf("limits = %+v, want %+v", got, want)
	}
}

// F6: the limits of a transport come through wrappers; one that does not say keeps the defaults.
func TestLimitsOf(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.SetLimits(transport.Limits{FetchBytes: 7})
	want := transport.Limits{FetchBytes: 7}.WithDefaults()
	none := transport.DefaultLimits()
	gh, hub := parse(t, "gh:acme/skills"), parse(t, "hub:acme/deploy")
	for name, c := range map[string]struct {
		t       transport.Transport
		gh, hub transport.Limits
	}{
		"none":     {nil, none, none},
		"plain":    {plain{f}, none, none},
		"fake":     {f, want, want},
		"wrapped":  {transport.Memo(transporttest.NewCounter(f)), want, want},
		"by half":  {transport.Mux{Hub: f}, none, want},
		"by other": {transport.Memo(transport.Mux{GitHub: f, Hub: plain{f}}), want, none},
	} {
		if got := transport.LimitsOf(c.t, gh); got != c.gh {
			t.Errorf("%s: limits of %s are %+v", name, gh, got)
		}
		if got := transport.LimitsOf(c.t, hub); got != c.hub {
			t.Errorf("%s: limits of %s are %+v", name, hub, got)
		}
	}
}

// C4: the site of an id comes through wrappers; nothing configured is a site of its own.
func TestSiteOf(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.SetSite("https://hub.example")
	const at, none = "https://hub.example", transport.NoSite
	gh, hub := parse(t, "gh:acme/skills"), parse(t, "hub:acme/deploy")
	for name, c := range map[string]struct {
		t       transport.Transport
		gh, hub string
	}{
		"none":     {nil, none, none},
		"empty":    {transport.Memo(transport.Mux{}), none, none},
		"plain":    {plain{f}, "", ""},
		"wrapped":  {transport.Memo(transporttest.NewCounter(f)), at, at},
		"by half":  {transport.Mux{Hub: f}, none, at},
		"by other": {transport.Memo(transport.Mux{GitHub: plain{f}, Hub: f}), "", at},
	} {
		if got := transport.Site(c.t, gh); got != c.gh {
			t.Errorf("%s: the site of %s is %q, want %q", name, gh, got, c.gh)
		}
		if got := transport.Site(c.t, hub); got != c.hub {
			t.Errorf("%s: the site of %s is %q, want %q", name, hub, got, c.hub)
		}
	}
}
