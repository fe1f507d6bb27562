package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
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
	tagged     bool // the revision is the hub's own word, not a digest of the body
	visibility transport.Visibility
}

// look asks for what stands at id: a skill, or else a playlist. A pin asks for that revision alone; match, a revision the
// caller has, makes the requests conditional.
func (h *Hub) look(ctx context.Context, op string, id skill.ID, pin, match transport.Revision) (answer, error) {
	a := answer{}
	q := question{op: op, at: h.address(id), rev: pin, match: match, accept: acceptSkill}
	err := h.ask(ctx, q, func(r *reply) error { return h.readSkill(r, &a) })
	if !isMissing(err) {
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

func (h *Hub) readSkill(r *reply, a *answer) error {
	a.visibility = visibility(r)
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
	sum := sha256.Sum256(a.body)
	a.rev = transport.Revision(digestPrefix + hex.EncodeToString(sum[:]))
	return nil
}

const (
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
	return transport.Revision(tag)
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

// visibility returns what the hub says of who may read (H4).
func visibility(r *reply) transport.Visibility {
	switch v := transport.Visibility(strings.ToLower(strings.TrimSpace(r.Header.Get("Atskills-Visibility")))); v {
	case transport.Public, transport.Private:
		return v
	}
	return ""
}
