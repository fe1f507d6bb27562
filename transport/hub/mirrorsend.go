package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const textPlain = "text/plain; charset=utf-8"

// page is an answer of 200, or of what conditions and ranges make of it.
type page struct {
	body        []byte     // not to be changed
	large       *largeFile // in place of body
	etag        string     // without quotes, "" for none
	contentType string
	visibility  transport.Visibility // "" for what is not part of the tree
	files       int                  // of the skill whose SKILL.md this is, 0 for other pages
	pinned      bool                 // it was asked for by revision, and never changes
}

// jsonLine returns v as the body of an answer.
func jsonLine(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(data, '\n'), err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// contentType says what a file is. Only SKILL.md is shown by a browser: everything else is bytes that somebody put into
// a skill, and none of it is to run as a page of this server.
func contentType(name string) string {
	if path.Base(name) == skill.SkillFile {
		return "text/markdown; charset=utf-8"
	}
	return "application/octet-stream"
}

// send answers with p. An error says that the answer, whose headers are sent, does not end well.
func (m *mirror) send(w http.ResponseWriter, r *http.Request, p page) error {
	h := w.Header()
	guardHeaders(h)
	h.Set("Content-Type", p.contentType)
	h.Set("Cache-Control", m.cacheControl(p))
	if p.etag != "" {
		h.Set("ETag", `"`+p.etag+`"`)
	}
	if p.visibility != "" {
		h.Set("Atskills-Visibility", string(p.visibility))
	}
	if p.files > 0 {
		h.Set(filesHeader, strconv.Itoa(p.files))
	}
	if p.visibility == transport.Private {
		h.Set("Vary", "Authorization")
	}
	if p.large != nil {
		return p.large.serve(w, r)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
	return nil
}

// cacheControl says for how long an answer holds. A revision never changes; what stands at a name may, and is asked for
// again. What a token opened is kept by no cache that others use.
func (m *mirror) cacheControl(p page) string {
	if p.visibility == "" {
		return "no-store"
	}
	scope := string(p.visibility)
	if p.pinned {
		return scope + ", max-age=31536000, immutable"
	}
	if m.maxAge < 0 {
		return scope + ", no-cache"
	}
	return fmt.Sprintf("%s, max-age=%d, must-revalidate", scope, int64(m.maxAge/time.Second))
}

func guardHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
}

// refusal is an answer other than a page: one line of text, or JSON.
type refusal struct {
	status int
	text   string
	count  int // of the rows that are too many for a menu; then the answer is JSON
}

func (e *refusal) Error() string { return e.text }

var (
	errMissing  = &refusal{status: http.StatusNotFound, text: "nothing stands here, or it is not for you to see"}
	errRevision = &refusal{status: http.StatusNotFound, text: "that revision is not served here: a mirror has the present one only"}
	errMethod   = &refusal{status: http.StatusMethodNotAllowed, text: "only GET and HEAD are answered"}
	errQuery    = &refusal{status: http.StatusBadRequest, text: "the query cannot be read"}
	errLongURL  = &refusal{status: http.StatusRequestURITooLong, text: "the address is too long"}
	errHeaders  = &refusal{status: http.StatusRequestHeaderFieldsTooLarge, text: "the headers are too large"}
	errBusy     = &refusal{status: http.StatusServiceUnavailable, text: "what stands here is changing or too many ask for it; try again"}
	// errUnsettled is for names that are not there while the folder has traces of a replacement (fsx.Dir.Unfinished).
	errUnsettled = &refusal{status: http.StatusServiceUnavailable, text: "something here is being replaced, or a replacement was interrupted; try again"}
	errBroken    = &refusal{status: http.StatusServiceUnavailable, text: "the tree cannot be read at present"}
)

// unavailable is err where it must not be taken for an answer about what was asked for: the tree itself is out of reach.
func unavailable(err error) error { return fmt.Errorf("%w: %w", errBroken, err) }

func tooLarge(format string, args ...any) error {
	return &refusal{status: http.StatusRequestEntityTooLarge, text: fmt.Sprintf(format, args...)}
}

// isAbsent reports whether err says that no regular file stands at a name, or none that may be read.
func isAbsent(err error) bool {
	link := (*fsx.LinkError)(nil)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsx.ErrNotRegular) || errors.Is(err, fsx.ErrNotDir) || errors.As(err, &link)
}

// refusalFor returns the answer for err, nil for nil. Errors of the file system name files, and are for the log alone.
func refusalFor(err error) *refusal {
	size := (*fsx.SizeError)(nil)
	known := (*refusal)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.As(err, &size):
		return &refusal{status: http.StatusRequestEntityTooLarge, text: fmt.Sprintf("a file here is larger than %d bytes, and not served", size.Max)}
	case isAbsent(err):
		return errMissing
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return errBusy
	}
	return errBroken
}

// refuse answers with an error. All answers of one status and text are the same bytes, headers included: what is hidden
// looks like what is not there (H4). Caches keep none of them, since a token may make the difference.
func (m *mirror) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := refusalFor(err)
	if e.status == http.StatusServiceUnavailable && r.Context().Err() == nil {
		m.log.LogAttrs(r.Context(), slog.LevelError, "unavailable", slog.String("path", clip(shownTarget(r.URL))), slog.Any("error", err))
	}
	h, body := w.Header(), []byte(e.text+"\n")
	guardHeaders(h)
	h.Set("Content-Type", textPlain)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Authorization")
	switch {
	case e.status == http.StatusMethodNotAllowed:
		h.Set("Allow", "GET, HEAD")
	case e.status == http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case e.count > 0:
		h.Set("Content-Type", jsonType)
		body = tooMany(e)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // whoever hung up has no use for an error
	}
}

func tooMany(e *refusal) []byte {
	data, _ := json.Marshal(struct { // a string and a number always can be
		Error string `json:"error"`
		Count int    `json:"count"`
	}{e.text, e.count})
	return append(data, '\n')
}

// recorder notes what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
