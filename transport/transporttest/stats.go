package transporttest

import (
	"maps"
	"net"
	"net/http"
)

// Kind sorts a server's requests.
type Kind string

// The kinds of request.
const (
	KindAdvertisement Kind = "advertisement" // GET info/refs
	KindRefs          Kind = "refs"          // ls-refs, a probe
	KindListing       Kind = "listing"       // a fetch of commits and trees, and of what its filter lets through
	KindBodies        Kind = "bodies"        // a fetch of nothing but blobs
	KindOther         Kind = "other"         // redirects, refusals, intercepted requests
)

// Traffic counts requests and the bytes of their bodies as they cross the wire, headers aside.
type Traffic struct {
	Requests       int
	Received, Sent int64 // by the server
}

// Stats is what a server was asked.
type Stats struct {
	Connections int // accepted since the counting began
	ByKind      map[Kind]Traffic
}

// Total returns the sum over all kinds.
func (s Stats) Total() Traffic {
	var sum Traffic
	for _, t := range s.ByKind {
		sum.Requests += t.Requests
		sum.Received += t.Received
		sum.Sent += t.Sent
	}
	return sum
}

// Stats returns what was counted since the server began or since ResetStats. A request is counted before its answer
// leaves, so whoever has read an answer finds it here.
func (s *Server) Stats() Stats {
	s.statsMu.Lock()
	defer s.statsMu.Unlock()
	return Stats{s.stats.Connections, maps.Clone(s.stats.ByKind)}
}

// ResetStats begins the counting anew. Connections that stay open are not counted again.
func (s *Server) ResetStats() {
	s.statsMu.Lock()
	defer s.statsMu.Unlock()
	s.stats = Stats{}
}

func (s *Server) countConn(_ net.Conn, state http.ConnState) {
	if state != http.StateNew {
		return
	}
	s.statsMu.Lock()
	defer s.statsMu.Unlock()
	s.stats.Connections++
}

func (s *Server) count(kind Kind, t Traffic) {
	s.statsMu.Lock()
	defer s.statsMu.Unlock()
	if s.stats.ByKind == nil {
		s.stats.ByKind = map[Kind]Traffic{}
	}
	sum := s.stats.ByKind[kind]
	sum.Requests += t.Requests
	sum.Received += t.Received
	sum.Sent += t.Sent
	s.stats.ByKind[kind] = sum
}
