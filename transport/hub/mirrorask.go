package hub

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const maxHeader = 16 << 10 // bytes of all headers of a request, and of its address

type askKind uint8

const (
	askSkill askKind = iota
	askFiles
	askFile
	askMenu
	askHealth
)

// ask is what a request is for. Owner and name are those of a hub: id, in lower case.
type ask struct {
	kind        askKind
	owner, name string // name is empty in the menu of an owner
	path        string // of a file, relative to the skill
	pinned      bool   // ?rev was given
	rev         string
}

// checkRequest refuses what cannot be a plain GET of reasonable size.
func checkRequest(r *http.Request, limits transport.Limits) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errMethod
	}
	if len(r.URL.Path) > limits.PathBytes || len(r.URL.RawPath) > maxHeader || len(r.URL.RawQuery) > maxHeader {
		return errLongURL
	}
	size := 0
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if size > maxHeader {
		return errHeaders
	}
	return nil
}

// parseAsk reads an address. Each segment is decoded before it is checked, and checked as those of a reference are
// (G7). What cannot name anything is missing, like everything else that is not there.
func parseAsk(u *url.URL) (ask, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return ask{}, errQuery
	}
	a := ask{pinned: query.Has("rev"), rev: query.Get("rev")}
	escaped, ok := strings.CutPrefix(u.EscapedPath(), "/")
	if escaped == "" && query.Has("prefix") {
		return a.menuOf(query.Get("prefix"))
	}
	if !ok || escaped == "" {
		return ask{}, errMissing
	}
	if escaped == "healthz" {
		return ask{kind: askHealth}, nil
	}
	var segs []string
	for seg := range strings.SplitSeq(escaped, "/") {
		if seg, err = url.PathUnescape(seg); err != nil {
			return ask{}, errMissing
		}
		segs = append(segs, seg)
	}
	return a.skillOf(segs, query.Has("files"))
}

func (a ask) menuOf(prefix string) (ask, error) {
	segs := strings.Split(strings.TrimSuffix(prefix, "/"), "/")
	a.kind = askMenu
	if len(segs) > 1 {
		err := a.id(segs)
		return a, err
	}
	err := a.id(append(segs, "x")) // an owner alone is no id
	a.name = ""
	return a, err
}

func (a ask) skillOf(segs []string, files bool) (ask, error) {
	if len(segs) < 2 || len(segs) > skill.MaxSegments {
		return ask{}, errMissing
	}
	if err := a.id(segs[:2]); err != nil {
		return ask{}, err
	}
	for i, seg := range segs[2:] {
		if skill.CheckSegment(seg) != nil || invisible(seg, i == 0) {
			return ask{}, errMissing
		}
	}
	a.path = strings.Join(segs[2:], "/")
	switch {
	case a.path != "":
		a.kind = askFile
	case files:
		a.kind = askFiles
	}
	return a, nil
}

// id sets owner and name from the segments of a hub: id.
func (a *ask) id(segs []string) error {
	id, err := servedID(segs...)
	a.owner, a.name, _ = strings.Cut(id.Path(), "/")
	return err
}

// servedID returns the id of owner and name, in any case (G3), or errMissing when there is none that is served.
func servedID(segs ...string) (skill.ID, error) {
	for _, seg := range segs {
		if skill.CheckSegment(seg) != nil || invisible(seg, true) {
			return skill.ID{}, errMissing
		}
	}
	id, err := skill.ParseID("hub:" + strings.Join(segs, "/"))
	if err != nil {
		return skill.ID{}, errMissing
	}
	return id, nil
}

// invisible reports whether nothing of that name is served: repositories, and at the top of the tree, of an owner and
// of a skill everything behind a dot, such as stamps and settings (R7).
func invisible(name string, top bool) bool {
	return skill.Reserved(name) || top && strings.HasPrefix(name, ".")
}

// shownTarget is what the log says of an address. Queries may hold anything; only the prefix of a menu is of use.
func shownTarget(u *url.URL) string {
	if prefix := u.Query().Get("prefix"); prefix != "" && strings.Trim(u.Path, "/") == "" {
		return "/?prefix=" + prefix
	}
	return u.Path
}

// clip bounds a text of a stranger for the log.
func clip(s string) string {
	const max = 512
	if len(s) > max {
		return s[:max] + "…"
	}
	return s
}
