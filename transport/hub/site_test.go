package hub_test

import (
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// C4, F6: a hub's site is its address, and its limits are those it was given.
func TestSite(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://Hub.Example:443/": "https://hub.example",
		"http://127.0.0.1:81/a/b/": "http://127.0.0.1:81/a/b",
	} {
		h, err := hub.New(base, hub.Options{Limits: transport.Limits{FetchBytes: 7}})
		if err != nil {
			t.Fatal(err)
		}
		for ref, want := range map[string]string{"hub:acme/notes": want, "gh:acme/kit": transport.NoSite} {
			id, err := skill.ParseID(ref)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Site(id); got != want {
				t.Errorf("the site of %s at %q is %q, want %q", ref, base, got, want)
			}
			if got := h.Limits(id); got != (transport.Limits{FetchBytes: 7}).WithDefaults() {
				t.Errorf("limits %+v", got)
			}
		}
	}
}
