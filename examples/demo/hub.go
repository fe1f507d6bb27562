package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/hub"
)

// team is what the demonstration's hub serves.
var team = map[string]string{
	"acme/notes/SKILL.md": "---\nname: notes\ndescription: Takes notes in a meeting.\n---\nWrite down what was decided.\n",
	"board/plan/SKILL.md": "---\nname: plan\ndescription: Plans the year.\n---\nFor the board alone.\n",
	"acme/starter.playlist": `name: starter
description: What everybody needs in the first week.
gh:acme/skills/writing/minutes Turns a transcript into decisions and tasks.
hub:acme/notes Takes notes in a meeting.
`,
}

const boardToken = "open-sesame"

// mirror is a hub on loopback, as examples/hub runs one for a team.
type mirror struct {
	server   *http.Server
	listener net.Listener
	served   chan error

	requests, bytes atomic.Int64
	token           string // what the person has been given
}

// startMirror serves a tree in memory. What the board owns is private.
func startMirror() (*mirror, error) {
	var tree billy.Filesystem = fsx.Locked(memfs.New())
	for name, text := range team {
		if err := fsx.WriteFile(tree, name, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	handler, err := hub.Handler(tree, hub.HandlerOptions{Private: map[string][]string{"board": {boardToken}}})
	if err != nil {
		return nil, err
	}
	m := &mirror{served: make(chan error, 1)}
	if m.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	m.server = hub.NewServer("", m.counted(handler))
	go func() { m.served <- m.server.Serve(m.listener) }()
	return m, nil
}

func (m *mirror) close() error {
	err := m.server.Close()
	if failed := <-m.served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}

// client is the transport that reads the mirror.
func (m *mirror) client() (*hub.Hub, error) {
	return hub.New("http://"+m.listener.Addr().String(), hub.Options{
		Token: func(context.Context) (string, error) { return m.token, nil },
	})
}

// counted counts what next is asked and answers.
func (m *mirror) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		next.ServeHTTP(&countedWriter{w, &m.bytes}, r)
	})
}

type countedWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes.Add(int64(n))
	return n, err
}

// hub is the part of the tour about a team's own hub.
func (t *tour) hub(ctx context.Context) {
	t.title("A hub serves a team's own skills by plain GETs; a reference reads them as any other")
	t.resolve(ctx, "@skills:hub:acme/notes")

	t.title("What is private does not exist for a stranger, and is there for who has the token")
	t.resolve(ctx, "@skills:hub:board/plan")
	t.mirror.token = boardToken
	t.resolve(ctx, "@skills:hub:board/plan")

	t.title("A playlist is a menu of what stands elsewhere; each row keeps its own id")
	t.resolve(ctx, "@skills:hub:acme/starter")

	t.title("It fires as one line, and its rows are read when a session starts")
	t.change(ctx, "install", "hub:acme/starter", atskills.Install)
	t.block(ctx, t.env)

	t.title("Saved as a set: each row at its own id's path, with one report")
	t.saveSet(ctx, "hub:acme/starter")
}

// saveSet saves a playlist and prints what landed and what did not.
func (t *tour) saveSet(ctx context.Context, ref string) {
	t.begin("save " + ref)
	saved, err := atskills.Save(ctx, t.env, ref)
	if err != nil {
		t.failure(err)
		return
	}
	for _, item := range saved.Set {
		if item.Err != nil {
			t.printf("   | %s: not saved: %v\n", item.ID.Reference(), item.Err)
			continue
		}
		t.printf("   | %s: %s, %s\n", item.ID.Reference(), item.Saved.State, count(item.Saved.Files, "file", "files"))
	}
	t.cost()
}
