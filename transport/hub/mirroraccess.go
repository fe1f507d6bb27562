package hub

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const maxToken = 4096 // bytes in a bearer token

// access maps private owners, in lower case, to the digests of their tokens. Digests have one length, so that comparing
// tells nothing, and the tokens themselves need not stay in memory.
type access map[string][][sha256.Size]byte

func newAccess(private map[string][]string) (access, error) {
	a := make(access, len(private))
	for owner, tokens := range private {
		id, err := skill.ParseID("hub:" + owner + "/x")
		if err != nil {
			return nil, fmt.Errorf("private owner %q: %w", owner, err)
		}
		name, _, _ := strings.Cut(id.Path(), "/")
		key := ownerKey(name)
		if a[key] == nil {
			a[key] = [][sha256.Size]byte{}
		}
		for i, token := range tokens {
			if !isToken(token) {
				return nil, fmt.Errorf("private owner %q: token %d is empty, too long or holds white space or control characters", owner, i+1)
			}
			a[key] = append(a[key], sha256.Sum256([]byte(token)))
		}
	}
	return a, nil
}

// check reports whether a request with header may see what owner has, and who else may (H4).
func (a access) check(owner string, header http.Header) (transport.Visibility, bool) {
	tokens, private := a[ownerKey(owner)]
	if !private {
		return transport.Public, true
	}
	sum, match := sha256.Sum256([]byte(bearer(header))), 0
	for _, token := range tokens {
		match |= subtle.ConstantTimeCompare(sum[:], token[:])
	}
	return transport.Private, match == 1
}

// public reports whether everybody may see what owner has.
func (a access) public(owner string) bool {
	_, private := a[ownerKey(owner)]
	return !private
}

// ownerKey returns the one spelling under which an owner is private or not: which Unicode form the folder of a private
// owner has, or a disk takes for it, must not make it public.
func ownerKey(owner string) string { return norm.NFC.String(owner) }

// bearer returns the token of a request. None, several, or one of another scheme is "", which is nobody's token.
func bearer(header http.Header) string {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || !isToken(token) {
		return ""
	}
	return token
}

func isToken(s string) bool {
	return s != "" && len(s) <= maxToken && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
