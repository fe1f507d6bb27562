package transporttest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// fetchRequest is what a client asks of a fetch, in either version of the protocol.
type fetchRequest struct {
	wants, haves []plumbing.Hash
	shallow      map[plumbing.Hash]bool // commits the client has without their parents
	depth        int                    // 0 for all history
	filter       filter
	done         bool
	sideBand     bool
}

// parseArg reads one argument that both versions share. It reports false for a line that is none.
func (q *fetchRequest) parseArg(line string, f Faults) (known bool, err error) {
	word, value, _ := strings.Cut(line, " ")
	switch word {
	case "want":
		q.wants, err = appendHash(q.wants, value)
	case "have":
		q.haves, err = appendHash(q.haves, value)
	case "shallow":
		var h []plumbing.Hash
		if h, err = appendHash(nil, value); err == nil {
			q.shallow[h[0]] = true
		}
	case "deepen":
		q.depth, err = strconv.Atoi(value)
		if err != nil || q.depth <= 0 {
			err = fmt.Errorf("invalid deepen: %q", value)
		}
	case "filter":
		if f.RefuseFilter {
			return false, nil
		}
		if !f.IgnoreFilter {
			q.filter, err = parseFilter(value)
		}
	case "done":
		q.done = true
	default:
		return false, nil
	}
	return true, err
}

func appendHash(list []plumbing.Hash, s string) ([]plumbing.Hash, error) {
	if !plumbing.IsHash(s) {
		return nil, fmt.Errorf("protocol error, expected to get object ID, not %q", s)
	}
	return append(list, plumbing.NewHash(s)), nil
}

func newFetchRequest() *fetchRequest {
	return &fetchRequest{shallow: map[plumbing.Hash]bool{}, filter: noFilter}
}

// parseFetchV2 reads the arguments of command=fetch.
func parseFetchV2(args []string, f Faults) (*fetchRequest, error) {
	q := newFetchRequest()
	q.sideBand = true
	accepted := []string{"thin-pack", "no-progress", "include-tag", "ofs-delta"}
	for _, arg := range args {
		known, err := q.parseArg(arg, f)
		if err != nil {
			return nil, err
		}
		if !known && !slices.Contains(accepted, arg) {
			return nil, fmt.Errorf("unexpected line: %q", arg)
		}
	}
	return q, nil
}

// fetchV2 answers version 2's fetch.
func (r *repository) fetchV2(w *pktWriter, q *fetchRequest, f Faults) error {
	if err := r.checkWants(q.wants, f); err != nil {
		return err
	}
	common := r.common(q.haves)
	if !q.done && len(q.haves) > 0 {
		w.linef("acknowledgments")
		if len(common) == 0 {
			w.linef("NAK")
			w.flush()
			return nil
		}
		for _, h := range common {
			w.linef("ACK %s", h)
		}
		w.linef("ready")
		w.delim()
	}
	s := r.selectObjects(q, common)
	if q.depth > 0 {
		w.linef("shallow-info")
		s.writeShallow(w)
		w.delim()
	}
	w.linef("packfile")
	if err := r.writePack(w, s.objects, true, f); err != nil {
		return err
	}
	w.flush()
	return nil
}

// checkWants refuses what the repository does not hold, in git's words.
func (r *repository) checkWants(wants []plumbing.Hash, f Faults) error {
	for _, h := range wants {
		if !r.has(h) || f.TipsOnly && !r.isTip(h) {
			return fmt.Errorf("upload-pack: not our ref %s", h)
		}
	}
	return nil
}

func (r *repository) isTip(h plumbing.Hash) bool {
	for _, tip := range r.refs {
		if tip == h {
			return true
		}
	}
	return false
}

// common returns the haves that the repository holds as well.
func (r *repository) common(haves []plumbing.Hash) []plumbing.Hash {
	var list []plumbing.Hash
	for _, h := range haves {
		if r.has(h) {
			list = append(list, h)
		}
	}
	return list
}

// writePack writes the pack of list, in a side band or bare.
func (r *repository) writePack(w *pktWriter, list []plumbing.Hash, sideBand bool, f Faults) error {
	var window uint
	if f.Deltas {
		window = 10
	}
	var pack pktWriter
	if _, err := packfile.NewEncoder(&pack, r.objects, false).Encode(list, window); err != nil {
		return fmt.Errorf("upload-pack: %w", err)
	}
	if !sideBand {
		_, err := w.Write(pack.Bytes())
		return err
	}
	w.band(1, pack.Bytes())
	return nil
}
