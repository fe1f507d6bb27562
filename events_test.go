package atskills_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport"
)

// observe makes the world's events visible as lines, and its clock move by a second with each look.
func (w *world) observe() (take func() []string) {
	var mu sync.Mutex
	var lines []string
	now := w.env.Now()
	w.env.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
	w.env.Events = func(e atskills.Event) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprintf("%s %v served=%s state=%s skills=%d files=%d bytes=%d done=%v failed=%v",
			e.Kind, e.ID, e.Served, e.State, e.Skills, e.Files, e.Bytes, e.Done, e.Err != nil)
		if e.Took <= 0 {
			line += " took no time"
		}
		lines = append(lines, line)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		out := lines
		lines = nil
		return out
	}
}

func event(kind, id, rest string) string {
	fields := map[string]string{"served": "", "state": "", "skills": "0", "files": "0", "bytes": "0", "done": "false", "failed": "false"}
	for f := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(f, "=")
		fields[key] = value
	}
	return fmt.Sprintf("%s %s served=%s state=%s skills=%s files=%s bytes=%s done=%s failed=%s",
		kind, id, fields["served"], fields["state"], fields["skills"], fields["files"], fields["bytes"], fields["done"], fields["failed"])
}

// Each probe, listing, fetch, answer, save and block is told, in order, with sizes, and with time by Env.Now.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	take := w.observe()
	check := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, take()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	const origin = "gh:acme/kit"
	w.resolve(reviewRef)
	check("a cold resolve", event("probe", origin, ""), event("listing", origin, ""), event("fetch", origin, "files=1 bytes=62"),
		event("fetch", origin, "files=2 bytes=68"), event("fetch", origin, "files=2 bytes=68 done=true"), event("answer", reviewRef, "served=fresh"))
	w.resolve(reviewRef)
	check("a warm resolve", event("probe", origin, ""), event("answer", reviewRef, "served=cached"))
	w.save(reviewRef)
	got := take()
	if want := event("save", reviewRef, "served=cached state=new skills=1 files=2"); len(got) == 0 || got[len(got)-1] != want {
		t.Errorf("a save: %q, want %q at the end", got, want)
	}
	w.resolve(reviewRef)
	check("the project's own")
	write(t, w.env.Project, map[string]string{".atskills/.autotrigger": "review\n"})
	block, err := atskills.Residency(t.Context(), w.env)
	if err != nil {
		t.Fatal(err)
	}
	check("a block", event("block", "", fmt.Sprintf("skills=1 bytes=%d", len(block.Text))))
	w.fake.SetOffline(true)
	w.refuse(deployRef, atskills.ErrUnreachable)
	check("offline", event("probe", origin, "failed=true"), event("answer", deployRef, "failed=true"))
}

// A nil Logger discards; another gets a record for each event, failures as warnings, each on one line.
func TestLogger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var log bytes.Buffer
	w.env.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	w.resolve(reviewRef)
	for _, want := range []string{
		`level=DEBUG msg="atskills probe" id=gh:acme/kit revision=` + w.fake.Tip("acme/kit") + " took=0s\n",
		"msg=\"atskills fetch\" id=gh:acme/kit", "files=2 bytes=68 done=true took=0s\n", "msg=\"atskills answer\" id=" + reviewRef,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log %s\nwant %q in it", log.String(), want)
		}
	}
	log.Reset()
	w.fake.SetOffline(true)
	w.refuse(deployRef, atskills.ErrUnreachable)
	if got := log.String(); !strings.HasPrefix(got, "level=WARN") || !strings.Contains(got, " error=") {
		t.Errorf("log %s", got)
	}
}

// X5: no event and no record holds a secret of an address, or a skill's text.
func TestEventsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var log bytes.Buffer
	w.env.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, ref := range []string{"@skills:https://me:hunter2@github.com/acme/kit", reviewRef, "gh:acme/kit/absent"} {
		_, _ = atskills.Resolve(t.Context(), w.env, ref)
		_, _ = atskills.Save(t.Context(), w.env, ref)
	}
	for _, secret := range []string{"hunter2", "me:", "Look twice", "Reads a change"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %q: %s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "absent") {
		t.Errorf("log %s", log.String())
	}
}

// C12: a memoising transport still tells of each probe it answers; nothing else is different.
func TestEventsWithMemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Transport = transport.Memo(w.env.Transport)
	take := w.observe()
	w.resolve(reviewRef)
	take()
	w.resolve(reviewRef)
	want := []string{event("probe", "gh:acme/kit", ""), event("answer", reviewRef, "served=cached")}
	if diff := cmp.Diff(want, take()); diff != "" {
		t.Errorf("a warm resolve (-want +got):\n%s", diff)
	}
}
