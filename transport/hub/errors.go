package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// statusError is an answer that is neither 200 nor 304, with all that decides what a person is told.
type statusError struct {
	code  int
	text  string        // what the server said, one line
	token bool          // a token was sent
	own   bool          // the hub's own host answered
	after time.Duration // how long to wait, -1 when the server does not say
	until time.Time     // the end of that
	count int           // how many rows the hub refuses to list, of 413
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("status %d", e.code)
	if e.text != "" {
		s += ": " + e.text
	}
	return s
}

// newStatusError reads what little of the body is fit to be repeated.
func (h *Hub) newStatusError(r *reply) error {
	e := &statusError{code: r.StatusCode, token: r.token != "", own: r.own}
	e.after, e.until = h.retryAfter(r.Header.Get("Retry-After"))
	b, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	switch r.mediaType() {
	case "text/plain":
		text := remote.Clean(string(b))
		if r.known != "" {
			text = remote.Scrub(text, spellings(r.known))
		}
		e.text = text
	case jsonType:
		var said struct{ Count int }
		if r.StatusCode == http.StatusRequestEntityTooLarge && json.Unmarshal(b, &said) == nil {
			e.count = said.Count
		}
	}
	return e
}

// retryAfter reads the header of that name: seconds or a date.
func (h *Hub) retryAfter(s string) (time.Duration, time.Time) {
	const most = 365 * 24 * time.Hour
	now := h.opts.Now()
	if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil && n >= 0 {
		d := min(time.Duration(min(n, int64(most/time.Second)))*time.Second, most)
		return d, now.Add(d)
	}
	if at, err := http.ParseTime(s); err == nil {
		return min(max(at.Sub(now), 0), most), at
	}
	return -1, time.Time{}
}

// passes reports whether another attempt may succeed.
func (e *statusError) passes() bool {
	switch e.code {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isMissing reports whether the hub answered that nothing stands there.
func isMissing(err error) bool {
	var s *statusError
	return errors.As(err, &s) && (s.code == http.StatusNotFound || s.code == http.StatusGone)
}

// hasNoMenus reports whether an answer to the question for a menu is that of a server that has none: it is no JSON, or
// refuses the question for what it is.
func hasNoMenus(err error) bool {
	var t *typeError
	var s *statusError
	if errors.As(err, &s) {
		return 400 <= s.code && s.code < 500 && s.code != http.StatusTooManyRequests &&
			s.code != http.StatusRequestEntityTooLarge || s.code == http.StatusNotImplemented
	}
	return errors.As(err, &t)
}

// hasNoListing reports the same of the question for a listing, where other types of content are no failure.
func hasNoListing(err error) bool {
	var s *statusError
	return isMissing(err) || errors.As(err, &s) && s.code == http.StatusBadRequest
}

// typeError is content of a type that was not asked for.
type typeError struct{ got, want string }

func (e *typeError) Error() string {
	switch e.got {
	case htmlType, xhtmlType:
		return fmt.Sprintf("the answer is a web page (%s) where %s was asked for; this may be a sign-in page, or another "+
			"service than a hub", e.got, e.want)
	case "":
		return fmt.Sprintf("the answer does not say its type where %s was asked for", e.want)
	}
	return fmt.Sprintf("the answer is %q where %s was asked for", remote.Clean(e.got), e.want)
}

// elsewhereError says that the hub redirected, and that another host is to blame for what came.
type elsewhereError struct {
	host string
	err  error
}

func (e *elsewhereError) Error() string {
	return fmt.Sprintf("answered by %s, where the hub redirects to: %v", e.host, e.err)
}

// Unwrap returns the failure.
func (e *elsewhereError) Unwrap() error { return e.err }

// tokenError says that there was no token to send.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return fmt.Sprintf("the hub's token: %v", e.err) }

// Unwrap returns the reason.
func (e *tokenError) Unwrap() error { return e.err }

// errPlain refuses a token (H6).
var errPlain = errors.New("a token is not sent over plain http")

// revisionError says that the hub does not serve the revision asked for (S4).
type revisionError struct{ text string }

func (e *revisionError) Error() string { return e.text }

// failure turns what went wrong into the error a caller sees. Errors that are one already, and those of limits and of
// the caller's own context, keep their kind. The address names the hub that was asked (H4).
func (h *Hub) failure(ctx context.Context, op string, at url.URL, err error) error {
	var limit *transport.LimitError
	var wait *remote.WaitError
	var done *transport.Error
	err, sending := remote.WithoutURL(err)
	f := fault{op: op, url: at.String()}
	switch {
	case errors.As(err, &done):
		return err
	case errors.As(err, &limit):
		return fmt.Errorf("%s %s: %w", op, f.url, err)
	case errors.As(err, &wait):
		return f.error(transport.ErrUnreachable, transport.CauseTimeout, err, remote.NetworkHint(transport.CauseTimeout))
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fmt.Errorf("%s %s: %w", op, f.url, context.Canceled)
	case ctx.Err() != nil:
		return f.error(transport.ErrUnreachable, transport.CauseTimeout, context.Cause(ctx), "")
	}
	var status *statusError
	if errors.As(err, &status) {
		return f.status(status, err)
	}
	cause := remote.NetworkCause(err)
	if cause == "" && sending {
		cause = transport.CauseNetwork
	}
	if cause != "" {
		return f.error(transport.ErrUnreachable, cause, err, remote.NetworkHint(cause))
	}
	return f.answer(err)
}

// fault is what the errors of one operation share.
type fault struct{ op, url string }

func (f fault) error(kind error, cause transport.Cause, err error, hint string) error {
	if err != nil {
		err = remote.Reword(err, nil) // net/http repeats what a server said, however long
	}
	return &transport.Error{Op: f.op, URL: f.url, Kind: kind, Cause: cause, Err: err, Hint: hint}
}

// answer is for what was not sent, and for answers that came but were no use.
func (f fault) answer(err error) error {
	var redirect *remote.RedirectError
	var token *tokenError
	var revision *revisionError
	switch {
	case errors.As(err, &redirect):
		return f.error(transport.ErrUnreachable, transport.CauseRedirect, err, "")
	case errors.Is(err, errPlain):
		return f.error(transport.ErrNoAccess, transport.CauseNoAccess, err, "use the hub's https address, or no token")
	case errors.As(err, &token):
		return f.error(transport.ErrUnreachable, transport.CauseNoAccess, err, "")
	case errors.As(err, &revision) && f.op == "probe":
		// No revision was asked for: the hub is between two states, and a copy may serve until it is not.
		return f.error(transport.ErrUnreachable, transport.CauseServer, err, "")
	case errors.As(err, &revision):
		return f.error(transport.ErrNoRevision, transport.CauseNotFound, err, "")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return f.error(transport.ErrProtocol, transport.CauseProtocol, fmt.Errorf("the transfer ended early: %w", err), "")
	}
	return f.error(transport.ErrProtocol, transport.CauseProtocol, err, "")
}

func (f fault) status(s *statusError, err error) error {
	switch {
	case s.code == http.StatusTooManyRequests:
		return f.error(transport.ErrUnreachable, transport.CauseThrottle, err, s.when())
	case s.code == http.StatusNotFound, s.code == http.StatusGone:
		return f.denial(transport.ErrNotFound, transport.CauseNotFound, s, err)
	case s.code == http.StatusUnauthorized, s.code == http.StatusForbidden, s.code == http.StatusUnavailableForLegalReasons:
		return f.denial(transport.ErrNoAccess, transport.CauseNoAccess, s, err)
	case s.code == http.StatusRequestEntityTooLarge && s.count > 0:
		return fmt.Errorf("%s %s: %w", f.op, f.url, &transport.TooManyError{Count: s.count})
	case s.code >= 500:
		return f.error(transport.ErrUnreachable, transport.CauseServer, err, s.when())
	}
	return f.error(transport.ErrProtocol, transport.CauseProtocol, err, "")
}

// when says when the hub may be asked again.
func (s *statusError) when() string {
	if s.after < 0 {
		return ""
	}
	return "the hub asks to wait until " + s.until.UTC().Format(time.RFC3339)
}

// denial words a no: a hub answers the same for what does not exist and for what this caller may not see (H4).
func (f fault) denial(kind error, cause transport.Cause, s *statusError, err error) error {
	var hint string
	switch {
	case s.code == http.StatusUnavailableForLegalReasons:
	case cause == transport.CauseNotFound && s.token:
		err = fmt.Errorf("missing, or this token may not see it: %w", err)
	case cause == transport.CauseNotFound:
		err = fmt.Errorf("missing or not yours: %w", err)
		hint = "check the owner and the name; to read what is private, configure a token for this hub, where its address is set"
	case s.token:
		hint = "the hub refuses this token"
	default:
		hint = "the hub wants a token; configure one for it, where its address is set"
	}
	if !s.own {
		hint = "" // no token would go there (H6)
	}
	return f.error(kind, cause, err, hint)
}
