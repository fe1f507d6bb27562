package transporttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// advertiseV0 announces every ref and what the server understands, as servers did before version 2.
func (r *repository) advertiseV0(w *pktWriter, f Faults) {
	w.linef("# service=git-upload-pack")
	w.flush()
	caps := "shallow no-progress side-band-64k ofs-delta thin-pack include-tag"
	if !f.TipsOnly {
		caps += " allow-tip-sha1-in-want allow-reachable-sha1-in-want"
	}
	if !f.RefuseFilter {
		caps += " filter"
	}
	if _, ok := r.refs[r.head]; ok {
		caps += " symref=HEAD:" + r.head
	}
	caps += " object-format=sha1 " + agent
	list := r.listRefs()
	if len(list) == 0 {
		w.linef("%s capabilities^{}\x00%s", plumbing.ZeroHash, caps)
	}
	for i, ref := range list {
		if i == 0 {
			w.linef("%s %s\x00%s", ref.hash, ref.name, caps)
		} else {
			w.linef("%s %s", ref.hash, ref.name)
		}
		if !ref.peeled.IsZero() {
			w.linef("%s %s^{}", ref.peeled, ref.name)
		}
	}
	w.flush()
}

// parseFetchV0 reads a version 0 request: wants with capabilities on the first, a flush, haves, done.
func parseFetchV0(pkts []pkt, f Faults) (*fetchRequest, error) {
	q := newFetchRequest()
	for _, p := range pkts {
		if p.kind != pktData {
			continue
		}
		line := p.line
		if strings.HasPrefix(line, "want ") && len(q.wants) == 0 {
			caps := strings.Fields(line)[1:]
			q.sideBand = slices.Contains(caps, "side-band-64k")
			line = "want " + strings.Join(caps[:min(1, len(caps))], "")
		}
		known, err := q.parseArg(line, f)
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, fmt.Errorf("upload-pack: protocol error, expected to get object ID, not %q", line)
		}
	}
	return q, nil
}

// fetchV0 answers a version 0 request. Without multi_ack the first common commit is acknowledged and, until "done",
// nothing else said.
func (r *repository) fetchV0(w *pktWriter, q *fetchRequest, f Faults) error {
	if err := r.checkWants(q.wants, f); err != nil {
		return err
	}
	common := r.common(q.haves)
	s := r.selectObjects(q, common)
	if q.depth > 0 {
		s.writeShallow(w)
		w.flush()
	}
	if len(common) > 0 {
		w.linef("ACK %s", common[0])
	} else if q.done || len(q.haves) > 0 {
		w.linef("NAK")
	}
	if !q.done {
		return nil
	}
	if err := r.writePack(w, s.objects, q.sideBand, f); err != nil {
		return err
	}
	if q.sideBand {
		w.flush()
	}
	return nil
}
