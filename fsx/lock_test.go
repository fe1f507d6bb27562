package fsx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

const lockName = "d/.autotrigger.lock"

func TestLock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		unlock, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{})
		must(t, err)
		_, err = fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Wait: -1})
		locked := (*fsx.LockedError)(nil)
		if !errors.Is(err, fsx.ErrLocked) || !errors.As(err, &locked) || locked.Name != lockName ||
			!strings.Contains(err.Error(), lockName) {
			t.Errorf("second Lock = %v, want a LockedError that names the file", err)
		}
		must(t, unlock())
		must(t, unlock())
		wantTree(t, fsys, "d", fstest.Tree{})
		again, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Wait: -1, Takeover: true})
		must(t, err)
		must(t, unlock()) // an unlock of long ago does nothing to the present holder
		if fstest.Read(t, fsys, "d")[".autotrigger.lock"] == "" {
			t.Error("the lock is gone")
		}
		must(t, again())
		wantTree(t, fsys, "d", fstest.Tree{})
	})
}

// C7, T6: of many goroutines one at a time holds the lock, and every edit survives.
func TestLockExcludes(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := sys.New(t)
		if !sys.Disk {
			fsys = fsx.Locked(fsys)
		}
		must(t, fsx.WriteFile(fsys, "n", nil, 0o644))
		var all sync.WaitGroup
		var holders atomic.Int32
		for range 4 {
			all.Go(func() {
				for range 5 {
					unlock, err := fsx.Lock(t.Context(), fsys, "lock", fsx.LockOptions{Wait: time.Hour, Poll: time.Millisecond})
					if err != nil {
						t.Error(err)
						return
					}
					if n := holders.Add(1); n != 1 {
						t.Errorf("%d holders", n)
					}
					data, err := fsx.ReadFile(fsys, "n", 99)
					err = errors.Join(err, fsx.WriteFile(fsys, "n", append(data, 'x'), 0o644))
					holders.Add(-1)
					if err = errors.Join(err, unlock()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		wantTree(t, fsys, "", fstest.Tree{"n": strings.Repeat("x", 20)})
	})
}

// The same among processes: this test runs itself.
func TestLockAmongProcesses(t *testing.T) {
	const variable, each = "FSX_TEST_LOCK_DIR", 5
	if dir := os.Getenv(variable); dir != "" {
		fsys := fsx.OS(dir)
		for range each {
			unlock, err := fsx.Lock(t.Context(), fsys, "lock", fsx.LockOptions{Wait: time.Hour, Poll: time.Millisecond, Takeover: true})
			must(t, err)
			data, err := fsx.ReadFile(fsys, "n", 99)
			must(t, err)
			must(t, fsx.WriteFile(fsys, "n", append(data, 'x'), 0o644))
			must(t, unlock())
		}
		return
	}
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Skip("no way to run this test again")
	}
	fsys := fsx.OS(t.TempDir())
	must(t, fsx.WriteFile(fsys, "n", nil, 0o644))
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestLockAmongProcesses$")
			cmd.Env = append(os.Environ(), variable+"="+fsys.Root())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	wantTree(t, fsys, "", fstest.Tree{"n": strings.Repeat("x", 3*each)})
}

// inBubble runs fn with a clock of its own, over a memfs that bears goroutines.
func inBubble(t *testing.T, fn func(t *testing.T, fsys billyFS)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { fn(t, fsx.Locked(memfs.New())) })
}

// T6: without takeover a stale lock only times out, after the wait asked for, and stays.
func TestLockTimesOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{lockName: "left behind"})
		for wait, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, 0: 30 * time.Second, -1: 0} {
			start := time.Now()
			_, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Wait: wait})
			if got := time.Since(start); !errors.Is(err, fsx.ErrLocked) || got != want {
				t.Errorf("Wait %v: %v after %v, want ErrLocked after %v", wait, err, got, want)
			}
		}
		wantTree(t, fsys, "", fstest.Tree{lockName: "left behind"})
	})
}

// A waiter gets the lock once it is released, and not before.
func TestLockWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		unlock, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{})
		must(t, err)
		start := time.Now()
		time.AfterFunc(5*time.Second, func() {
			if err := unlock(); err != nil {
				t.Error(err)
			}
		})
		second, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Poll: time.Second})
		must(t, err)
		if waited := time.Since(start); waited < 5*time.Second || waited > 6*time.Second {
			t.Errorf("waited %v", waited)
		}
		must(t, second())
	})
}

// The end of the context ends the wait at once, and does not release what is held.
func TestLockContext(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		unlock, err := fsx.Lock(ctx, fsys, lockName, fsx.LockOptions{Takeover: true})
		must(t, err)
		start := time.Now()
		_, err = fsx.Lock(ctx, fsys, lockName, fsx.LockOptions{Poll: time.Hour, Wait: 9 * time.Hour})
		if waited := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || waited != time.Second {
			t.Errorf("%v after %v, want DeadlineExceeded after 1s", err, waited)
		}
		time.Sleep(time.Minute)
		_, err = fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Takeover: true, Wait: -1})
		if !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("with the holder's context over: %v, want ErrLocked", err)
		}
		must(t, unlock())
		if _, err = fsx.Lock(ctx, fsys, lockName, fsx.LockOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context over: %v, want DeadlineExceeded", err)
		}
		wantTree(t, fsys, "d", fstest.Tree{})
	})
}

// C7: a holder that is alive keeps the lock for as long as it likes, and a dead one's is taken over after Stale.
func TestLockTakeover(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		opt := fsx.LockOptions{Takeover: true, Wait: time.Minute}
		unlock, err := fsx.Lock(t.Context(), fsys, lockName, opt)
		must(t, err)
		if _, err := fsx.Lock(t.Context(), fsys, lockName, opt); !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("of a live holder: %v, want ErrLocked", err)
		}
		must(t, unlock())

		for _, left := range []string{"", "token 1\n", strings.Repeat("\x00", 50)} {
			fstest.Write(t, fsys, "", fstest.Tree{lockName: left})
			start := time.Now()
			unlock, err = fsx.Lock(t.Context(), fsys, lockName, opt)
			must(t, err)
			if waited := time.Since(start); waited < 10*time.Second || waited > 11*time.Second {
				t.Errorf("took %q over after %v, want 10s", left, waited)
			}
			must(t, unlock())
			wantTree(t, fsys, "d", fstest.Tree{})
		}
	})
}

// Of many waiters for a dead holder's lock one takes it over, and the others wait for that one.
func TestLockTakeoverByMany(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{lockName: "left behind"})
		var all sync.WaitGroup
		var holders atomic.Int32
		for i := range 20 {
			all.Go(func() {
				unlock, err := fsx.Lock(t.Context(), fsys, lockName,
					fsx.LockOptions{Takeover: true, Wait: time.Hour, Poll: time.Duration(i+1) * time.Millisecond})
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				time.Sleep(3 * time.Second)
				holders.Add(-1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		wantTree(t, fsys, "d", fstest.Tree{})
	})
}

// A lock that changes hands while a slow waiter is about to take it over stays with its new holder.
func TestLockTakeoverTooLate(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{lockName: "left behind"})
		var once sync.Once
		slow := fstest.Hook(fsys, func(c fstest.Call) error {
			if c.Op == fstest.OpCreate && strings.Contains(c.Name, "-grd-") {
				once.Do(func() { fstest.Write(t, fsys, "", fstest.Tree{lockName: "the new holder's"}) })
			}
			return nil
		})
		start := time.Now()
		unlock, err := fsx.Lock(t.Context(), slow, lockName, fsx.LockOptions{Takeover: true, Wait: time.Hour})
		must(t, err)
		if waited := time.Since(start); waited < 20*time.Second {
			t.Errorf("took it after %v, before the new holder was stale", waited)
		}
		must(t, unlock())
		wantTree(t, fsys, "d", fstest.Tree{})
	})
}

// A waiter that dies while it takes over does not lock the others out for good.
func TestLockTakeoverInterrupted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		opt := fsx.LockOptions{Takeover: true, Wait: 15 * time.Second}
		step := func(t *testing.T, n int) bool {
			fstest.Write(t, fsys, "", fstest.Tree{lockName: "left behind"})
			stop := fmt.Errorf("power")
			calls, dead := 0, false
			dying := fstest.Hook(fsys, func(c fstest.Call) error {
				if strings.Contains(c.Name, "-grd-") || strings.Contains(c.Name, "-old-") || calls > 0 {
					calls++
				}
				if dead = dead || calls == n; dead {
					return stop
				}
				return nil
			})
			unlock, err := fsx.Lock(t.Context(), dying, lockName, opt)
			if err == nil {
				_ = unlock()
			}
			next := opt
			next.Wait = time.Minute
			unlock, err = fsx.Lock(t.Context(), fsys, lockName, next)
			if err != nil {
				t.Fatalf("after a death at call %d: %v", n, err)
			}
			must(t, unlock())
			must(t, fsx.Sweep(fsys, "d", nil))
			wantTree(t, fsys, "d", fstest.Tree{})
			return dead
		}
		fstest.Sweep(t, step)
	})
}

// A holder that stood still while its lock was taken over is told, and does nothing to the new holder's lock.
func TestLockLost(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, fsys billyFS) {
		for _, now := range []fstest.Tree{{}, {".autotrigger.lock": "another's"}} {
			unlock, err := fsx.Lock(t.Context(), fsys, lockName, fsx.LockOptions{Takeover: true})
			must(t, err)
			must(t, fsys.Remove(lockName))
			fstest.Write(t, fsys, "d", now)
			time.Sleep(time.Minute) // the holder refreshes what is no longer its own
			if err := unlock(); !errors.Is(err, fsx.ErrLockLost) {
				t.Errorf("unlock = %v, want ErrLockLost", err)
			}
			if err := unlock(); !errors.Is(err, fsx.ErrLockLost) {
				t.Errorf("unlock again = %v, want ErrLockLost", err)
			}
			wantTree(t, fsys, "d", now)
		}
	})
}

// memfs does not bear a goroutine that refreshes, so takeover has no effect on a bare one, for holder and waiter.
func TestLockTakeoverOnBareMemfs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fsys := memfs.New()
		var count fstest.Counter
		opt := fsx.LockOptions{Takeover: true, Wait: time.Minute}
		unlock, err := fsx.Lock(t.Context(), count.Wrap(fsys), lockName, opt)
		must(t, err)
		before := count.Count()
		_, err = fsx.Lock(t.Context(), fsys, lockName, opt)
		if !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("Lock = %v, want ErrLocked", err)
		}
		if after := count.Count(); after != before {
			t.Errorf("the holder made %d calls on its own", after-before)
		}
		must(t, unlock())
	})
}

// A failing file system is an error and not a lock, and leaves no lock file behind.
func TestLockEveryFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"d/": ""})
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			broken, reached := fstest.FailNth(fsys, n)
			unlock, err := fsx.Lock(t.Context(), broken, lockName, fsx.LockOptions{Wait: -1})
			if err == nil {
				if err = unlock(); err != nil {
					must(t, fsys.Remove(lockName)) // what an unlock that failed leaves to the user
				}
			}
			if err != nil && !errors.Is(err, fstest.ErrInjected) {
				t.Errorf("Lock = %v", err)
			}
			wantTree(t, fsys, "d", fstest.Tree{})
			return reached()
		})
		_, err := fsx.Lock(t.Context(), fstest.ReadOnly(fsys), lockName, fsx.LockOptions{})
		if err == nil || errors.Is(err, fsx.ErrLocked) {
			t.Errorf("on a read-only file system: %v", err)
		}
	})
}

// The lock file is made where its name is, and not where a link that stands there leads.
func TestLockIsNoLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"lock@": "elsewhere"})
		if _, err := fsx.Lock(t.Context(), fsys, "lock", fsx.LockOptions{Wait: -1}); !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("Lock = %v, want ErrLocked", err)
		}
		wantTree(t, fsys, "", fstest.Tree{"lock@": "elsewhere"})
	})
}
