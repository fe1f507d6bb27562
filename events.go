package atskills

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventProbe   EventKind = "probe"   // upstream was asked for an origin's revision, or a memoising transport was
	EventListing EventKind = "listing" // upstream listed an origin
	EventFetch   EventKind = "fetch"   // bodies move: after each one, and once more with Done at the end
	EventAnswer  EventKind = "answer"  // an id was answered through the cache
	EventSave    EventKind = "save"    // a save ended
	EventBlock   EventKind = "block"   // a resident block was built
)

// Event is one thing that happened on the way to a result. It tells how a call went, and is never needed to know what it
// returned. Nothing in it is secret: ids and errors hold no credentials (X5), and no content is shown.
type Event struct {
	Kind     EventKind
	ID       skill.ID           // what it is about: an origin for a probe, listing or fetch; zero for a block
	Revision transport.Revision // "" when it is not known

	Served Served    // how an answer was reached
	State  SaveState // what a save changed
	Skills int       // of a save or block
	Files  int       // bodies moved so far, or files of a save
	Bytes  int64     // of the bodies moved so far, or of a block's text
	Done   bool      // a fetch is at its end

	Took time.Duration // since it began, by Env.Now
	Err  error         // why it failed, nil when it did not
}

// observed reports whether anybody wants to know.
func (e Env) observed() bool { return e.Events != nil || e.Logger != nil }

// timer returns a function that tells how much time has passed since. Unobserved, the clock is left alone.
func (e Env) timer() func() time.Duration {
	if !e.observed() {
		return func() time.Duration { return 0 }
	}
	start := e.now()
	return func() time.Duration { return e.now().Sub(start) }
}

// emit tells those who want to know.
func (e Env) emit(ctx context.Context, ev Event) {
	if e.Events != nil {
		e.Events(ev)
	}
	if e.Logger == nil {
		return
	}
	level := slog.LevelDebug
	if ev.Err != nil {
		level = slog.LevelWarn
	}
	e.Logger.LogAttrs(ctx, level, "atskills "+string(ev.Kind), ev.attrs()...)
}

// attrs are the fields of ev that say something.
func (ev Event) attrs() []slog.Attr {
	var attrs []slog.Attr
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, oneLine(value)))
		}
	}
	number := func(key string, value int64) {
		if value != 0 {
			attrs = append(attrs, slog.Int64(key, value))
		}
	}
	text("id", ev.ID.String())
	text("revision", string(ev.Revision))
	text("served", string(ev.Served))
	text("state", string(ev.State))
	number("skills", int64(ev.Skills))
	number("files", int64(ev.Files))
	number("bytes", ev.Bytes)
	if ev.Done {
		attrs = append(attrs, slog.Bool("done", true))
	}
	attrs = append(attrs, slog.Duration("took", ev.Took))
	if ev.Err != nil {
		text("error", ev.Err.Error())
	}
	return attrs
}

// answered tells how each of ids was answered.
func (c *cache) answered(ctx context.Context, ids []skill.ID, out map[skill.ID]answer, took func() time.Duration) {
	if !c.env.observed() {
		return
	}
	for _, id := range ids {
		a := out[id]
		c.env.emit(ctx, Event{Kind: EventAnswer, ID: id, Revision: a.meta.Revision, Served: a.served, Took: took(), Err: a.err})
	}
}

// watched returns put with an event after each body.
func (x *exchange) watched(ctx context.Context, of *plan) func(transport.Entry, io.Reader) error {
	x.took = x.c.env.timer()
	x.seen = Event{Kind: EventFetch, ID: of.id.Origin(), Revision: of.meta.Revision}
	return func(e transport.Entry, r io.Reader) error {
		err := x.put(e, &counted{r, &x.seen.Bytes})
		if err == nil {
			x.seen.Files++
			x.seen.Took = x.took()
			x.c.env.emit(ctx, x.seen)
		}
		return err
	}
}

// ended tells that the exchange is over.
func (x *exchange) ended(ctx context.Context, err error) {
	x.seen.Done, x.seen.Err, x.seen.Took = true, err, x.took()
	x.c.env.emit(ctx, x.seen)
}

// counted counts the bytes that are read.
type counted struct {
	r io.Reader
	n *int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	*c.n += int64(n)
	return n, err
}

func (e Env) savedEvent(ctx context.Context, id skill.ID, saved *Saved, took time.Duration, err error) {
	ev := Event{Kind: EventSave, ID: id, Took: took, Err: err}
	if saved != nil {
		ev.Revision, ev.Served, ev.State, ev.Skills, ev.Files = saved.Revision, saved.Served, saved.State, saved.Skills, saved.Files
	}
	e.emit(ctx, ev)
}
