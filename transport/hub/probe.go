package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// answer is what a hub served for an id.
type answer struct {
	unchanged  bool // nothing came but that the revision asked about stands
	list       bool // body is the JSON of a playlist, else a SKILL.md
	body       []byte
	rev        transport.Revision
	tagged     bool // the revision is the hub's own word, not a digest of what was served
	visibility transport.Visibility
	announced  int      // how many files the hub says the skill has, 0 when it does not say
	listing    *listing // of a skill that is not tagged, since its revision is of that too; else nil
}

// look asks for what stands at id: a skill, or else a playlist. A pin asks for that revision alone; match, a revision the
// caller has, makes the requests conditional.
func (h *Hub) look(ctx context.Context, op string, id skill.ID, pin, match transport.Revision) (answer, error) {
	a := answer{}
	q := question{op: op, at: h.address(id), rev: pin, match: match, accept: acceptSkill}
	err := h.ask(ctx, q, func(r *reply) error { return h.readSkill(r, &a) })
	switch {
	case err == nil && !a.unchanged && !a.tagged:
		err = h.digest(ctx, op, id, &a)
		return a, err
	case !isMissing(err):
		return a, err
	}
	menu := answer{list: true}
	q.at, q.accept, q.query = h.base, acceptJSON, "prefix="+url.QueryEscape(id.Path()+"/")
	switch listErr := h.ask(ctx, q, func(r *reply) error { return h.readMenu(r, id, &menu) }); {
	case listErr == nil:
		return menu, nil
	case errors.Is(listErr, errNothing), hasNoMenus(listErr):
		return answer{}, err // the answer for the skill is the one a person can use
	default:
		return answer{}, listErr
	}
}

// digest makes the revision of a skill that came without one: the SHA-256 of what was served (H3). Where there is a list of
// the files, with their digests, that is served too and asked for at once: of SKILL.md alone, a change of a file beside it
// would never show.
func (h *Hub) digest(ctx context.Context, op string, id skill.ID, a *answer) (err error) {
	if a.listing, err = h.bundle(ctx, op, id, *a, false); err == nil {
		a.rev = a.listing.revision()
	}
	return err
}

func (h *Hub) readSkill(r *reply, a *answer) error {
	a.visibility, a.announced = visibility(r), announced(r)
	if a.unchanged = r.StatusCode == http.StatusNotModified; a.unchanged {
		return nil
	}
	if err := r.refuseTypes("a skill's text", htmlType, xhtmlType, jsonType); err != nil {
		return err
	}
	if err := h.readInto(r, a); err != nil {
		return err
	}
	if r.mediaType() == "" && strings.HasPrefix(http.DetectContentType(a.body), htmlType) {
		return &typeError{got: htmlType, want: "a skill's text"}
	}
	return nil
}

func (h *Hub) readMenu(r *reply, id skill.ID, a *answer) error {
	a.visibility = visibility(r)
	if a.unchanged = r.StatusCode == http.StatusNotModified; a.unchanged {
		return nil
	}
	if r.mediaType() != jsonType {
		return &typeError{got: r.mediaType(), want: "a menu"}
	}
	if err := h.readInto(r, a); err != nil {
		return err
	}
	rows, skipped, err := h.parseMenu(id, a.body)
	if err == nil && len(rows) == 0 && len(skipped) == 0 {
		err = errNothing
	}
	return err
}

// errNothing says that a menu has no rows.
var errNothing = errors.New("the menu is empty")

// readInto reads the body and says what its revision is (H3).
func (h *Hub) readInto(r *reply, a *answer) (err error) {
	if a.body, err = r.read(h.answerBound()); err != nil {
		return err
	}
	if len(a.body) == 0 {
		return errors.New("the answer is empty")
	}
	if tag := r.strongTag(); tag != "" {
		a.rev, a.tagged = tag, true
		return nil
	}
	a.rev = transport.Revision(sha256Of(a.body))
	return nil
}

const (
	filesHeader  = "Atskills-Files" // how many files a skill has that can be listed
	digestPrefix = "sha256:"
	// maxTag bounds the bytes of a revision: it is kept in stamps, and shown.
	maxTag = 256
)

// strongTag returns the text of a strong ETag, "" when there is none that can be a revision.
func (r *reply) strongTag() transport.Revision {
	tag, ok := strings.CutPrefix(strings.TrimSpace(r.Header.Get("ETag")), `"`)
	tag, ok2 := strings.CutSuffix(tag, `"`)
	if !ok || !ok2 || !isTag(tag) || r.known != "" && strings.Contains(tag, r.known) {
		return ""
	}
	return revisionOf(tag)
}

// revisionOf spells the text of an ETag as a revision: as it stands, but in its quotes when it begins like a digest of ours.
// The two mean different things (H3), and a tag has no quotes in it.
func revisionOf(tag string) transport.Revision {
	if strings.HasPrefix(tag, digestPrefix) {
		tag = `"` + tag + `"`
	}
	return transport.Revision(tag)
}

// tagOf returns the text of the ETag that rev stands for, "" for a digest of ours, which no hub knows, and for text that is
// no revision of a hub.
func tagOf(rev transport.Revision) string {
	tag, quoted := strings.CutPrefix(string(rev), `"`)
	if quoted {
		tag, quoted = strings.CutSuffix(tag, `"`)
	}
	if quoted != strings.HasPrefix(tag, digestPrefix) || !isTag(tag) {
		return ""
	}
	return tag
}

// isTag reports whether s can stand in an ETag, a stamp and an address.
func isTag(s string) bool {
	visible := func(r rune) bool { return '!' <= r && r <= '~' && r != '"' }
	return s != "" && len(s) <= maxTag && !strings.ContainsFunc(s, func(r rune) bool { return !visible(r) })
}

// isDigest reports whether rev has the form of a digest of what was served: that of a hub without validators.
func isDigest(rev transport.Revision) bool {
	sum, ok := strings.CutPrefix(string(rev), digestPrefix)
	return ok && isSHA256(sum)
}

// isSHA256 reports whether s is a SHA-256 in lower-case hex.
func isSHA256(s string) bool {
	hexDigit := func(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' }
	return len(s) == hex.EncodedLen(sha256.Size) && !strings.ContainsFunc(s, func(r rune) bool { return !hexDigit(r) })
}

// sha256Of returns the digest of body in self-describing form.
func sha256Of(body []byte) string {
	sum := sha256.Sum256(body)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// announced returns how many files the hub says the skill has, SKILL.md included, 0 when it does not say.
func announced(r *reply) int {
	n, err := strconv.Atoi(strings.TrimSpace(r.Header.Get(filesHeader)))
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// visibility returns what the hub says of who may read (H4).
func visibility(r *reply) transport.Visibility {
	switch v := transport.Visibility(strings.ToLower(strings.TrimSpace(r.Header.Get("Atskills-Visibility")))); v {
	case transport.Public, transport.Private:
		return v
	}
	return ""
}
