package transporttest

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Server serves an [Upstream]'s repositories, read-only, over git's smart HTTP: protocol version 2, and version 0 for
// those who do not ask for it. A repository stands at <URL>/<owner>/<repo>, with or without ".git". It answers
// ls-refs, fetches by any hash it holds, shallow and partial ones, with and without a GET of info/refs before.
//
// Safe for concurrent use.
type Server struct {
	*Upstream
	address string // host and port, the same for the server's whole life

	mu        sync.Mutex
	http      *http.Server // nil while offline
	served    chan struct{}
	faults    Faults
	intercept func(http.ResponseWriter, *http.Request) bool

	// statsMu is apart from mu, because connections are counted while SetOffline waits for the listener to end.
	statsMu sync.Mutex
	stats   Stats
}

// Faults are the ways of servers that are not GitHub, and of bad ones. The zero value is a good server.
type Faults struct {
	V0Only       bool // knows nothing of protocol version 2
	IgnoreFilter bool // sends everything whatever the filter
	RefuseFilter bool // does not offer filters, and fails when asked for one
	TipsOnly     bool // refuses to serve what is not the tip of a ref ("not our ref")
	Deltas       bool // sends packs with deltas, as every large host does
	// Truncate ends each answer to a fetch after so many bytes as if it were complete, 0 for never. With Abort the
	// connection is dropped there instead.
	Truncate int
	Abort    bool
}

// NewServer starts a server for u on a free port of the loopback interface. Close stops it.
func NewServer(u *Upstream) (*Server, error) {
	s := &Server{Upstream: u, address: "127.0.0.1:0"}
	if err := s.SetOffline(false); err != nil {
		return nil, err
	}
	return s, nil
}

// URL returns the base below which repositories stand, without a trailing slash.
func (s *Server) URL() string { return "http://" + s.address }

// RepositoryURL returns the address of one repository.
func (s *Server) RepositoryURL(repo string) string { return s.URL() + "/" + repoName(repo) + ".git" }

// Close ends the server and its connections.
func (s *Server) Close() error { return s.SetOffline(true) }

// SetOffline closes the server's port and connections, or opens the same port again. It does nothing when the server
// is in that state already. It waits for no request being answered.
func (s *Server) SetOffline(offline bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if offline == (s.http == nil) {
		return nil
	}
	if offline {
		err := s.http.Close()
		<-s.served
		s.http = nil
		return err
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return fmt.Errorf("serve upstream: %w", err)
	}
	s.address = listener.Addr().String()
	s.http, s.served = &http.Server{Handler: s.Handler(), ConnState: s.countConn}, make(chan struct{})
	go func(srv *http.Server, served chan struct{}) {
		defer close(served)
		_ = srv.Serve(listener) // always ends with ErrServerClosed
	}(s.http, s.served)
	return nil
}

// SetFaults changes how the server behaves from the next request on.
func (s *Server) SetFaults(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Intercept has f look at each request first; when it returns true it has answered. The request counts as
// [KindOther] then. A nil f ends this.
func (s *Server) Intercept(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = f
}

// Handler returns what the server serves, to mount elsewhere. Its requests are counted with the server's.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	intercept, faults := s.intercept, s.faults
	s.mu.Unlock()
	x := &exchange{ResponseWriter: rw, server: s, faults: faults, kind: KindOther}
	if intercept != nil && intercept(x, r) {
		x.begin(KindOther)
		return
	}
	repo, service, ok := splitRequest(r.URL.Path)
	if !ok || r.Method != methodOf(service) {
		x.fail(http.StatusNotFound, "not found")
		return
	}
	stored, ok := s.admit(x, r, repo)
	if !ok {
		return
	}
	if service == "info/refs" {
		x.advertise(stored, r)
		return
	}
	x.uploadPack(stored, r)
}

func methodOf(service string) string {
	if service == "info/refs" {
		return http.MethodGet
	}
	return http.MethodPost
}

// splitRequest finds the repository and the service in a request's path.
func splitRequest(p string) (repo, service string, ok bool) {
	for _, service := range []string{"info/refs", "git-upload-pack"} {
		if repo, ok := strings.CutSuffix(p, "/"+service); ok {
			repo = strings.TrimSuffix(strings.TrimPrefix(repo, "/"), ".git")
			return repo, service, strings.Count(repo, "/") == 1 && !strings.HasPrefix(repo, "hub:")
		}
	}
	return "", "", false
}

// admit finds the repository, or answers that it moved, is not there, or is not for this client.
func (s *Server) admit(x *exchange, r *http.Request, name string) (*repository, bool) {
	s.Upstream.mu.RLock()
	stored, moved, err := s.find(name)
	var access *Access
	if err == nil {
		access = stored.access
	}
	s.Upstream.mu.RUnlock()
	switch {
	case err != nil || access != nil && access.Hide && !access.admits(r):
		x.fail(http.StatusNotFound, "Repository not found.")
	case !access.admits(r):
		x.Header().Set("WWW-Authenticate", `Basic realm="upstream"`)
		x.fail(http.StatusUnauthorized, "Authentication required.")
	case moved != "":
		x.begin(KindOther)
		to := *r.URL
		to.Path, to.RawPath = strings.Replace(to.Path, name, moved, 1), ""
		http.Redirect(x, r, to.String(), http.StatusMovedPermanently)
	default:
		return stored, true
	}
	return nil, false
}

func (a *Access) admits(r *http.Request) bool {
	if a == nil {
		return true
	}
	user, password, ok := r.BasicAuth()
	return ok && (a.User == "" || a.User == user) &&
		subtle.ConstantTimeCompare([]byte(a.Password), []byte(password)) == 1
}
