package remote_test

import (
	"net/url"
	"testing"

	"github.com/atskills-go/atskills/internal/remote"
)

// C4, X5: one provider has one spelling, and no secrets in it.
func TestSite(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://hub.example":                     "https://hub.example",
		"HTTPS://u:secret@Hub.Example:443/a/?k#f": "https://hub.example/a",
		"http://hub.example:443/a%2Fb":            "http://hub.example:443/a%2Fb",
		"http://[::1]:80/":                        "http://[::1]",
		"http://127.0.0.1:8080":                   "http://127.0.0.1:8080",
		"ssh://git@hub.example:22/srv":            "ssh://hub.example/srv",
		"file:///srv/git/":                        "file:///srv/git",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := remote.Site(u); got != want {
			t.Errorf("Site(%q) = %q, want %q", address, got, want)
		}
	}
}
