package fsx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5"
)

// ErrLocked is matched by the [*LockedError] of a wait that ended.
var ErrLocked = errors.New("locked")

// ErrLockLost is returned by an unlock that found the lock gone or another's: someone deleted the file or, after this
// process had stood still for long, took it over.
var ErrLockLost = errors.New("lock was lost")

// LockedError says that a lock stayed with its holder for as long as the caller would wait. It matches [ErrLocked].
type LockedError struct {
	Name   string        // the lock file
	Waited time.Duration // how long
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%q is held by another program (waited %v); if none is running, delete that file",
		e.Name, e.Waited.Round(time.Millisecond))
}

// Unwrap returns [ErrLocked].
func (e *LockedError) Unwrap() error { return ErrLocked }

// LockOptions tell how [Lock] waits.
type LockOptions struct {
	// Wait bounds the wait for another holder. Zero means 30 s, negative not to wait.
	Wait time.Duration
	// Poll is the pause between two looks. Zero means 25 ms.
	Poll time.Duration
	// Takeover allows a waiter to take the lock of a holder that has died. The holder then writes to the file every
	// tenth of Stale from a goroutine of its own. It has no effect on a file system that is not known to bear calls
	// from two goroutines (see [Locked]). Without it a left-over file locks until someone deletes it.
	Takeover bool
	// Stale is how long the file must stay unchanged, as a waiter sees it, before the holder counts as dead. Zero means
	// 10 s. All users of one lock should agree on it.
	Stale time.Duration
}

func (o LockOptions) withDefaults() LockOptions {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&o.Wait, 30 * time.Second}, {&o.Poll, 25 * time.Millisecond}, {&o.Stale, 10 * time.Second}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// Lock creates the lock file name, or waits until it can, and returns the function that removes it. One holder at a
// time has it, among goroutines and processes, on every file system whose O_EXCL is exclusive. Parents are created.
// While it waits it returns the context's error as soon as that ends, and a [*LockedError] after opt.Wait; the
// context's end does not release a lock that is held. Unlock may be called more than once, and from any goroutine; it
// returns [ErrLockLost] when the lock was no longer this caller's, and then leaves the file alone.
//
// Whether a holder is alive is judged by what the file says and the waiter's own clock, never by times of the file
// system. A holder that stood still for longer than Stale can find its lock taken over: what it does must stay harmless
// then, as [Replace] and [WriteFile] are.
func Lock(ctx context.Context, fsys billy.Filesystem, name string, opt LockOptions) (unlock func() error, err error) {
	if err := CheckPath(name); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	opt.Takeover = opt.Takeover && traitsOf(fsys).concurrent
	dir, err := makeDir(fsys, parent(name))
	if err != nil {
		return nil, err
	}
	l := &lock{fs: fsys, name: join(dir, name[strings.LastIndexByte(name, '/')+1:]), token: randomHex()}
	if err := l.acquire(ctx, opt); err != nil {
		return nil, err
	}
	stop := func() {}
	if opt.Takeover {
		stop = l.keepFresh(opt.Stale / 10)
	}
	return sync.OnceValue(func() error {
		stop()
		return l.release()
	}), nil
}

// lock is one caller's claim to a lock file. The file holds the claim's token and a counter, at a fixed length, so
// that writing it anew never leaves a tail.
type lock struct {
	fs    billy.Filesystem
	name  string
	token string
}

const lockFormat = "%s %020d\n"

func (l *lock) acquire(ctx context.Context, opt LockOptions) error {
	start := time.Now()
	seen := watch{since: start}
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("lock %q: %w", l.name, context.Cause(ctx))
		}
		err := l.create()
		if !errors.Is(err, fs.ErrExist) {
			return pathError("lock", l.name, err)
		}
		if opt.Takeover && l.takeOver(&seen, opt.Stale) {
			continue
		}
		waited := time.Since(start)
		if opt.Wait < 0 || waited >= opt.Wait {
			return &LockedError{Name: l.name, Waited: waited}
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(opt.Poll, opt.Wait-waited)):
		}
	}
}

// create makes the lock file. The file system may follow a link at the name and create what it leads to, so there is
// a look before.
func (l *lock) create() error {
	if _, err := l.fs.Lstat(l.name); err == nil {
		return fs.ErrExist
	}
	return createFile(l.fs, l.name, 0o644, false, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, lockFormat, l.token, 0)
		return err
	})
}

func (l *lock) read() (string, error) {
	data, err := ReadFile(l.fs, l.name, 1<<10)
	return string(data), err
}

func (l *lock) mine(text string) bool { return strings.HasPrefix(text, l.token+" ") }

func (l *lock) release() error {
	text, err := l.read()
	if isNotExist(err) || err == nil && !l.mine(text) {
		return fmt.Errorf("unlock %q: %w", l.name, ErrLockLost)
	}
	if err == nil {
		err = l.fs.Remove(l.name)
	}
	return pathError("unlock", l.name, err)
}

// keepFresh writes to the file now and then until stop is called, which waits for it.
func (l *lock) keepFresh(every time.Duration) (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = l.touch(n) // the next one may do better; release tells when the lock is lost
			}
		}
	}()
	return func() {
		close(done)
		<-gone
	}
}

// touch rewrites the file in place and never creates or renames one: once the lock is another's that would break it.
func (l *lock) touch(n int) error {
	f, err := l.fs.OpenFile(l.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	text, err := readUpTo(f, 64, 1<<10)
	if err == nil && l.mine(string(text)) {
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			_, err = fmt.Fprintf(f, lockFormat, l.token, n)
		}
	}
	return errors.Join(err, f.Close())
}

// watch is what a waiter has seen in the lock file and since when.
type watch struct {
	text  string
	since time.Time
}

// takeOver moves a stale lock file away and reports whether it is worth trying to create one at once. For each state
// of a lock one waiter is let in, by a guard file named after that state; otherwise a slow waiter could move away the
// new lock of a fast one. A guard whose owner died in turn is ignored after another Stale.
func (l *lock) takeOver(seen *watch, stale time.Duration) bool {
	text, err := l.read()
	if isNotExist(err) {
		return true
	}
	if err != nil {
		return false
	}
	if text != seen.text {
		*seen = watch{text, time.Now()}
	}
	unchanged := time.Since(seen.since)
	if unchanged < stale {
		return false
	}
	dir := parent(l.name)
	guard := join(dir, guardName(l.name, text))
	err = createFile(l.fs, guard, 0o644, false, func(io.Writer) error { return nil })
	if err != nil && !(errors.Is(err, fs.ErrExist) && unchanged >= 2*stale) {
		return false
	}
	defer func() { _ = l.fs.Remove(guard) }()
	if again, err := l.read(); err != nil || again != text {
		return isNotExist(err)
	}
	away := join(dir, tempName(kindOld))
	if err := l.fs.Rename(l.name, away); err != nil {
		return isNotExist(err)
	}
	_ = l.fs.Remove(away) // a later Sweep does what this could not
	return true
}

func guardName(name, text string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + text))
	return tempPrefix + kindGuard + "-" + hex.EncodeToString(sum[:16])
}
