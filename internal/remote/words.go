package remote

import (
	"strconv"
	"strings"
	"unicode"
)

// maxText is how many characters of a remote's words are worth repeating.
const maxText = 240

// Clean makes a remote's words fit to be shown: one line, no control or invisible characters, cut to a sensible
// length with an ellipsis.
func Clean(s string) string { return CleanTo(s, maxText) }

// Quote returns a name that a remote chose in quotes, cut to a sensible length.
func Quote(name string) string {
	if len(name) > maxText {
		return strconv.Quote(name[:maxText]) + "…"
	}
	return strconv.Quote(name)
}

// CleanTo is [Clean] with a length in characters.
func CleanTo(s string, length int) string {
	cut := len(s) > 8*length
	if cut {
		s = s[:8*length]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
	if runes := []rune(s); len(runes) > length {
		s, cut = string(runes[:length]), true
	}
	if cut {
		s += "…"
	}
	return s
}

// Scrub replaces secrets in s, the longest first. Where s was cut, the first part of one may be left, and goes too.
func Scrub(s string, secrets []string) string {
	const hidden, ellipsis = "[credential]", "…"
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	pieces := strings.Split(s, ellipsis)
	for i := range len(pieces) - 1 {
		pieces[i] = withoutStart(pieces[i], secrets)
	}
	return strings.Join(pieces, ellipsis)
}

// withoutStart returns s without the first part of a secret at its end.
func withoutStart(s string, secrets []string) string {
	for _, secret := range secrets {
		for n := min(len(secret)-1, len(s)); n > 0; n-- {
			if strings.HasSuffix(s, secret[:n]) {
				return s[:len(s)-n]
			}
		}
	}
	return s
}

// maxErrorText is how many characters of a failure are worth repeating.
const maxErrorText = 1000

// Reword returns err, or one around it with another text when its own is not fit to be shown: too long, with characters
// that do not print, or with one of secrets, the longest of which stands first.
func Reword(err error, secrets []string) error {
	was := err.Error()
	text := Scrub(CleanTo(Scrub(was, secrets), maxErrorText), secrets)
	if text == was {
		return err
	}
	return &rewordedError{text, err}
}

// rewordedError is an error with another text.
type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }

// Unwrap returns the error that was reworded.
func (e *rewordedError) Unwrap() error { return e.err }
