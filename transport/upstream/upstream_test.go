package upstream_test

import (
	"errors"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
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
