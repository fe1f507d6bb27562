package transporttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

const agent = "agent=atskills-transporttest/1"

// advertiseV2 announces what the server understands.
func advertiseV2(w *pktWriter, f Faults) {
	w.linef("version 2")
	w.linef(agent)
	w.linef("ls-refs=unborn")
	if f.RefuseFilter {
		w.linef("fetch=shallow")
	} else {
		w.linef("fetch=shallow filter")
	}
	w.linef("server-option")
	w.linef("object-format=sha1")
	w.flush()
}

// ref is one line of a ref listing.
type ref struct {
	name   string
	hash   plumbing.Hash
	target string        // of a symbolic ref
	peeled plumbing.Hash // of an annotated tag
}

// listRefs returns HEAD, when its branch exists, and then all refs in order.
func (r *repository) listRefs() []ref {
	var list []ref
	if h, ok := r.refs[r.head]; ok {
		list = append(list, ref{name: "HEAD", hash: h, target: r.head})
	}
	for _, name := range slices.Sorted(maps.Keys(r.refs)) {
		h := r.refs[name]
		list = append(list, ref{name: name, hash: h, peeled: r.peel(h)})
	}
	return list
}

// peel returns what an annotated tag points at, the zero hash for anything else.
func (r *repository) peel(h plumbing.Hash) plumbing.Hash {
	data, err := r.getKind(plumbing.TagObject, h)
	if err != nil {
		return plumbing.ZeroHash
	}
	line, _, _ := strings.Cut(string(data), "\n")
	target, _ := strings.CutPrefix(line, "object ")
	return plumbing.NewHash(target)
}

// lsRefs answers version 2's ls-refs.
func (r *repository) lsRefs(w *pktWriter, args []string) error {
	var prefixes []string
	var peel, symrefs, unborn bool
	for _, arg := range args {
		prefix, isPrefix := strings.CutPrefix(arg, "ref-prefix ")
		switch {
		case isPrefix:
			prefixes = append(prefixes, prefix)
		case arg == "peel":
			peel = true
		case arg == "symrefs":
			symrefs = true
		case arg == "unborn":
			unborn = true
		default:
			return fmt.Errorf("unexpected line: %q", arg)
		}
	}
	wanted := func(name string) bool {
		return len(prefixes) == 0 ||
			slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	if _, born := r.refs[r.head]; !born && unborn && symrefs && wanted("HEAD") {
		w.linef("unborn HEAD symref-target:%s", r.head)
	}
	for _, ref := range r.listRefs() {
		if !wanted(ref.name) {
			continue
		}
		line := ref.hash.String() + " " + ref.name
		if symrefs && ref.target != "" {
			line += " symref-target:" + ref.target
		}
		if peel && !ref.peeled.IsZero() {
			line += " peeled:" + ref.peeled.String()
		}
		w.linef("%s", line)
	}
	w.flush()
	return nil
}
