package git_test

import (
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// C4, X5: github.com is the site that everybody means; any other base is its own, without what may be secret.
func TestSite(t *testing.T) {
	t.Parallel()
	id, err := skill.ParseID("gh:acme/kit/skills")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"":                                   "",
		"https://github.com/":                "",
		"https://user:secret@GitHub.com:443": "",
		"ssh://git@github.com":               "",
		"http://github.com":                  "http://github.com",
		"https://github.com/proxy":           "https://github.com/proxy",
		"https://me:secret@git.corp.example/base/?token=secret": "https://git.corp.example/base",
		"https://me:se/cret@git.corp.example":                   "no address",
		"https://git.corp.example/secret@x":                     "no address",
		"ext::sh -c secret":                                     "no address",
		"file:///srv/git":                                       "file:///srv/git",
		"/srv/git@home":                                         "file:///srv/git@home",
	} {
		if got := git.New(git.Options{BaseURL: base}).Site(id); got != want {
			t.Errorf("the site of %q is %q, want %q", base, got, want)
		}
	}
	hub, err := skill.ParseID("hub:acme/kit")
	if err != nil {
		t.Fatal(err)
	}
	if got := git.New(git.Options{}).Site(hub); got != transport.NoSite {
		t.Errorf("the site of a hub: id is %q", got)
	}
}
