package git_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

const secret = "s3cr3t-t0ken"

// locked makes s answer code to all requests without one of the passwords.
func locked(s *gittest.Server, code int, passwords ...string) {
	s.Front(func(w http.ResponseWriter, r *http.Request) bool {
		if _, got, ok := r.BasicAuth(); ok && slices.Contains(passwords, got) {
			return false
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(code)
		_, _ = w.Write([]byte("Repository\x1b not\r\nfound."))
		return true
	})
}

func cred(user, password string) git.Credential {
	return git.Credential{Username: user, Password: password}
}

// creds makes credentials of pairs.
func creds(pairs ...string) []git.Credential {
	var list []git.Credential
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, cred(pairs[i], pairs[i+1]))
	}
	return list
}

// sources is a CredentialFunc of fixed credentials that counts how often it was asked.
type sources struct {
	mu    sync.Mutex
	asked []string
	list  []git.Credential
}

func (s *sources) ask(_ context.Context, address *url.URL) iter.Seq2[git.Credential, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, address.String())
	return func(yield func(git.Credential, error) bool) {
		for _, c := range s.list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// X5: a public repository never makes anybody look for credentials.
func TestPublicNeverAsks(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	repo.Commit("main", oneSkill)
	var asked sources
	resolve(t, git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask}), "gh:o/r/skills/a")
	if len(asked.asked) > 0 {
		t.Errorf("credentials were looked for: %v", asked.asked)
	}
}

// F4: credentials are tried in order and once each, remembered for the host, and sent to private repositories alone.
func TestPrivateRepository(t *testing.T) {
	t.Parallel()
	for _, code := range []int{401, 403, 404} {
		s, repo := upstream(t)
		repo.Commit("main", oneSkill)
		locked(s, code, secret)
		asked := sources{list: creds("u", "wrong", "u", "wrong", "u", secret, "u", "never")}
		tr := git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask})
		if diff := cmp.Diff(oneSkillBodies, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
			t.Errorf("%d: bodies (-want +got):\n%s", code, diff)
		}
		var sent []string
		for _, r := range s.TakeLog() {
			sent = append(sent, password(r.Authorization))
		}
		if diff := cmp.Diff([]string{"", "wrong", secret, secret, secret}, sent); diff != "" {
			t.Errorf("%d: passwords sent (-want +got):\n%s", code, diff)
		}
		if diff := cmp.Diff([]string{s.URL + "/o/r"}, asked.asked); diff != "" {
			t.Errorf("%d: asked for (-want +got):\n%s", code, diff)
		}
		// Another repository of the host is asked for without them first, as it may be public.
		gittest.NewRepo(t, s.Root, "o/other").Commit("main", oneSkill)
		resolve(t, tr, "gh:o/other/skills/a")
		if log := s.TakeLog(); len(log) != 4 || log[0].Authorization != "" || password(log[1].Authorization) != secret {
			t.Errorf("%d: %d requests for another repository, want 4, the first without credentials", code, len(log))
		}
		if len(asked.asked) != 1 {
			t.Errorf("%d: looked for credentials %d times, want once", code, len(asked.asked))
		}
	}
}

func password(authorization string) string {
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(authorization, "Basic "))
	if err != nil {
		return "?"
	}
	_, p, _ := strings.Cut(string(b), ":")
	return p
}

// Credentials that stop working are dropped and never sent again.
func TestRevokedCredential(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	repo.Commit("main", oneSkill)
	locked(s, 401, "old")
	asked := sources{list: creds("u", "old")}
	tr := git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask})
	resolve(t, tr, "gh:o/r/skills/a")
	locked(s, 401, "new")
	if _, err := tr.Head(t.Context(), id(t, "gh:o/r")); !errors.Is(err, transport.ErrNoAccess) {
		t.Errorf("Head with a revoked credential = %v, want ErrNoAccess", err)
	}
	s.TakeLog()
	asked.mu.Lock()
	asked.list = append(asked.list, cred("u", "new"))
	asked.mu.Unlock()
	resolve(t, tr, "gh:o/r/skills/a")
	for _, r := range s.TakeLog() {
		if password(r.Authorization) == "old" {
			t.Error("a rejected credential was sent again")
		}
	}
}

// Ten probes of private repositories at once look for credentials one after the other, and find them remembered.
func TestConcurrentLookups(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	repo.Commit("main", oneSkill)
	locked(s, 401, secret)
	asked := sources{list: creds("u", secret)}
	tr := git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask})
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := tr.Head(context.Background(), id(t, "gh:o/r")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(asked.asked) != 1 {
		t.Errorf("looked for credentials %d times, want once", len(asked.asked))
	}
}

// C5: what a person is told when the answer is no.
func TestDenials(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code   int
		list   []git.Credential
		kind   error
		cause  transport.Cause
		words  string
		hinted bool
	}{
		{404, nil, transport.ErrNotFound, transport.CauseNotFound, "missing, or private and no credentials were found", true},
		{401, nil, transport.ErrNoAccess, transport.CauseNoAccess, "missing, or private and no credentials were found", true},
		{403, nil, transport.ErrNoAccess, transport.CauseNoAccess, "missing, or private and no credentials were found", true},
		{404, creds("u", secret), transport.ErrNotFound, transport.CauseNotFound, "missing or not visible to these credentials", false},
		{401, creds("u", secret), transport.ErrNoAccess, transport.CauseNoAccess, "missing or not visible to these credentials", false},
		{403, creds("u", secret), transport.ErrNoAccess, transport.CauseNoAccess, "missing or not visible to these credentials", false},
		{451, nil, transport.ErrNoAccess, transport.CauseNoAccess, "status 451", false},
		{410, nil, transport.ErrNotFound, transport.CauseNotFound, "status 410", false},
	}
	for _, tt := range tests {
		s := gittest.NewServer(t)
		locked(s, tt.code)
		asked := sources{list: tt.list}
		_, err := git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask}).Head(t.Context(), id(t, "gh:o/r"))
		var e *transport.Error
		if !errors.As(err, &e) || !errors.Is(err, tt.kind) || e.Cause != tt.cause || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%d: Head = %v, want %v with %q", tt.code, err, tt.kind, tt.words)
			continue
		}
		if (e.Hint != "") != tt.hinted || strings.Contains(err.Error(), secret) {
			t.Errorf("%d: hint %q", tt.code, e.Hint)
		}
		if strings.ContainsAny(err.Error(), "\x1b\r\n") || !strings.Contains(err.Error(), "Repository not found.") {
			t.Errorf("%d: the server's words are not one clean line: %q", tt.code, err)
		}
	}
}

// X5: a server that repeats what it was sent does not get it into an error, wherever it puts it.
func TestEchoedCredentials(t *testing.T) {
	t.Parallel()
	own := cred("token-as-name-"+secret, "x-oauth-basic")
	for _, c := range []git.Credential{cred("u", secret), own, cred(secret, ""), cred("u", secret+"/+ ")} {
		sent := base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
		for name, answer := range map[string]func(w http.ResponseWriter, words string){
			"status": func(w http.ResponseWriter, words string) {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, words)
			},
			"retry": func(w http.ResponseWriter, words string) {
				w.Header().Set("Retry-After", words)
				w.WriteHeader(http.StatusTooManyRequests)
			},
			"kind": func(w http.ResponseWriter, words string) { w.Header().Set("Content-Type", words) },
			"ERR": func(w http.ResponseWriter, words string) {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
				_, _ = w.Write(packet("", []byte("ERR "+words)))
			},
		} {
			user, pass := c.Username, c.Password
			for _, words := range []string{
				"you sent Basic " + sent, "user " + user + " with " + pass, "?access_token=" + url.QueryEscape(pass) + "&u=" + url.QueryEscape(user),
				strings.Repeat("w", 235-len("you sent")) + " " + sent, "\x1b" + sent[:5] + "\u200b" + sent[5:],
			} {
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					answer(w, words)
				}))
				asked := sources{list: []git.Credential{c}}
				_, err := git.New(git.Options{BaseURL: s.URL, Credentials: asked.ask}).Head(t.Context(), id(t, "gh:o/r"))
				s.Close()
				if err == nil {
					t.Fatalf("%s: no error", name)
				}
				for _, not := range []string{sent, secret, url.QueryEscape(secret + "/+ "), sent[:8]} {
					if strings.Contains(err.Error(), not) {
						t.Errorf("%s: Head = %v, which holds %q of what was sent", name, err, not)
					}
				}
			}
		}
	}
}

// X5: credentials follow a redirect to no other host, and are not sent over plain http to another machine.
func TestCredentialsStayHome(t *testing.T) {
	t.Parallel()
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("Authorization")+r.Header.Get("Cookie"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer thief.Close()
	s := gittest.NewServer(t)
	s.Front(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		http.Redirect(w, r, thief.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		return true
	})
	netrc := filepath.Join(t.TempDir(), "netrc")
	home, _ := url.Parse(s.URL)
	write(t, netrc, "default login u password "+secret+"\n")
	u := *home
	u.User = url.UserPassword("u", secret)
	tr := git.New(git.Options{BaseURL: u.String(), Host: git.Host{Getenv: env("NETRC", netrc, "GITHUB_TOKEN", secret)}})
	_, err := tr.Head(t.Context(), id(t, "gh:o/r"))
	if !errors.Is(err, transport.ErrNoAccess) || strings.Contains(err.Error(), secret) {
		t.Errorf("Head = %v, want ErrNoAccess without the secret", err)
	}
	if len(stolen) == 0 || slices.ContainsFunc(stolen, func(s string) bool { return s != "" }) {
		t.Errorf("the other host was sent %q", stolen)
	}

	asked := sources{list: creds("u", secret)}
	proxy := func(*http.Request) (*url.URL, error) { return url.Parse(thief.URL) }
	tr = git.New(git.Options{
		BaseURL: "http://git.example", Credentials: asked.ask,
		Client: &http.Client{Transport: &http.Transport{Proxy: proxy}},
	})
	_, err = tr.Head(t.Context(), id(t, "gh:o/r"))
	if !errors.Is(err, transport.ErrNoAccess) || !strings.Contains(err.Error(), "plain http") || len(asked.asked) > 0 {
		t.Errorf("Head over plain http = %v, asked %v", err, asked.asked)
	}
}

// X5: no way of printing a credential shows it.
func TestCredentialIsOpaque(t *testing.T) {
	t.Parallel()
	c := git.Credential{Username: "name-of-user", Password: secret}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c, "p", &c)
	j, err := json.Marshal(struct{ C git.Credential }{c})
	if err != nil {
		t.Fatal(err)
	}
	tr := git.New(git.Options{BaseURL: "https://name-of-user:" + secret + "@git.example"})
	for _, s := range []string{
		fmt.Sprintf("%v %+v %#v %s", tr, tr, tr, tr), fmt.Sprint(c), fmt.Sprint(&c), fmt.Sprintf("%v %+v %#v %s %q %x", c, c, c, c, c, c), log.String(), string(j),
		fmt.Sprintf("%+v", struct{ C *git.Credential }{&c}.C),
	} {
		if strings.Contains(s, secret) || strings.Contains(s, "name-of-user") {
			t.Errorf("printed as %q", s)
		}
	}
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// A source that fails is told about when nothing else works.
func TestFailingSource(t *testing.T) {
	t.Parallel()
	s := gittest.NewServer(t)
	locked(s, 401)
	tr := git.New(git.Options{BaseURL: s.URL, Credentials: func(context.Context, *url.URL) iter.Seq2[git.Credential, error] {
		return func(yield func(git.Credential, error) bool) {
			yield(git.Credential{}, errors.New("the keyring is locked"))
		}
	}})
	if _, err := tr.Head(t.Context(), id(t, "gh:o/r")); err == nil || !strings.Contains(err.Error(), "the keyring is locked") {
		t.Errorf("Head = %v, want the source's failure in it", err)
	}
}
