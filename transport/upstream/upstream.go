// Package upstream puts the transports a program uses by default together.
//
// It stands apart from package transport because that one is the contract, which every importer of the library links:
// here net/http and a git implementation come in.
package upstream

import (
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/hub"
)

// Default returns the transport of a program on its user's machine: gh: ids from github.com, with the user's own
// credentials, proxies and address rewriting (see [git.UserHost]), and no hub, which a host names itself, see [WithHub]. It is safe for
// concurrent use. Calling it makes no request.
func Default() transport.Transport {
	return transport.Mux{GitHub: defaultGit()}
}

// WithHub is [Default] with a hub beside it: hub: ids come from the hub at base, see [hub.New], whose errors it returns.
func WithHub(base string, opts hub.Options) (transport.Transport, error) {
	h, err := hub.New(base, opts)
	if err != nil {
		return nil, err
	}
	return transport.Mux{GitHub: defaultGit(), Hub: h}, nil
}

func defaultGit() transport.Transport { return git.New(git.Options{Host: git.UserHost()}) }
