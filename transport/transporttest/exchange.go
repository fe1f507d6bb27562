package transporttest

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// exchange is one request and its answer.
type exchange struct {
	http.ResponseWriter
	server *Server
	faults Faults

	kind     Kind
	begun    bool
	received int64
}

// begin counts the request, once its kind is known and before anything of the answer leaves. Later calls do nothing.
func (x *exchange) begin(kind Kind) {
	if x.begun {
		return
	}
	x.begun, x.kind = true, kind
	x.server.count(kind, Traffic{Requests: 1, Received: x.received})
}

// Write counts and sends p.
func (x *exchange) Write(p []byte) (int, error) {
	x.begin(KindOther)
	x.server.count(x.kind, Traffic{Sent: int64(len(p))})
	return x.ResponseWriter.Write(p)
}

// Unwrap lets an interceptor flush and hijack through http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchange) fail(status int, text string) {
	x.begin(KindOther)
	http.Error(x, text, status)
}

// advertise answers GET info/refs.
func (x *exchange) advertise(repo *repository, r *http.Request) {
	if service := r.URL.Query().Get("service"); service != "git-upload-pack" {
		x.fail(http.StatusForbidden, "only git-upload-pack is served here")
		return
	}
	x.begin(KindAdvertisement)
	var w pktWriter
	if x.wantsV2(r) {
		advertiseV2(&w, x.faults)
	} else {
		x.server.view(func() { repo.advertiseV0(&w, x.faults) })
	}
	x.send("application/x-git-upload-pack-advertisement", w.Bytes())
}

func (x *exchange) wantsV2(r *http.Request) bool {
	for param := range strings.SplitSeq(r.Header.Get("Git-Protocol"), ":") {
		if param == "version=2" {
			return !x.faults.V0Only
		}
	}
	return false
}

// uploadPack answers POST git-upload-pack.
func (x *exchange) uploadPack(repo *repository, r *http.Request) {
	pkts, err := x.readRequest(r)
	if err != nil {
		x.fail(http.StatusBadRequest, err.Error())
		return
	}
	// The answer is complete before it is sent: a client that reads slowly must not hold up changes upstream.
	var w pktWriter
	answer := x.fetchV0
	if x.wantsV2(r) {
		answer = x.command
	}
	x.server.view(func() { err = answer(&w, repo, pkts) })
	if err != nil {
		x.begin(KindOther)
		w.refuse(err)
	}
	x.send("application/x-git-upload-pack-result", w.Bytes())
}

// maxRequest bounds a request body once unpacked.
const maxRequest = 64 << 20

func (x *exchange) readRequest(r *http.Request) ([]pkt, error) {
	var body io.Reader = countedBody{r.Body, x}
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = z
	}
	data, err := io.ReadAll(io.LimitReader(body, maxRequest+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxRequest {
		return nil, errors.New("request too large")
	}
	return readPkts(data)
}

// countedBody counts a request's body as it comes over the wire.
type countedBody struct {
	body io.Reader
	x    *exchange
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.x.received += int64(n)
	return n, err
}

// command runs a version 2 command: its name and capabilities, a delimiter, its arguments, a flush.
func (x *exchange) command(w *pktWriter, repo *repository, pkts []pkt) error {
	var name string
	var args []string
	inArgs := false
	for _, p := range pkts {
		switch {
		case p.kind == pktDelim:
			inArgs = true
		case p.kind == pktFlush:
		case inArgs:
			args = append(args, p.line)
		case strings.HasPrefix(p.line, "command="):
			name = strings.TrimPrefix(p.line, "command=")
		case strings.HasPrefix(p.line, "object-format=") && p.line != "object-format=sha1":
			return fmt.Errorf("unsupported %s", p.line)
		}
	}
	switch name {
	case "ls-refs":
		x.begin(KindRefs)
		return repo.lsRefs(w, args)
	case "fetch":
		q, err := parseFetchV2(args, x.faults)
		if err != nil {
			return err
		}
		x.begin(repo.kindOf(q))
		return repo.fetchV2(w, q, x.faults)
	}
	return fmt.Errorf("unknown command %q", cmp.Or(name, "none"))
}

func (x *exchange) fetchV0(w *pktWriter, repo *repository, pkts []pkt) error {
	q, err := parseFetchV0(pkts, x.faults)
	if err != nil {
		return err
	}
	x.begin(repo.kindOf(q))
	return repo.fetchV0(w, q, x.faults)
}

// kindOf tells the fetch of bodies from that of a listing.
func (r *repository) kindOf(q *fetchRequest) Kind {
	for _, h := range q.wants {
		if kind, _, err := r.get(h); err != nil || kind != plumbing.BlobObject {
			return KindListing
		}
	}
	return KindBodies
}

// send writes the whole answer, or as much of it as the server's faults allow.
func (x *exchange) send(contentType string, body []byte) {
	x.Header().Set("Content-Type", contentType)
	x.Header().Set("Cache-Control", "no-cache")
	n := x.faults.Truncate
	cut := n > 0 && n < len(body) && (x.kind == KindListing || x.kind == KindBodies)
	if cut {
		body = body[:n]
	}
	_, _ = x.Write(body) // a client that went away needs no answer
	if cut && x.faults.Abort {
		_ = http.NewResponseController(x.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
}
