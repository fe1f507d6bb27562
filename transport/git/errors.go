package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"

	gogit "github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// statusError is an HTTP answer that is not 200, with all that decides what a person is told.
type statusError struct {
	code      int
	text      string // what the server said, one line
	tried     bool   // credentials were sent
	plain     bool
	sourceErr error
	throttled bool
	after     string // Retry-After
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("status %d", e.code)
	if e.text != "" {
		s += ": " + e.text
	}
	return s
}

// newStatusError reads what little of the body is fit to be repeated.
func newStatusError(r *reply) *statusError {
	e := &statusError{code: r.StatusCode, tried: r.tried, plain: r.plain, sourceErr: r.sourceErr}
	e.after = remote.Clean(r.Header.Get("Retry-After"))
	e.throttled = r.StatusCode == http.StatusTooManyRequests ||
		r.StatusCode == http.StatusForbidden && (e.after != "" || r.Header.Get("X-RateLimit-Remaining") == "0")
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		b, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10))
		e.text = remote.Clean(string(b))
	}
	return e
}

// failure turns what went wrong into the error a caller sees. Errors that are one already, and those of limits and of
// the caller's own context, keep their kind.
func (t *Transport) failure(ctx context.Context, op string, ep *endpoint, err error) error {
	return t.fit(t.classified(ctx, op, ep, err))
}

func (t *Transport) classified(ctx context.Context, op string, ep *endpoint, err error) error {
	var done *transport.Error
	var limit *transport.LimitError
	var wait *remote.WaitError
	err, sending := remote.WithoutURL(err)
	switch {
	case errors.As(err, &done):
		return err
	case errors.As(err, &limit):
		return fmt.Errorf("%s %s: %w", op, ep, err)
	case errors.As(err, &wait):
		return ep.error(op, transport.ErrUnreachable, transport.CauseTimeout, wait, remote.NetworkHint(transport.CauseTimeout))
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fmt.Errorf("%s %s: %w", op, ep, context.Canceled)
	case ctx.Err() != nil:
		return ep.error(op, transport.ErrUnreachable, transport.CauseTimeout, context.Cause(ctx), "")
	}
	var status *statusError
	if errors.As(err, &status) {
		return t.statusFailure(op, ep, status)
	}
	if isLocal(err) {
		return fmt.Errorf("%s %s: %w", op, ep, err)
	}
	cause := remote.NetworkCause(err)
	if cause == "" && sending {
		cause = transport.CauseNetwork
	}
	if cause != "" {
		return ep.error(op, transport.ErrUnreachable, cause, err, remote.NetworkHint(cause))
	}
	return ep.protocolFailure(op, err)
}

func (ep *endpoint) error(op string, kind error, cause transport.Cause, err error, hint string) error {
	return &transport.Error{Op: op, URL: ep.String(), Kind: kind, Cause: cause, Hint: hint, Err: err}
}

// protocolFailure is for answers that came but were no use.
func (ep *endpoint) protocolFailure(op string, err error) error {
	var redirect *remote.RedirectError
	var unknownHost *knownhosts.KeyError
	switch {
	case errors.As(err, &redirect):
		return ep.error(op, transport.ErrUnreachable, transport.CauseRedirect, err, "")
	case isNotOurRef(err):
		return ep.error(op, transport.ErrNoRevision, transport.CauseNotFound, err, "")
	case errors.Is(err, gogit.ErrRepositoryNotFound):
		return ep.error(op, transport.ErrNotFound, transport.CauseNotFound, nil, "")
	case errors.Is(err, gogit.ErrEmptyRemoteRepository):
		return emptyError(op, ep)
	case errors.Is(err, gogit.ErrAuthenticationRequired), errors.Is(err, gogit.ErrAuthorizationFailed):
		return ep.error(op, transport.ErrNoAccess, transport.CauseNoAccess, nil, "")
	case isSSHAuth(err):
		return ep.error(op, transport.ErrNoAccess, transport.CauseNoAccess, err, "")
	case errors.As(err, &unknownHost):
		return ep.error(op, transport.ErrUnreachable, transport.CauseTLS, err, "connect once with ssh to check and accept the host's key")
	case errors.Is(err, exec.ErrNotFound):
		return ep.error(op, transport.ErrUnreachable, transport.CauseRefused, err, "file addresses need a git binary")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ep.error(op, transport.ErrProtocol, transport.CauseProtocol, fmt.Errorf("the transfer ended early: %w", err), "")
	}
	return ep.error(op, transport.ErrProtocol, transport.CauseProtocol, err, "")
}

func (t *Transport) statusFailure(op string, ep *endpoint, s *statusError) error {
	switch {
	case s.throttled:
		hint := ""
		if s.after != "" {
			hint = "the server asks to wait; Retry-After: " + s.after
		}
		return ep.error(op, transport.ErrUnreachable, transport.CauseThrottle, s, hint)
	case s.code == http.StatusNotFound || s.code == http.StatusGone:
		return ep.denial(op, transport.ErrNotFound, transport.CauseNotFound, s)
	case s.code == http.StatusUnauthorized, s.code == http.StatusForbidden,
		s.code == http.StatusUnavailableForLegalReasons:
		return ep.denial(op, transport.ErrNoAccess, transport.CauseNoAccess, s)
	case s.code >= 500:
		return ep.error(op, transport.ErrUnreachable, transport.CauseServer, s, "")
	}
	return ep.error(op, transport.ErrProtocol, transport.CauseProtocol, s, "")
}

// denial words a no: hosts answer the same for what does not exist and for what one may not see (C5).
func (ep *endpoint) denial(op string, kind error, cause transport.Cause, s *statusError) error {
	if s.tried {
		return ep.error(op, kind, cause, fmt.Errorf("missing or not visible to these credentials: %w", s), "")
	}
	if s.code == http.StatusGone || s.code == http.StatusUnavailableForLegalReasons {
		return ep.error(op, kind, cause, s, "")
	}
	err := fmt.Errorf("missing, or private and no credentials were found: %w", s)
	switch u := ep.address(); {
	case s.plain:
		return ep.error(op, kind, cause, err, "credentials are not sent over plain http; use https")
	case s.sourceErr != nil:
		err = fmt.Errorf("%w; %v", err, s.sourceErr)
		fallthrough
	default:
		return ep.error(op, kind, cause, err, credentialHint(&u))
	}
}

func credentialHint(u *url.URL) string {
	hint := fmt.Sprintf("to read a private repository, add %s to ~/.netrc or to a git credential helper", u.Host)
	if remote.HostKey(u) == "https://github.com" {
		hint = "to read a private repository, set GH_TOKEN or GITHUB_TOKEN, or add github.com to ~/.netrc or to a git credential helper"
	}
	return hint
}

// isLocal reports whether err is a fault of this machine's files, whose error numbers look like those of a network. A
// pipe whose other end is gone is the fault of the process there.
func isLocal(err error) bool {
	var network *net.OpError
	if errors.As(err, &network) || errors.Is(err, syscall.EPIPE) {
		return false
	}
	var file *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &file) || errors.As(err, &link) || errors.As(err, &call)
}
