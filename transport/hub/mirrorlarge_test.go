package hub_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// A file that is not held in memory comes whole, to many at once and whatever range is asked for; one beyond the limit does
// not come.
func TestMirrorLargeFiles(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	large := strings.Repeat("0123456789abcdef", 5<<14)
	fstest.Write(t, fsys, "acme/model", fstest.Tree{"SKILL.md": mirrorSkill("model", "Large."), "weights.bin": large})
	m := newMirror(t, fsys, hub.HandlerOptions{Limits: transport.Limits{BlobBytes: int64(len(large))}})
	rev := m.get("/acme/model").etag()
	done := make(chan error)
	const readers = 8
	for i := range readers {
		go func() {
			a, err := fetch(t.Context(), http.DefaultClient, m.url+"/acme/model/weights.bin?rev="+rev)
			if err == nil && (a.status != 200 || a.body != large) {
				err = fmt.Errorf("reader %d: %d, %d bytes", i, a.status, len(a.body))
			}
			done <- err
		}()
	}
	for range readers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	a := m.get("/acme/model/weights.bin", "Range", "bytes=1-3")
	if a.status != 200 || a.body != large || a.etag() != sha(large) {
		t.Errorf("a range: %d, %d bytes under %s", a.status, len(a.body), a.etag())
	}
	if a := m.get("/acme/model/weights.bin", "If-None-Match", a.header.Get("ETag")); a.status != 304 || a.body != "" {
		t.Errorf("unchanged: %d, %d bytes", a.status, len(a.body))
	}
	if a := m.do("HEAD", "/acme/model/weights.bin"); a.status != 200 || a.header.Get("Content-Length") != strconv.Itoa(len(large)) {
		t.Errorf("HEAD: %d %v", a.status, a.header)
	}
	fstest.Write(t, fsys, "acme/model", fstest.Tree{"weights.bin": large + "!"})
	if a := m.get("/acme/model/weights.bin"); a.status != 413 || strings.Contains(a.body, "weights") {
		t.Errorf("%d %.80q", a.status, a.body)
	}
}

// A file that changes between its digest and its last byte is cut off: nobody takes a mixture for the whole.
func TestMirrorLargeFileChanges(t *testing.T) {
	t.Parallel()
	before, after := strings.Repeat("before", 1<<16), strings.Repeat("behind", 1<<16)
	changes := map[string]string{"same size": after, "shorter": after[:1<<18], "much shorter": "", "longer": after + "!"}
	for name, text := range changes {
		for n := int32(1); n <= 3; n++ { // it is opened to be held, for its digest, and to be sent
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				t.Parallel()
				base := fsx.Locked(memfs.New())
				fstest.Write(t, base, "o/s", fstest.Tree{"SKILL.md": mirrorSkill("s", "Large."), "big.bin": before})
				var log syncBuffer
				m := newMirror(t, onOpen(base, "o/s/big.bin", n, func() {
					fstest.Write(t, base, "o/s", fstest.Tree{"big.bin": text})
				}), hub.HandlerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
				a, err := fetch(t.Context(), http.DefaultClient, m.url+"/o/s/big.bin")
				switch {
				case n == 3 && (err == nil || !strings.Contains(log.String(), "changed while it was sent")):
					t.Errorf("changed while it was sent: %d, %d bytes, log %s", a.status, len(a.body), log.String())
				case n < 3 && (err != nil || a.status != 200 || a.body != text || a.etag() != sha(text)):
					t.Errorf("changed before: %d, %d bytes under %s, %v", a.status, len(a.body), a.etag(), err)
				}
			})
		}
	}
}

// stuck is the connection of a client that does not read.
type stuck struct {
	http.ResponseWriter
	writes chan<- struct{}
	read   <-chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	s.writes <- struct{}{}
	<-s.read
	return 0, http.ErrHandlerTimeout
}

// Clients that do not read keep neither large files from others nor much memory, however many they are. It runs alone, to
// see the heap.
func TestMirrorUnreadAnswers(t *testing.T) {
	const clients, size = 32, 4 << 20
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", fstest.Tree{
		"o/n/SKILL.md": mirrorSkill("n", "Large."), "o/n/big.bin": strings.Repeat("x", size),
		"p/q/SKILL.md": mirrorSkill("q", "Large."), "p/q/mid.bin": strings.Repeat("y", size),
	})
	h, err := hub.Handler(fsys, hub.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(w http.ResponseWriter, target string) {
		defer func() { _ = recover() }() // the server ends such an answer by a panic of its own kind
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", target, nil))
	}
	before := heap()
	writes, read := make(chan struct{}), make(chan struct{})
	var asking sync.WaitGroup
	for range clients {
		asking.Go(func() { ask(&stuck{httptest.NewRecorder(), writes, read}, "/o/n/big.bin") })
	}
	for range clients {
		<-writes
	}
	if grown := int64(heap()) - int64(before); grown > clients*size/4 {
		t.Errorf("%d unread answers of %d bytes hold %d bytes", clients, size, grown)
	}
	w := httptest.NewRecorder()
	ask(w, "/p/q/mid.bin")
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), bytes.Repeat([]byte("y"), size)) {
		t.Errorf("beside them: %d, %d bytes", w.Code, w.Body.Len())
	}
	close(read)
	asking.Wait()
}

// All who ask for the list of one skill are sent the same bytes in memory.
func TestMirrorUnreadListings(t *testing.T) {
	const clients, files = 16, 2000
	tree := fstest.Tree{"o/n/SKILL.md": mirrorSkill("n", "Many.")}
	for i := range files {
		tree[fmt.Sprintf("o/n/f%04d", i)] = "x"
	}
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", tree)
	h, err := hub.Handler(fsys, hub.HandlerOptions{Now: func() time.Time { return mirrorDay }})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/o/n?files", nil))
	size := w.Body.Len()
	before := heap()
	writes, read := make(chan struct{}), make(chan struct{})
	var asking sync.WaitGroup
	for range clients {
		asking.Go(func() {
			h.ServeHTTP(&stuck{httptest.NewRecorder(), writes, read}, httptest.NewRequestWithContext(t.Context(), "GET", "/o/n?files", nil))
		})
	}
	for range clients {
		<-writes
	}
	if grown := int64(heap()) - int64(before); grown > int64(clients*size/4) {
		t.Errorf("%d unread listings of %d bytes hold %d bytes", clients, size, grown)
	}
	close(read)
	asking.Wait()
}
