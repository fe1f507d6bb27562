package upstream_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
	"github.com/atskills-go/atskills/transport/upstream"
)

// H1: without a hub, a hub: id fails without a request, and gh: ids are served by git.
func TestDefault(t *testing.T) {
	t.Parallel()
	tr := upstream.Default()
	id, err := skill.ParseID("hub:acme/deploy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Head(t.Context(), id); !errors.Is(err, transport.ErrNotConfigured) {
		t.Errorf("Head(%q) = %v, want ErrNotConfigured", id, err)
	}
	if _, ok := tr.(transport.BranchLister); !ok {
		t.Error("the default transport cannot list branches")
	}
}

// H1: with a hub, hub: ids go there and gh: ids do not.
func TestWithHub(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		_, _ = io.WriteString(w, "asked for "+r.URL.Path)
	}))
	defer s.Close()
	tr, err := upstream.WithHub(s.URL+"/skills/", hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id, err := skill.ParseID("hub:acme/deploy")
	if err != nil {
		t.Fatal(err)
	}
	if head, err := tr.Head(t.Context(), id); err != nil || head.Revision != "one" {
		t.Errorf("Head(%q) = %+v, %v", id, head, err)
	}
	if _, ok := tr.(transport.BranchLister); !ok {
		t.Error("the transport cannot list branches")
	}
	if tr, err := upstream.WithHub("no address", hub.Options{}); err == nil || tr != nil {
		t.Errorf("WithHub of no address = %v, %v", tr, err)
	}
}
