package git_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// slowBody yields a few bytes after each wait, until its request ends.
type slowBody struct {
	ctx  context.Context
	from io.Reader
	wait time.Duration
	size int
}

func (b *slowBody) Read(p []byte) (int, error) {
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-time.After(b.wait):
		return b.from.Read(p[:min(len(p), b.size)])
	}
}

func (*slowBody) Close() error { return nil }

// slowly answers each request with the bytes of from at a rate.
func slowly(from func() io.Reader, wait time.Duration, size int) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-git-upload-pack-result"}},
			Body: &slowBody{r.Context(), from(), wait, size}, Request: r,
		}, nil
	})}
}

// endless repeats its bytes.
type endless struct{ unit, rest []byte }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.unit
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// F6: a byte now and then is no progress, and a slow line is.
func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		drops := slowly(func() io.Reader {
			return io.MultiReader(bytes.NewReader(packet("", []byte("packfile\n"))), &endless{unit: packet("\x02", nil)})
		}, time.Second, 1)
		_, err := git.New(git.Options{Client: drops}).Open(t.Context(), transport.Revision(strings.Repeat("1", 40)), id(t, "gh:o/r"))
		var e *transport.Error
		if !errors.As(err, &e) || e.Cause != transport.CauseTimeout || !strings.Contains(err.Error(), "Limits.StallTimeout") {
			t.Errorf("Open at a byte a second = %v, want a timeout that names StallTimeout", err)
		}
		if got, want := time.Since(start), transport.DefaultLimits().StallTimeout; got != want {
			t.Errorf("Open at a byte a second took %v, want %v", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		noise := lcg(7)
		body := ""
		for i := range 15_000 {
			body += "100644 f" + itoa(100_000+i) + "\x00" + noise(20)
		}
		commit := "tree " + hashOf("tree", body) + "\n\n"
		answer := bands(pack(2, packObject(1, len(commit), []byte(commit)), packObject(2, len(body), []byte(body))))
		line := slowly(func() io.Reader { return bytes.NewReader(answer) }, 2*time.Second, 2048)
		start := time.Now()
		snap, err := git.New(git.Options{Client: line}).Open(t.Context(), transport.Revision(hashOf("commit", commit)), id(t, "gh:o/r"))
		if err != nil {
			t.Fatalf("Open at 1 KiB a second = %v", err)
		}
		defer snap.Close()
		if took := time.Since(start); took < 2*transport.DefaultLimits().StallTimeout {
			t.Errorf("the answer took %v, too little to show anything", took)
		}
	})
}
