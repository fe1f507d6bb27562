package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atskills-go/atskills"
)

// lookEvery is the pause between two looks at the lock of the trigger file: who waits for longer than two is told.
const lookEvery = 500 * time.Millisecond

// ticker is when to look, and how to end that.
func (h host) ticker() (<-chan time.Time, func()) {
	if h.looks != nil {
		return h.looks, func() {}
	}
	t := time.NewTicker(lookEvery)
	return t.C, t.Stop
}

// tellWaits says once, until the function that it returns is called, that another program holds the lock of the trigger
// file: an edit of this program's own takes less time than passes between two looks that find the same lock.
func (h host) tellWaits(out *output) (stop func()) {
	ticks, stopTicks := h.ticker()
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var before fs.FileInfo
		for {
			select {
			case <-over:
				return
			case <-ticks:
			}
			now, err := os.Lstat(filepath.Join(h.project(), atskills.Dir, atskills.TriggerFile+".lock"))
			if err != nil {
				before = nil
				continue
			}
			if before != nil && os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) {
				out.say("waiting for up to 30 s: another program holds %s/%s.lock", atskills.Dir, atskills.TriggerFile)
				return
			}
			before = now
		}
	}()
	return func() {
		close(over)
		<-done
		stopTicks()
	}
}
