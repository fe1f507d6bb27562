// Command hostbackend is the back end of an agent that knows nothing of skills: it keeps one string, the resident block, and
// splices it into the system prompt of each turn. Whoever has the project's files computes the block and pushes it; the
// empty string is a value like any other, and takes away what was there.
//
//	PUT  /block    the block, as text
//	POST /prompt   answers the system prompt of the next turn
//
// The block is instructions to a model, so nobody may write it but the agent on this machine: what a browser sent for some
// page is refused, and so is what reached us under another name than loopback's. The program shows itself and ends.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// maxBlock bounds a block that is pushed: one of ten skills has about two thousand bytes.
const maxBlock = 256 << 10

// backend holds the block. It is safe for concurrent use.
type backend struct {
	base string // the system prompt that the block is added to

	mu    sync.Mutex
	block string
}

func (b *backend) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /block", b.push)
	mux.HandleFunc("POST /prompt", b.prompt)
	return localOnly(mux)
}

// localOnly refuses what a page in a browser could send, and what came by a name that was made to lead here.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		ip := net.ParseIP(host)
		switch {
		case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
			http.Error(w, "requests from browsers are refused", http.StatusForbidden)
		case err != nil || ip == nil || !ip.IsLoopback():
			http.Error(w, "use the loopback address", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (b *backend) push(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBlock))
	if err != nil {
		http.Error(w, "the block is too long, or did not arrive whole", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.block = string(data)
	w.WriteHeader(http.StatusNoContent)
}

func (b *backend) prompt(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.base
	if b.block != "" {
		text += "\n\n" + b.block
	}
	_, _ = io.WriteString(w, text) // a client that left needs no answer
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run serves the back end on loopback and plays the agent beside it: a session starts, a skill is turned on, and off again.
func run(ctx context.Context, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b := &backend{base: "You are a helpful agent."}
	server := &http.Server{Handler: b.handler(), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = errors.Join(play(ctx, "http://"+listener.Addr().String(), out), server.Shutdown(ctx))
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}

func play(ctx context.Context, address string, out io.Writer) error {
	env := atskills.Env{Project: fsx.Locked(memfs.New())} // an agent has fsx.OS(dir), fsx.UserCache() and a transport
	text := []byte("---\nname: deploy\ndescription: Ships a build. Use when a release is due.\n---\nRun ship.sh.\n")
	if err := fsx.WriteFile(env.Project, ".atskills/deploy/SKILL.md", text, 0o644); err != nil {
		return err
	}
	for _, step := range []string{"nothing is resident", "deploy is on", "deploy is off"} {
		block, err := atskills.Residency(ctx, env)
		if err != nil {
			return err
		}
		_, errPush := send(ctx, http.MethodPut, address+"/block", block.Text)
		prompt, err := send(ctx, http.MethodPost, address+"/prompt", "")
		if err = errors.Join(errPush, err); err != nil {
			return err
		}
		fmt.Fprintf(out, "--- %s\n%s\n", step, prompt)
		if _, err := atskills.Toggle(ctx, env, "deploy"); err != nil {
			return err
		}
	}
	return nil
}

func send(ctx context.Context, method, url, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = errors.New(string(data))
	}
	return string(data), err
}
