package git_test

import (
	"testing"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// serve starts the in-process server for u.
func serve(t *testing.T, u *transporttest.Upstream) *transporttest.Server {
	t.Helper()
	s, err := transporttest.NewServer(u)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The transport keeps the contract against every kind of server (F5).
func TestConformance(t *testing.T) {
	t.Parallel()
	servers := map[string]transporttest.Faults{
		"good":         {},
		"deltas":       {Deltas: true},
		"ignoreFilter": {IgnoreFilter: true},
		"refuseFilter": {RefuseFilter: true},
		"v0Only":       {V0Only: true},
	}
	for name, faults := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transporttest.Test(t, transporttest.Setup{New: func(t *testing.T, u *transporttest.Upstream) transport.Transport {
				s := serve(t, u)
				s.SetFaults(faults)
				return git.New(git.Options{BaseURL: s.URL()})
			}})
		})
	}
}
