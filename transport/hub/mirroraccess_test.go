package hub_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

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

// folding is a disk that answers other spellings of its names.
type folding struct {
	billy.Filesystem
	same func(stored, asked string) bool
}

// stored returns name as the disk spells it, where it stands under another spelling alone.
func (f folding) stored(name string) string {
	at := ""
	for seg := range strings.SplitSeq(name, "/") {
		infos, _ := f.Filesystem.ReadDir(at) // of what is not there nothing is known
		found := seg
		for _, info := range infos {
			if info.Name() == seg {
				found = seg
				break
			}
			if f.same(info.Name(), seg) {
				found = info.Name()
			}
		}
		at = path.Join(at, found)
	}
	return at
}

func (f folding) Open(name string) (billy.File, error) { return f.Filesystem.Open(f.stored(name)) }

func (f folding) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	return f.Filesystem.OpenFile(f.stored(name), flag, perm)
}

func (f folding) Stat(name string) (os.FileInfo, error) { return f.Filesystem.Stat(f.stored(name)) }

func (f folding) Lstat(name string) (os.FileInfo, error) { return f.Filesystem.Lstat(f.stored(name)) }

func (f folding) ReadDir(name string) ([]os.FileInfo, error) {
	return f.Filesystem.ReadDir(f.stored(name))
}

// H4: a private owner is private under every spelling that a disk takes for its folder.
func TestMirrorPrivateSpellings(t *testing.T) {
	t.Parallel()
	exact := func(string, string) bool { return false }
	apfs := func(stored, asked string) bool {
		return strings.EqualFold(norm.NFD.String(stored), norm.NFD.String(asked))
	}
	ntfs := func(stored, asked string) bool {
		return strings.EqualFold(strings.TrimRight(stored, ". "), strings.TrimRight(asked, ". ")) ||
			stored == "secret" && strings.EqualFold(asked, "SECRET~1")
	}
	tests := []struct {
		name                   string
		same                   func(stored, asked string) bool
		private, folder, asked string
	}{
		{"folded letter", apfs, "secret", "secret", "%C5%BFecret"}, // U+017F is its own lower case, and folds to s
		{"decomposed", apfs, "caf\u00e9", "caf\u00e9", "cafe%CC%81"},
		{"decomposed folder", apfs, "caf\u00e9", "cafe\u0301", "cafe%CC%81"},
		{"decomposed folder, exact disk", exact, "caf\u00e9", "cafe\u0301", "cafe%CC%81"},
		{"composed folder, exact disk", exact, "cafe\u0301", "caf\u00e9", "caf%C3%A9"},
		{"dot behind", ntfs, "secret", "secret", "secret."},
		{"space behind", ntfs, "secret", "secret", "secret%20"},
		{"short name", ntfs, "secret", "secret", "SECRET~1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base := memfs.New()
			fstest.Write(t, base, "", fstest.Tree{tt.folder + "/keys/SKILL.md": mirrorSkill("keys", "SECRET")})
			m := newMirror(t, fsx.Locked(folding{base, tt.same}), hub.HandlerOptions{Private: map[string][]string{tt.private: {"token"}}})
			for _, target := range []string{"/%s/keys", "/%s/keys?files", "/%s/keys/SKILL.md", "/?prefix=%s/", "/?prefix=%s/keys/"} {
				if a := m.get(fmt.Sprintf(target, tt.asked)); a.status != 404 {
					t.Errorf("%s without a token: %d %q", target, a.status, a.body)
				}
			}
			if a := m.get("/"+url.PathEscape(tt.folder)+"/keys", "Authorization", "Bearer token"); a.status != 200 {
				t.Errorf("with the token: %d %q", a.status, a.body)
			}
		})
	}
}

// H4: hidden and missing are the same also while something at the top of the tree is being replaced.
func TestMirrorPrivateUnfinished(t *testing.T) {
	t.Parallel()
	interrupted(t, func(base billy.Filesystem, away bool) {
		if !away {
			return
		}
		below, err := base.Chroot("o")
		if err != nil {
			t.Fatal(err)
		}
		fsys := fsx.Locked(below)
		fstest.Write(t, fsys, "", mirrorTree)
		m := newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
		for _, target := range []string{"/%s/keys", "/%s/keys?files", "/%s/keys/token.txt", "/%s/keys?rev=x", "/?prefix=%s/", "/?prefix=%s/keys/"} {
			hidden, missing := m.get(fmt.Sprintf(target, "secret")), m.get(fmt.Sprintf(target, "nobody"))
			hidden.header.Del("Date")
			missing.header.Del("Date")
			if diff := cmp.Diff(missing, hidden, cmp.AllowUnexported(answer{})); diff != "" || hidden.status != 503 {
				t.Errorf("%s: %d, not as missing: %s", target, hidden.status, diff)
			}
		}
	})
}
