package git

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

func (h Host) netrc(address *url.URL, yield func(Credential, error) bool) bool {
	name := h.getenv("NETRC")
	if name == "" {
		name = h.inHome(".netrc")
	}
	b, err := readSettings(name)
	if err != nil {
		return yield(Credential{}, fmt.Errorf("netrc: %w", err))
	}
	for _, c := range parseNetrc(b, address.Hostname()) {
		if c.Password != "" && !yield(c, nil) {
			return false
		}
	}
	return true
}

// parseNetrc returns the entries for host. Macro definitions, which run to an empty line, are passed over.
func parseNetrc(b []byte, host string) []Credential {
	var found []Credential
	var current *Credential
	for _, paragraph := range bytes.Split(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		words := netrcWords(paragraph)
		for len(words) > 0 {
			key := words[0]
			words = words[1:]
			if key == "macdef" {
				break
			}
			if key == "default" {
				current = nil
			}
			if len(words) == 0 || key == "default" {
				continue
			}
			value := words[0]
			switch key {
			case "machine":
				current = nil
				if strings.EqualFold(value, host) {
					found = append(found, Credential{})
					current = &found[len(found)-1]
				}
			case "login", "account", "password":
				setNetrc(current, key, value)
			default:
				continue
			}
			words = words[1:]
		}
	}
	return found
}

func setNetrc(c *Credential, key, value string) {
	switch {
	case c == nil:
	case key == "login":
		c.Username = value
	case key == "password":
		c.Password = value
	}
}

// netrcWords splits into words, in which a leading # comments out the line and quotes keep white space.
func netrcWords(b []byte) []string {
	var words []string
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for rest := strings.TrimSpace(line); rest != ""; {
			var word string
			word, rest = netrcWord(rest)
			words = append(words, word)
			rest = strings.TrimLeft(rest, " \t")
		}
	}
	return words
}

func netrcWord(s string) (word, rest string) {
	if s[0] == '"' {
		if end := strings.IndexByte(s[1:], '"'); end >= 0 {
			return s[1 : 1+end], s[2+end:]
		}
	}
	if end := strings.IndexAny(s, " \t"); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}
