// Command hub serves a folder of skills as a hub: a mirror that a team can run for its own. In the folder each owner
// has a folder, and in that each skill has one, with its SKILL.md; a file called <list>.playlist beside them lists
// skills that stand elsewhere, one reference a line.
//
//	go run ./examples/hub -root DIR -addr 127.0.0.1:8090 -token-file FILE
//
// Then, with ATSKILLS_HUB=http://127.0.0.1:8090, hub:<owner>/<name> is read from there. The token file makes owners
// private. It has lines of an owner and one of its tokens with white space between, and an owner may have several;
// '#' begins a comment. Owners without a line are public, and without -token-file all are.
//
// Tokens over plain http are for this machine alone: with a token file and an address that others can reach the
// program does not start, unless -behind-tls says that a proxy in front speaks TLS to the clients.
//
// Changes in the folder are seen at once; put a new version of a skill into place by one rename. A signal (interrupt
// or terminate) ends the program when the requests under way have been answered, a second one at once. The log, a line
// a request, goes to standard error. GET /healthz is for whoever watches.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/hub"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// grace is how long requests under way may take once the program is told to end.
const grace = 15 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal kills
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are the flags.
type settings struct {
	root, addr, tokenFile string
	behindTLS             bool
}

// run serves until ctx ends, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // the flag package has said why
	}
	if err := s.serve(ctx, stdout, stderr); err != nil {
		_, _ = fmt.Fprintf(stderr, "hub: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func parseFlags(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("hub", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.root, "root", "", "the `folder` to serve, <owner>/<name>/SKILL.md")
	flags.StringVar(&s.addr, "addr", "127.0.0.1:8090", "the `address` to listen on; port 0 takes a free one")
	flags.StringVar(&s.tokenFile, "token-file", "", "a `file` of private owners and their tokens, \"owner token\" a line")
	flags.BoolVar(&s.behindTLS, "behind-tls", false, "a proxy in front speaks TLS, so tokens are taken on any address")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	var err error
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("%q is no flag, and there are no other arguments", flags.Arg(0))
	case s.root == "":
		err = errors.New("-root is needed: the folder to serve")
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "hub: %v\n", err)
	}
	return s, err
}

// serve listens, says where, and answers until ctx ends.
func (s settings) serve(ctx context.Context, stdout, stderr io.Writer) error {
	logs := slog.NewTextHandler(stderr, nil)
	handler, err := s.handler(slog.New(logs))
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	if err := s.checkAddress(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := hub.NewServer(s.addr, handler)
	server.ErrorLog = slog.NewLogLogger(logs, slog.LevelWarn)
	if _, err := fmt.Fprintf(stdout, "hub: serving %s at http://%s\n", s.root, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveUntil(ctx, server, listener)
}

func (s settings) handler(log *slog.Logger) (http.Handler, error) {
	if info, err := os.Stat(s.root); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("-root %q is not a folder", s.root)
	}
	opts := hub.HandlerOptions{Log: log}
	if s.tokenFile != "" {
		var err error
		if opts.Private, err = readTokens(s.tokenFile); err != nil {
			return nil, err
		}
	}
	return hub.Handler(fsx.OS(s.root), opts)
}

// checkAddress refuses to take tokens where others could read them on the way (H6).
func (s settings) checkAddress(addr net.Addr) error {
	if tcp, ok := addr.(*net.TCPAddr); s.tokenFile == "" || s.behindTLS || ok && tcp.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("tokens would travel in the clear to %s: listen on 127.0.0.1, or put a proxy that speaks TLS in front and say -behind-tls", addr)
}

// serveUntil serves until ctx ends, and then until the requests under way are answered.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err := server.Shutdown(end)
		if err != nil {
			err = errors.Join(fmt.Errorf("requests were cut off: %w", err), server.Close())
		}
		drained <- err
	})
	err := server.Serve(listener)
	if stop() { // it failed by itself
		return err
	}
	return <-drained
}
