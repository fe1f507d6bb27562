package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// releaser is a standard error that removes a lock as soon as it is told of the wait for it.
type releaser struct {
	strings.Builder
	lock string
}

func (r *releaser) Write(p []byte) (int, error) {
	n, err := r.Builder.Write(p)
	if strings.HasPrefix(string(p), "waiting for ") {
		_ = os.Remove(r.lock) // the command fails where that does
	}
	return n, err
}

// A wait for another program that edits the trigger file is told once, and the command goes on when it is over.
func TestTellsWaits(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	lock := filepath.Join(h.dir, ".atskills", ".autotrigger.lock")
	if err := os.WriteFile(lock, []byte("another's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	looks := make(chan time.Time)
	close(looks) // it is time to look always
	h.looks = looks
	stderr := &releaser{lock: lock}
	code := h.run(t.Context(), []string{"toggle", "review"}, nil, &strings.Builder{}, stderr)
	const want = "waiting for up to 30 s: another program holds .atskills/.autotrigger.lock\nreview: wrote line 1, `review`\n"
	if code != exitOK || stderr.String() != want {
		t.Errorf("toggle exits with %d and says %q, want %q", code, stderr.String(), want)
	}
}

// Who waits for nobody is told nothing: neither where there is no lock, nor where one is seen that may be the call's own.
func TestTellsNoWaits(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	looks := make(chan time.Time)
	h.looks = looks
	var stderr strings.Builder
	stop := h.tellWaits(newOutput(&strings.Builder{}, &stderr))
	for range 3 {
		looks <- time.Time{} // when the next one is taken, the look before is over
	}
	stop()
	lock := filepath.Join(h.dir, ".atskills", ".autotrigger.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	stop = h.tellWaits(newOutput(&strings.Builder{}, &stderr))
	looks <- time.Time{}
	stop()
	if stderr.Len() > 0 {
		t.Errorf("said %q", stderr.String())
	}
}
