package transporttest_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/transport/transporttest"
)

func TestOfflineAndBack(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	before := s.URL()
	post(t, s.URL()+"/acme/skills", probeRequest)
	for range 2 { // the second time changes nothing
		if err := s.SetOffline(true); err != nil {
			t.Fatal(err)
		}
	}
	_, err := http.Get(s.URL() + "/acme/skills/info/refs")
	if dial := new(net.OpError); !errors.As(err, &dial) || dial.Op != "dial" {
		t.Errorf("request while offline = %v, want a connection that is refused", err)
	}
	if err := s.SetOffline(false); err != nil {
		t.Fatal(err)
	}
	if s.URL() != before {
		t.Errorf("back on %s, was on %s", s.URL(), before)
	}
	if status, _ := post(t, s.URL()+"/acme/skills", probeRequest); status != http.StatusOK {
		t.Errorf("probe after coming back = %d", status)
	}
}

func TestPrivateRepositories(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	withUser := func(user, password string) string {
		u, err := url.Parse(s.URL() + "/acme/skills")
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return u.String()
	}
	for _, c := range []struct {
		name   string
		access *transporttest.Access
		url    string
		want   int
	}{
		{"anonymous", &transporttest.Access{User: "ann", Password: "pw"}, s.URL() + "/acme/skills", http.StatusUnauthorized},
		{"right", &transporttest.Access{User: "ann", Password: "pw"}, withUser("ann", "pw"), http.StatusOK},
		{"wrong password", &transporttest.Access{User: "ann", Password: "pw"}, withUser("ann", "no"), http.StatusUnauthorized},
		{"wrong user", &transporttest.Access{User: "ann", Password: "pw"}, withUser("bob", "pw"), http.StatusUnauthorized},
		{"any user", &transporttest.Access{Password: "token"}, withUser("x-access-token", "token"), http.StatusOK},
		{"hidden", &transporttest.Access{Password: "token", Hide: true}, s.URL() + "/acme/skills", http.StatusNotFound},
		{"hidden, right", &transporttest.Access{Password: "token", Hide: true}, withUser("x", "token"), http.StatusOK},
		{"public again", nil, s.URL() + "/acme/skills", http.StatusOK},
	} {
		if err := s.SetAccess("acme/skills", c.access); err != nil {
			t.Fatal(err)
		}
		if status, _ := post(t, c.url, probeRequest); status != c.want {
			t.Errorf("%s: status %d, want %d", c.name, status, c.want)
		}
		if c.access != nil && c.access.Hide {
			continue // git shows its credentials only to who asks for them
		}
		_, err := tryGit(t, t.TempDir(), "ls-remote", c.url)
		if (err == nil) != (c.want == http.StatusOK) {
			t.Errorf("%s: git ls-remote = %v", c.name, err)
		}
	}
}

func TestRenamedRepositoryRedirects(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, step := range [][2]string{{"acme/skills", "acme/second"}, {"acme/second", "new/name"}} {
		if err := s.Rename(step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := noRedirects().Get(s.URL() + "/acme/skills.git/info/refs?service=git-upload-pack")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	to, err := resp.Location()
	if err != nil || resp.StatusCode != http.StatusMovedPermanently ||
		to.String() != s.URL()+"/new/name.git/info/refs?service=git-upload-pack" {
		t.Errorf("redirect = %d to %v, %v", resp.StatusCode, to, err)
	}
	if status, _ := post(t, s.URL()+"/acme/skills", probeRequest); status != http.StatusMovedPermanently {
		t.Errorf("status of a POST = %d, want a redirect too", status)
	}
	got := git(t, t.TempDir(), "ls-remote", s.URL()+"/acme/skills", "HEAD")
	if !strings.HasPrefix(got, s.Tip("new/name")) {
		t.Errorf("git ls-remote of the old name = %q", got)
	}
}

func TestFilterFaults(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	tip := s.Tip("acme/skills")
	s.SetFaults(transporttest.Faults{IgnoreFilter: true})
	if _, n := fetch(t, s, "want "+tip, "deepen 1", "filter blob:none"); n != 8 {
		t.Errorf("a server that ignores the filter sent %d objects, want all 8", n)
	}
	s.SetFaults(transporttest.Faults{RefuseFilter: true})
	_, got := post(t, s.URL()+"/acme/skills", lines("command=fetch", "0001", "want "+tip, "filter blob:none", "done", "0000"))
	if !strings.Contains(got, "ERR unexpected line") {
		t.Errorf("a server without filters = %q", got)
	}
	// Git asks what is offered, and clones without.
	git(t, t.TempDir(), "clone", "-q", "--filter=blob:none", s.URL()+"/acme/skills", "c")
}

func TestVersion0Only(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	s.SetFaults(transporttest.Faults{V0Only: true})
	if _, got := post(t, s.URL()+"/acme/skills", probeRequest); !strings.Contains(got, "ERR upload-pack: protocol error") {
		t.Errorf("version 2 to a server without = %q", got)
	}
	git(t, t.TempDir(), "-c", "protocol.version=2", "clone", "-q", s.URL()+"/acme/skills", "c")
	git(t, t.TempDir(), "clone", "-q", "--filter=blob:none", "--no-checkout", s.URL()+"/acme/skills", "c")
}

func TestTruncatedAnswers(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	request := lines("command=fetch", "0001", "want "+s.Tip("acme/skills"), "done", "0000")
	_, whole := post(t, s.URL()+"/acme/skills", request)
	for _, abort := range []bool{false, true} {
		s.SetFaults(transporttest.Faults{Truncate: 100, Abort: abort})
		if _, got := post(t, s.URL()+"/acme/skills", request); got != whole[:100] {
			t.Errorf("truncated answer = %q, want %q", got, whole[:100])
		}
		if _, err := tryGit(t, t.TempDir(), "clone", "-q", s.URL()+"/acme/skills", "c"); err == nil {
			t.Error("git accepted a truncated answer")
		}
		if _, got := post(t, s.URL()+"/acme/skills", probeRequest); len(got) != 84 {
			t.Errorf("a probe is truncated too: %q", got)
		}
	}
}

func TestIntercept(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "busy")
		return true
	})
	if status, body := post(t, s.URL()+"/acme/skills", probeRequest); status != http.StatusServiceUnavailable || body != "busy" {
		t.Errorf("intercepted request = %d %q", status, body)
	}
	if got := s.Stats().ByKind[transporttest.KindOther]; got != (transporttest.Traffic{Requests: 1, Sent: 4}) {
		t.Errorf("intercepted traffic = %+v", got)
	}
	resp, err := http.Get(s.URL() + "/acme/skills/info/refs?service=git-upload-pack")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("a request that was let through = %d", resp.StatusCode)
	}
	s.Intercept(nil)
	if status, _ := post(t, s.URL()+"/acme/skills", probeRequest); status != http.StatusOK {
		t.Errorf("after the end of interception = %d", status)
	}
}
