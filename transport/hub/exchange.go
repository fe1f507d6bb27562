package hub

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// The types of content that are told apart.
const (
	htmlType  = "text/html"
	xhtmlType = "application/xhtml+xml"
	jsonType  = "application/json"
)

// What is asked for. Every kind of answer is taken and then judged: a server that knows no better says nothing useful
// about the type of a Markdown file.
const (
	acceptSkill = "text/markdown, text/plain;q=0.9, */*;q=0.1"
	acceptJSON  = "application/json, */*;q=0.1"
	acceptFile  = "*/*"
)

// question is a GET.
type question struct {
	op     string
	at     url.URL
	query  string             // before the revision
	rev    transport.Revision // asked for with ?rev=, "" for the present one; a hub knows it (tagOf)
	match  transport.Revision // the caller's revision, for If-None-Match where a hub may know it
	accept string
}

func (q question) url() url.URL {
	u := q.at
	u.RawQuery = q.query
	if q.rev != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&rev="+url.QueryEscape(tagOf(q.rev)), "&")
	}
	return u
}

// reply is an answer and what the request was like.
type reply struct {
	*http.Response
	at    url.URL // where the answer came from
	own   bool    // that is the hub's own host
	token string  // what was sent
	known string  // the token that this host or one before it in the redirects was sent, and may have passed on
}

// ask sends a question and hands an answer of 200, or 304 to a conditional one, to read. A hub that is busy or out of
// order is asked again after a pause.
func (h *Hub) ask(ctx context.Context, q question, read func(*reply) error) error {
	waited := time.Duration(0)
	for attempt := 0; ; attempt++ {
		err := h.attempt(ctx, q, read)
		var status *statusError
		if !errors.As(err, &status) || !status.passes() || attempt >= h.opts.Retries {
			return err
		}
		pause := status.after
		if pause < 0 {
			pause = 250 * time.Millisecond << min(attempt, 10)
		}
		if deadline, ok := ctx.Deadline(); waited+pause > h.opts.MaxWait || ok && time.Until(deadline) < pause {
			return err
		}
		if err := h.opts.Sleep(ctx, pause); err != nil {
			return remote.Because(ctx, err)
		}
		waited += pause
	}
}

// attempt is ask without patience.
func (h *Hub) attempt(ctx context.Context, q question, read func(*reply) error) error {
	ctx, cancel := h.patience(ctx, q.op)
	defer cancel()
	r, err := h.send(ctx, q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusOK || r.StatusCode == http.StatusNotModified && tagOf(q.match) != "" {
		err = read(r)
	} else {
		err = h.newStatusError(r)
	}
	if err == nil {
		remote.Drain(r.Body)
		return nil
	}
	if !r.own {
		err = &elsewhereError{host: remote.HostKey(&r.at), err: err}
	}
	if r.known != "" {
		err = remote.Reword(err, spellings(r.known))
	}
	return err
}

// patience bounds one attempt as a whole. Only bundled files may take their time, as long as they arrive.
func (h *Hub) patience(ctx context.Context, op string) (context.Context, context.CancelFunc) {
	switch op {
	case "probe":
		return remote.ProbeTimeout(ctx, h.opts.Limits.ProbeTimeout)
	case "list":
		return remote.AnswerTimeout(ctx, h.opts.Limits.StallTimeout)
	}
	return context.WithCancel(ctx)
}

// send follows redirects. The caller closes the body.
func (h *Hub) send(ctx context.Context, q question) (*reply, error) {
	u, known := q.url(), ""
	for hop := 0; ; hop++ {
		r, err := h.once(ctx, u, q, known)
		if err != nil || !remote.IsRedirect(r.StatusCode) {
			return r, err
		}
		known = r.known
		remote.Drain(r.Body)
		if hop == remote.MaxRedirects {
			return nil, &remote.RedirectError{Text: fmt.Sprintf("more than %d redirects", remote.MaxRedirects)}
		}
		if u, err = remote.RedirectTarget(u, r.Header.Get("Location")); err != nil {
			return nil, err
		}
	}
}

// once sends one request. A token goes to the hub's own host alone (H6); known is one that went there before.
func (h *Hub) once(ctx context.Context, u url.URL, q question, known string) (*reply, error) {
	r := &reply{at: u, own: remote.HostKey(&u) == remote.HostKey(&h.base), known: known}
	if r.own {
		var err error
		if r.token, err = h.token(ctx, &u); err != nil {
			return nil, err
		}
		r.known = cmp.Or(r.token, known)
	}
	ctx, guard := remote.NewGuard(ctx, h.opts.Limits.StallTimeout)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		guard.Stop()
		return nil, err
	}
	req.Header.Set("User-Agent", h.opts.UserAgent)
	req.Header.Set("Accept", q.accept)
	// A proxy that compresses on the way makes a strong ETag weak, and a weak one is no revision.
	req.Header.Set("Accept-Encoding", "identity")
	if tag := tagOf(q.match); tag != "" {
		req.Header.Set("If-None-Match", `"`+tag+`"`)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		err = remote.Because(ctx, err)
		guard.Stop()
		if reason, sending := remote.WithoutURL(err); r.known != "" && sending {
			// What is around the reason is taken off again before it is shown.
			err = &url.Error{Op: req.Method, URL: h.base.String(), Err: remote.Reword(reason, spellings(r.known))}
		}
		return nil, err
	}
	resp.Body = guard.Body(resp.Body)
	r.Response = resp
	return r, nil
}

// token asks for the token of one request to u.
func (h *Hub) token(ctx context.Context, u *url.URL) (string, error) {
	if h.opts.Token == nil {
		return "", nil
	}
	token, err := h.opts.Token(ctx)
	if err != nil {
		return "", remote.Because(ctx, &tokenError{err})
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return "", nil
	case strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }):
		return "", &tokenError{errors.New("it holds a character that no token may have")}
	case !remote.MayCarrySecrets(u):
		return "", errPlain
	}
	return token, nil
}

// spellings are the forms in which a server may repeat a token.
func spellings(token string) []string {
	all := []string{token, url.QueryEscape(token), url.PathEscape(token)}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// mediaType returns the type of the content as the server declares it, "" when it does not.
func (r *reply) mediaType() string {
	declared := r.Header.Get("Content-Type")
	t, _, err := mime.ParseMediaType(declared)
	if err != nil {
		t, _, _ = strings.Cut(declared, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// refuseTypes returns an error for an answer of one of types.
func (r *reply) refuseTypes(want string, types ...string) error {
	if got := r.mediaType(); slices.Contains(types, got) {
		return &typeError{got: got, want: want}
	}
	return nil
}

// bound is a limit together with the words of its error.
type bound struct {
	max   int64
	what  string
	field string
}

func (b bound) err() error { return &transport.LimitError{What: b.what, Max: b.max, Field: b.field} }

func (h *Hub) answerBound() bound {
	return bound{h.opts.Limits.AnswerBytes, "bytes in one answer of a hub", "AnswerBytes"}
}

// read reads the body, at most as much as b allows.
func (r *reply) read(b bound) ([]byte, error) {
	if r.ContentLength > b.max {
		return nil, b.err()
	}
	body, err := r.content(b)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, b.max+1))
	if int64(len(data)) > b.max {
		return nil, b.err()
	}
	return data, err
}

// content returns the body as it was before the server compressed it, unasked. What comes over the wire is bounded too:
// compressed data may have no content and no end.
func (r *reply) content(b bound) (io.Reader, error) {
	const frame = 64 << 10
	wire := io.LimitReader(r.Body, b.max+frame)
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		return wire, nil
	case "gzip":
		return gzip.NewReader(wire)
	default:
		return nil, fmt.Errorf("the answer is encoded as %q, which was not asked for", remote.Clean(encoding))
	}
}
