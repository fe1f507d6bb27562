package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/hub"
)

const (
	loadClients = 64
	loadSkills  = 16
	loadOwn     = 2        // skills that each client uses
	loadGrowth  = 16 << 20 // bytes the heap may grow by, however long it runs
)

// loadTime is how long the load lasts: 2 s, or what ATSKILLS_LOAD says.
func loadTime(t *testing.T) time.Duration {
	text := os.Getenv("ATSKILLS_LOAD")
	if text == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("ATSKILLS_LOAD: %v", err)
	}
	return d
}

// The states of the mirror under load. A call that begins and ends in one of them has one right answer.
const (
	loadUp int32 = iota
	loadChanging
	loadDown
	loadAgain
)

// 64 clients read from one mirror while a writer replaces skills and the mirror is killed and started again in the
// middle. No call fails: while it is down each serves its stale copy and says so, and afterwards each recovers. No copy
// mixes two versions, and memory stays flat. See ATSKILLS_LOAD.
func TestMirrorLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("a load of seconds")
	}
	start := time.Now()
	l := newLoad(t)
	l.serve()
	clients := make([]*loadClient, loadClients)
	for i := range clients {
		clients[i] = l.client(i)
		clients[i].warm()
	}
	t.Logf("warm after %v", time.Since(start))
	before := heap()

	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	l.sawDown.Add(loadClients)
	l.sawAgain.Add(loadClients)
	var running sync.WaitGroup
	for _, c := range clients {
		running.Go(func() {
			if err := c.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	running.Go(func() { l.write(ctx) })
	half := loadTime(t) / 2
	if l.wait(ctx, time.After(half)) {
		l.phase.Store(loadChanging)
		l.kill()
		l.phase.Store(loadDown)
		l.waitAll(ctx, &l.sawDown)
		l.phase.Store(loadChanging)
		l.serve()
		l.phase.Store(loadAgain)
		l.waitAll(ctx, &l.sawAgain)
		l.wait(ctx, time.After(half))
	}
	cancel(errLoadOver)
	running.Wait()
	if err := context.Cause(ctx); !errors.Is(err, errLoadOver) {
		t.Fatal(err)
	}
	after := heap()
	t.Logf("%d resolves, %d requests, %d replacements; heap %d KiB, then %d KiB", l.calls.Load(), l.requests.Load(), l.writes.Load(), before>>10, after>>10)
	if after > before+loadGrowth {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	runtime.KeepAlive(clients)
}

var errLoadOver = errors.New("the load is over")

// load is one mirror, and what its clients do to it.
type load struct {
	*testing.T
	fs       billy.Filesystem
	server   *http.Server
	served   chan struct{} // closed when the server has ended
	addr     atomic.Value  // where it listens
	phase    atomic.Int32
	calls    atomic.Int64
	requests atomic.Int64
	writes   atomic.Int64
	replace  chan struct{} // tells the writer that some calls were made
	sawDown  sync.WaitGroup
	sawAgain sync.WaitGroup
}

func newLoad(t *testing.T) *load {
	l := &load{T: t, fs: fsx.OS(t.TempDir()), replace: make(chan struct{}, 1)}
	for i := range loadSkills {
		l.put(i, 0)
	}
	t.Cleanup(l.kill)
	return l
}

// put replaces skill i by a version, which each of its files names.
func (l *load) put(i int, version int64) {
	name := fmt.Sprintf("acme/s%02d", i)
	staged, err := fsx.Stage(l.fs, name)
	if err != nil {
		l.Error(err)
		return
	}
	text := fmt.Sprintf("version %d of %d", version, i)
	fstest.Write(l, l.fs, staged, fstest.Tree{
		"SKILL.md": mirrorSkill(path.Base(name), "Under load.") + text, "ref/a.md": text, "run.sh*": text, "big.bin": text + strings.Repeat(".", 4<<10),
	})
	if err := fsx.Replace(l.fs, staged, name, fsx.ReplaceOptions{Commit: atskills.SkillFile}); err != nil {
		l.Error(err)
	}
}

// write replaces skills in turn, whenever some calls were made.
func (l *load) write(ctx context.Context) {
	for n := int64(1); ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-l.replace:
			l.put(int(n%loadSkills), n)
			l.writes.Add(1)
		}
	}
}

// serve starts the mirror on a free port.
func (l *load) serve() {
	h, err := hub.Handler(l.fs, hub.HandlerOptions{})
	if err != nil {
		l.Fatal(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(l.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		l.Fatal(err)
	}
	l.server = hub.NewServer("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.requests.Add(1)
		h.ServeHTTP(w, r)
	}))
	l.served = make(chan struct{})
	go func() {
		defer close(l.served)
		_ = l.server.Serve(listener) // it always ends with an error
	}()
	l.addr.Store(listener.Addr().String())
}

// kill ends the mirror and cuts what is under way. Port 1 refuses connections, and nobody else can take it meanwhile.
func (l *load) kill() {
	l.addr.Store("127.0.0.1:1")
	_ = l.server.Close() // an error is about a connection that is cut anyway
	<-l.served
}

// wait waits for c, and reports whether the load goes on.
func (l *load) wait(ctx context.Context, c <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-c:
		return true
	}
}

func (l *load) waitAll(ctx context.Context, g *sync.WaitGroup) {
	all := make(chan time.Time)
	go func() { g.Wait(); close(all) }()
	l.wait(ctx, all)
}

// loadClient is one host, with a cache of its own.
type loadClient struct {
	*load
	n         int
	env       atskills.Env
	down      sync.Once
	recovered sync.Once
}

func (l *load) client(n int) *loadClient {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, l.addr.Load().(string))
	}
	wire := &http.Transport{DialContext: dial}
	l.Cleanup(wire.CloseIdleConnections)
	h, err := hub.New("http://127.0.0.1:80", hub.Options{Client: &http.Client{Transport: wire}, Sleep: noSleep})
	if err != nil {
		l.Fatal(err)
	}
	return &loadClient{load: l, n: n, env: atskills.Env{
		Project: fsx.Locked(memfs.New()), Cache: fsx.Locked(memfs.New()), Transport: h, Now: time.Now,
	}}
}

// warm fetches what the client will ask for.
func (c *loadClient) warm() {
	for i := range loadOwn {
		if _, err := atskills.Resolve(c.Context(), c.env, c.ref(i)); err != nil {
			c.Fatal(err)
		}
	}
}

// ref is the ith of the skills that this client uses.
func (c *loadClient) ref(i int) string {
	return fmt.Sprintf("hub:acme/s%02d", (c.n+i%loadOwn)%loadSkills)
}

func (c *loadClient) run(ctx context.Context) error {
	for i := 0; ctx.Err() == nil; i++ {
		if n := c.calls.Add(1); n%100 == 0 {
			select {
			case c.replace <- struct{}{}:
			default:
			}
		}
		begun := c.phase.Load()
		res, err := atskills.Resolve(ctx, c.env, c.ref(i))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("client %d: %w", c.n, err)
		}
		if err := c.judge(res, begun); err != nil {
			return fmt.Errorf("client %d, %s: %w", c.n, res.ID, err)
		}
	}
	return nil
}

// judge checks an answer to a call that began in a phase.
func (c *loadClient) judge(res *atskills.Resolution, begun int32) error {
	if err := c.whole(res); err != nil {
		return err
	}
	unreachable := false
	for _, w := range res.Warnings {
		unreachable = unreachable || w.Code == atskills.WarnStale
	}
	if c.phase.Load() != begun {
		return nil
	}
	switch {
	case begun == loadDown && !(unreachable && res.Served == atskills.ServedStale):
		return fmt.Errorf("%s while the mirror is down: %v", res.Served, res.Warnings)
	case begun == loadDown:
		c.down.Do(c.sawDown.Done)
	case unreachable && begun != loadChanging:
		return fmt.Errorf("%s while the mirror is up: %v", res.Served, res.Warnings)
	case begun == loadAgain && res.Served != atskills.ServedStale:
		c.recovered.Do(c.sawAgain.Done)
	}
	return nil
}

// whole checks that every file of the copy is of the version that SKILL.md names.
func (c *loadClient) whole(res *atskills.Resolution) error {
	at := strings.LastIndex(res.Content, "version ")
	if at < 0 || len(res.Files) != 3 {
		return fmt.Errorf("content %q with files %q", res.Content, res.Files)
	}
	want := strings.TrimSpace(res.Content[at:])
	for _, name := range res.Files {
		full := path.Join("hub", res.ID.Path(), name)
		got, err := fsx.ReadFile(c.env.Cache, full, -1)
		if err != nil || strings.TrimRight(string(got), ".") != want {
			return fmt.Errorf("%s is %.40q beside %q: %w", name, got, want, err)
		}
	}
	return nil
}

// heap returns the bytes in use after collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
