package skill

import (
	"errors"
	"strings"
)

// redact returns token as an error may repeat it: an address without its query and fragment, and without whatever
// stands, or may stand, before the '@' that separates userinfo from host (X5). The address may be mistyped, or stand
// among words.
func redact(token string) string {
	body := cutRefPrefix(token)
	if scheme, path := cutMarker(body); scheme != Local {
		body = path
	}
	head := token[:len(token)-len(body)]
	if !isAddress(body) && !hasPassword(firstSegment(body)) {
		return head + hideUserinfo(body)
	}
	_, rest := cutScheme(body)
	return head + hideUserinfo(body[:len(body)-len(rest)]+redactAddress(rest))
}

// redactError returns err, or one with another text when it repeats a piece of an address with userinfo.
func redactError(err error) error {
	was := err.Error()
	if text := hideUserinfo(was); text != was {
		return errors.New(text)
	}
	return err
}

// hideUserinfo cuts what reads as the userinfo of an address out of each word of s. It knows no syntax, since it is for
// what has none.
func hideUserinfo(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		end := strings.IndexAny(s, " \t\r\n\f\v")
		if end < 0 {
			end = len(s)
		}
		b.WriteString(hideInWord(s[:end]))
		b.WriteString(s[end:min(end+1, len(s))])
		s = s[min(end+1, len(s)):]
	}
	return b.String()
}

// hideInWord does what hideUserinfo says. Behind the slashes of a scheme, or the one that was typed of them, begins an
// authority, which a password with a slash in it continues in the next piece.
func hideInWord(word string) string {
	pieces := strings.Split(word, "/")
	from := len(pieces) // where the authority begins
	for i := 1; i < len(pieces); i++ {
		if pieces[i] != "" && (strings.HasSuffix(pieces[i-1], ":") || i > 1 && pieces[i-1] == "") {
			from = i
			break
		}
	}
	last := -1 // the piece in which its userinfo ends
	for i, piece := range pieces {
		user, host, ok := cutLast(piece, "@")
		continues := ok && i > from && oddPort(pieces[from])
		if !continues && !(ok && mayBeUserinfo(user, host, i == from)) {
			continue
		}
		if i < from {
			pieces[i] = "…@" + host
		} else {
			last = i
		}
	}
	if last >= 0 {
		_, host, _ := cutLast(pieces[last], "@")
		pieces = append(pieces[:from], append([]string{"…@" + host}, pieces[last+1:]...)...)
	}
	return strings.Join(pieces, "/")
}

// mayBeUserinfo judges what stands before and behind an '@' in one piece; begins says that an authority begins there.
func mayBeUserinfo(user, host string, begins bool) bool {
	if strings.Contains(user, ":") {
		return true
	}
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimRight(host, sentenceEnd+closedBrackets)
	return user != "" && user != "git" && (begins || knownHost(host, ""))
}

// oddPort reports whether what stands behind the colon of an authority is no port: a password whose end is to come.
func oddPort(authority string) bool {
	_, port, ok := strings.Cut(authority, ":")
	return ok && !isNumber(port)
}

func redactAddress(rest string) string {
	authority, path := cutPath(rest)
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	name, _, _ := strings.Cut(host, ":")
	known := knownHost(name, "")
	path, _ = cutQuery(path)
	switch {
	case strings.Contains(rest[len(authority):], "@") && !known:
		return "…"
	case host == authority || authority == "git@"+host:
		return authority + path
	}
	return "…@" + host + path
}
