package hub_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/hub"
)

// H4: who does not hold a token of the owner gets the answer for what is not there, byte for byte and header for
// header; who does gets the skill, marked private.
func TestMirrorPrivate(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	missing := m.get("/nobody/nothing")
	if missing.status != 404 || missing.body != "nothing stands here, or it is not for you to see\n" {
		t.Fatalf("%d %q", missing.status, missing.body)
	}
	missing.header.Del("Date")
	callers := []struct {
		name   string
		header []string
		reads  bool
	}{
		{"anonymous", nil, false},
		{"right token", []string{"Authorization", "Bearer s3cret-token"}, true},
		{"second token", []string{"Authorization", "bearer  second-token"}, true},
		{"wrong token", []string{"Authorization", "Bearer wrong"}, false},
		{"other owner's token", []string{"Authorization", "Bearer other-token"}, false},
		{"prefix of the token", []string{"Authorization", "Bearer s3cret"}, false},
		{"longer token", []string{"Authorization", "Bearer s3cret-token2"}, false},
		{"another case", []string{"Authorization", "Bearer S3CRET-TOKEN"}, false},
		{"another scheme", []string{"Authorization", "Basic s3cret-token"}, false},
		{"no scheme", []string{"Authorization", "s3cret-token"}, false},
		{"empty token", []string{"Authorization", "Bearer "}, false},
		{"huge token", []string{"Authorization", "Bearer " + strings.Repeat("x", 5000)}, false},
		{"two tokens", []string{"Authorization", "Bearer s3cret-token", "Authorization", "Bearer other-token"}, false},
		{"both in one", []string{"Authorization", "Bearer s3cret-token other-token"}, false},
	}
	rev := m.get("/secret/keys", "Authorization", "Bearer s3cret-token").etag()
	for _, c := range callers {
		for _, target := range []string{
			"/secret/keys", "/SECRET/keys", "/%73ecret/keys", "/secret/keys?files", "/secret/keys/token.txt", "/secret/keys?rev=" + rev,
			"/?prefix=secret/", "/?prefix=secret/keys/", "/?prefix=Secret/",
		} {
			a := m.get(target, c.header...)
			a.header.Del("Date")
			if c.reads {
				if a.status != 200 {
					t.Errorf("%s %s: %d", c.name, target, a.status)
				}
				wantHeaders(t, a, map[string]string{"Atskills-Visibility": "private", "Vary": "Authorization"})
				if !strings.HasPrefix(a.header.Get("Cache-Control"), "private, ") {
					t.Errorf("%s may be kept for others: %q", target, a.header.Get("Cache-Control"))
				}
			} else if diff := cmp.Diff(missing, a, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("%s %s: not as missing: %s", c.name, target, diff)
			}
		}
		if a := m.get("/acme/deploy", c.header...); a.status != 200 {
			t.Errorf("%s: a public skill is %d", c.name, a.status)
		}
	}
	a := m.get("/secret/none", "Authorization", "Bearer s3cret-token")
	a.header.Del("Date")
	if diff := cmp.Diff(missing, a, cmp.AllowUnexported(answer{})); diff != "" {
		t.Errorf("what its owner does not have: %s", diff)
	}
}

// H4: hidden stays hidden under every condition a request can carry.
func TestMirrorPrivateConditional(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	tag := m.get("/secret/keys", "Authorization", "Bearer s3cret-token").header.Get("ETag")
	for _, header := range [][]string{{"If-None-Match", tag}, {"If-None-Match", "*"}, {"Range", "bytes=0-1"}, {"If-Match", `"x"`}} {
		for _, method := range []string{"GET", "HEAD"} {
			hidden, missing := m.do(method, "/secret/keys", header...), m.do(method, "/secret/none", header...)
			hidden.header.Del("Date")
			missing.header.Del("Date")
			if diff := cmp.Diff(missing, hidden, cmp.AllowUnexported(answer{})); diff != "" || hidden.status != 404 {
				t.Errorf("%s with %s: %d %s", method, header, hidden.status, diff)
			}
		}
	}
}

// An owner without tokens exists for nobody, and an empty Authorization is nobody's token.
func TestMirrorClosedOwner(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newMirror(t, fsys, hub.HandlerOptions{Private: map[string][]string{"secret": nil}})
	for _, auth := range []string{"", "Bearer", "Bearer ", "Bearer x"} {
		if a := m.get("/secret/keys", "Authorization", auth); a.status != 404 {
			t.Errorf("%q: %d", auth, a.status)
		}
	}
}

// H5: a public playlist shows of a private skill what the list says, and nothing of the skill.
func TestMirrorListOfPrivate(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	fstest.Write(t, fsys, "", fstest.Tree{
		"acme/all.playlist":   "secret/keys\nsecret/none\nacme/deploy\n",
		"secret/own.playlist": "secret/keys\nother/vault\nacme/plan\n",
	})
	m := newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
	want := `[{"path":"hub:secret/keys","name":"keys","description":""},{"path":"hub:secret/none","name":"none","description":""},` +
		`{"path":"hub:acme/deploy","name":"deploy","description":"Deploys."}]` + "\n"
	for _, auth := range []string{"", "Bearer s3cret-token"} {
		if a := m.get("/?prefix=acme/all/", "Authorization", auth); a.body != want {
			t.Errorf("%q: %s", auth, a.body)
		}
	}
	want = `[{"path":"hub:secret/keys","name":"keys","description":"SECRET"},{"path":"hub:other/vault","name":"vault","description":""},` +
		`{"path":"hub:acme/plan","name":"plan","description":"Plans."}]` + "\n"
	if a := m.get("/?prefix=secret/own/", "Authorization", "Bearer s3cret-token"); a.body != want {
		t.Error(a.body)
	}
}

// X5: the log has method, path, status, bytes and duration, and never a token, wherever a caller puts it.
func TestMirrorLog(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate, Log: slog.New(slog.NewTextHandler(&log, nil))})
	m.get("/secret/keys?token=s3cret-token", "Authorization", "Bearer s3cret-token")
	m.get("/secret/keys", "Authorization", "Bearer wr0ng-token")
	m.get("/?prefix=acme/&access_token=s3cret-token")
	m.do("DELETE", "/a%0Ab")
	text := log.String()
	if strings.Contains(text, "s3cret") || strings.Contains(text, "wr0ng") {
		t.Errorf("a token is in the log:\n%s", text)
	}
	for _, want := range []string{
		"method=GET path=/secret/keys status=200 bytes=", "method=GET path=/secret/keys status=404 bytes=49",
		`path="/?prefix=acme/" status=200`, `method=DELETE path="/a\nb" status=405`, "duration=",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "msg=request"); n != 4 {
		t.Errorf("%d records of 4 requests:\n%s", n, text)
	}
}
