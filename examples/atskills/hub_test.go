package main

import (
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/hub"
)

// teamHub is the mirror of a folder on loopback, as examples/hub runs one. Below /website it is no hub but a site that
// has a page for every address.
type teamHub struct {
	handler  http.Handler
	address  string
	requests atomic.Int64
	server   *http.Server // nil while offline
	served   chan struct{}
}

func newTeamHub(dir string, private map[string][]string) (*teamHub, error) {
	handler, err := hub.Handler(fsx.OS(dir), hub.HandlerOptions{Private: private})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.HandleFunc("/website/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
	})
	h := &teamHub{handler: mux, address: "127.0.0.1:0"}
	return h, h.setOffline(false)
}

func (h *teamHub) url() string { return "http://" + h.address }

// setOffline closes the port and all connections, or opens the same port again.
func (h *teamHub) setOffline(offline bool) error {
	if offline == (h.server == nil) {
		return nil
	}
	if offline {
		err := h.server.Close()
		<-h.served
		h.server = nil
		return err
	}
	listener, err := net.Listen("tcp", h.address)
	if err != nil {
		return err
	}
	h.address = listener.Addr().String()
	server, served := hub.NewServer(h.address, http.HandlerFunc(h.count)), make(chan struct{})
	h.server, h.served = server, served
	go func() {
		defer close(served)
		_ = server.Serve(listener) // always ends with ErrServerClosed
	}()
	return nil
}

func (h *teamHub) count(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	h.handler.ServeHTTP(w, r)
}

// runHub changes the script's hub, or checks how often it was asked. What the hub serves is the folder $WORK/hub, as it
// is then.
//
//	hub offline | online
//	hub asked <requests>   requests since the last check
func runHub(ts *testscript.TestScript, neg bool, args []string) {
	h, ok := ts.Value(hubKey{}).(*teamHub)
	switch {
	case !ok || neg || len(args) == 0:
		ts.Fatalf("usage: hub <command> [argument]")
	case len(args) == 1 && (args[0] == "offline" || args[0] == "online"):
		ts.Check(h.setOffline(args[0] == "offline"))
	case len(args) == 2 && args[0] == "asked":
		if got := strconv.FormatInt(h.requests.Swap(0), 10); got != args[1] {
			ts.Fatalf("the hub was asked %s times, want %s", got, args[1])
		}
	default:
		ts.Fatalf("unknown: hub %q", args)
	}
}
