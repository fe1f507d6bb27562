package skill

import (
	"errors"
	"fmt"
	"strings"
)

// Ref is a reference as a person wrote it, parsed (G1). The zero Ref refers to nothing. Refs are comparable.
type Ref struct {
	// ID is what the reference addresses. The path of a bare or hub: reference is in lower case (G3).
	ID ID
	// Save, Install and Index say which suffixes were written. Order and repeats mean nothing.
	Save, Install, Index bool
	// Dir says that the path ended in a slash: the whole directory (G9).
	Dir bool
	// Branch is the branch, tag or commit a pasted address names, "" when it names none. It is no part of the id,
	// since HEAD is what is read. Of a branch whose name holds slashes it is the first piece, until [Ref.Rebranch]
	// has seen the names there are (G5).
	Branch string

	spelled string // a bare path as written, when that is not its lower case
}

const refPrefix = "@skills:"

// ParseRef reads one reference, a token already cut from its text; white space around it does not count, white space
// inside a segment does. The prefix "@skills:" (or its alias "@workflow:") may be missing, so that ids in canonical or
// reference spelling and addresses pasted from a browser or a terminal are read too (G1-G9).
//
// Escapes are decoded segment by segment, and only then is a segment checked (G7); syntax is recognised before that.
// An escaped character is therefore never part of a marker, suffix, host or file name: "a%3Asave" is a folder called
// "a:save", and "x/SKILL%2Emd" is a folder called "SKILL.md", where "x/SKILL.md" is the folder x. A '?' or '#' begins a
// query or fragment in an address only; elsewhere it is a character like others, as in "gh:o/r/c#-helper".
//
// Errors are of type [*SyntaxError]. They match [ErrUserinfo] or [*HostError] where an address is to blame.
func ParseRef(s string) (Ref, error) {
	token := strings.TrimSpace(s)
	r, err := parseRef(token)
	if err != nil {
		return Ref{}, &SyntaxError{Input: shorten(redact(token)), Err: redactError(err)}
	}
	return r, nil
}

func parseRef(token string) (Ref, error) {
	if len(token) > MaxReference {
		return Ref{}, fmt.Errorf("longer than %d bytes", MaxReference)
	}
	var r Ref
	path := r.cutSuffixes(cutRefPrefix(token))
	scheme, path := cutMarker(path)
	if err := r.setPath(scheme, path); err != nil {
		return Ref{}, err
	}
	if len(r.String()) > MaxReference {
		return Ref{}, fmt.Errorf("longer than %d bytes with its escapes", MaxReference)
	}
	return r, nil
}

// setPath reads what stands between the marker and the suffixes.
func (r *Ref) setPath(scheme Scheme, path string) error {
	switch {
	case hasScheme(path) && scheme == Hub:
		return errors.New("hub: takes no address; a hub id is hub:<owner>/<name>")
	case isAddress(path) && scheme != Hub:
		return r.setAddress(path)
	case hasPassword(firstSegment(path)), lacksSlash(path):
		return ErrUserinfo
	case scheme == Hub:
		return r.setHub(path)
	case scheme == GitHub:
		return r.setGitHub(path)
	}
	return r.setBare(path)
}

func (r *Ref) setHub(path string) (err error) {
	path, r.Dir = strings.CutSuffix(path, "/")
	path, err = decodePath(dropSkillFile(strings.Split(path, "/"), 2))
	if err != nil {
		return err
	}
	r.ID, err = newID(Hub, path)
	return err
}

func (r *Ref) setBare(path string) (err error) {
	path, r.Dir = strings.CutSuffix(path, "/")
	if path == SkillFile {
		return fmt.Errorf("%s is the file inside a skill's folder; name the folder", SkillFile)
	}
	path, err = decodePath(dropSkillFile(strings.Split(path, "/"), 1))
	if err != nil {
		return err
	}
	if _, err := newID(Local, path); err != nil {
		return err
	}
	r.ID, err = newID(Local, strings.ToLower(path))
	if path != r.ID.path {
		r.spelled = path
	}
	return err
}

// setGitHub reads the path after "gh:". Someone who shortens an address to its path keeps its /tree/<ref>/, which is
// read as in the address.
func (r *Ref) setGitHub(path string) error {
	path, r.Dir = strings.CutSuffix(path, "/")
	segs := dropSkillFile(strings.Split(path, "/"), 2)
	if len(segs) > 3 && (segs[2] == "tree" || segs[2] == "blob") {
		return r.setBranch(segs)
	}
	return r.setRepository(segs)
}

// setBranch reads owner/repo/tree/<ref>/sub.
func (r *Ref) setBranch(segs []string) error {
	ref, sub := segs[3], segs[4:]
	if ref == "refs" && len(sub) > 1 && (sub[0] == "heads" || sub[0] == "tags") {
		ref, sub = sub[1], sub[2:]
	}
	if err := r.takeBranch(ref); err != nil {
		return err
	}
	return r.setRepository(append(segs[:2:2], sub...))
}

// takeBranch decodes the ref of an address. It is no segment of the path, so an escaped slash belongs to its name.
func (r *Ref) takeBranch(ref string) error {
	r.Branch = decodeSegment(ref)
	if err := checkPath(r.Branch); err != nil {
		return fmt.Errorf("branch in the address: %w", err)
	}
	return nil
}

// setRepository reads owner/repo/sub.
func (r *Ref) setRepository(segs []string) error {
	if len(segs) > 1 && segs[1] != ".git" {
		segs[1] = strings.TrimSuffix(segs[1], ".git")
	}
	path, err := decodePath(segs)
	if err != nil {
		return err
	}
	r.ID, err = newID(GitHub, path)
	return err
}

// IDs returns the ids to try, in order: a bare path as it was spelled, when that differs, then ID. The first whose
// folder exists answers, so that a folder with capitals can be reached (G3).
func (r Ref) IDs() []ID {
	if r.spelled == "" {
		return []ID{r.ID}
	}
	return []ID{{Local, r.spelled}, r.ID}
}

// String returns the reference in its canonical form: prefix, reference spelling of the first of [Ref.IDs], and the
// suffixes in the order save, install, index. [ParseRef] reads r back from it.
func (r Ref) String() string {
	var b strings.Builder
	b.WriteString(refPrefix)
	b.WriteString(spell(r.IDs()[0], r.Branch))
	if r.Dir {
		b.WriteByte('/')
	}
	if r.Save {
		b.WriteString(":save")
	}
	if r.Install {
		b.WriteString(":install")
	}
	if r.Index {
		b.WriteString(":index")
	}
	return b.String()
}

// Rebranch settles where the path begins behind a branch whose name holds slashes, given the names of the origin's
// branches (G5). It takes the longest name that is a prefix, segment by segment, of what the address held after
// /tree/, and returns r with Branch and ID set to that. It returns r and false when r names no branch or no name fits.
func (r Ref) Rebranch(branches []string) (Ref, bool) {
	if r.Branch == "" {
		return r, false
	}
	all := r.Branch
	if sub := r.ID.Sub(); sub != "" {
		all += "/" + sub
	}
	best := ""
	for _, name := range branches {
		if len(name) > len(best) && strings.HasPrefix(all+"/", name+"/") {
			best = name
		}
	}
	if best == "" {
		return r, false
	}
	id, err := r.ID.Origin().Join(strings.TrimPrefix(all[len(best):], "/"))
	if err != nil {
		return r, false
	}
	r.Branch, r.ID = best, id
	return r, true
}

// cutRefPrefix removes "@skills:" or "@workflow:" in any case.
func cutRefPrefix(token string) string {
	for _, p := range []string{refPrefix, "@workflow:"} {
		if len(token) >= len(p) && strings.EqualFold(token[:len(p)], p) {
			return token[len(p):]
		}
	}
	return token
}

// cutSuffixes removes the suffixes at the end of path and records them (G1).
func (r *Ref) cutSuffixes(path string) string {
	for {
		i := strings.LastIndexByte(path, ':')
		if i < 0 {
			return path
		}
		switch path[i:] {
		case ":save":
			r.Save = true
		case ":install":
			r.Install = true
		case ":index":
			r.Index = true
		default:
			return path
		}
		path = path[:i]
	}
}

// dropSkillFile removes a last segment SKILL.md: it names the file inside the skill's folder (G5). The first keep
// segments are never removed.
func dropSkillFile(segs []string, keep int) []string {
	if n := len(segs); n > keep && segs[n-1] == SkillFile {
		return segs[:n-1]
	}
	return segs
}

// decodePath decodes each segment, checks it, and joins them (G7).
func decodePath(segs []string) (string, error) {
	if len(segs) == 1 && segs[0] == "" {
		return "", nil // newID knows what to say
	}
	out := make([]string, len(segs))

	for i, seg := range segs {
		out[i] = decodeSegment(seg)
		if err := CheckSegment(out[i]); err != nil {
			return "", err
		}
	}
	return strings.Join(out, "/"), nil
}
