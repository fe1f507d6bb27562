package skill

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valueType is what a reader with types takes a value for.
type valueType uint8

const (
	textValue valueType = iota
	nullValue
	typedValue      // a truth value or a number
	yaml11Value     // text, and something else in YAML 1.1
	collectionValue // no scalar
)

// The patterns of plain scalars: YAML 1.2's core schema, and what YAML 1.1 had beyond it.
var (
	coreNumber = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|` +
		`[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	yaml11Number = regexp.MustCompile(`^(?:[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9][0-9_]*|` +
		`[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|` +
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)$`)
	yaml11Time = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?` +
		`(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?$`)
)

// plainType returns the type of a plain scalar.
func plainType(s string) valueType {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nullValue
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return typedValue
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		if s == strings.ToLower(s) || s == strings.ToUpper(s) || s[1:] == strings.ToLower(s[1:]) {
			return yaml11Value
		}
	}
	if c := s[0]; len(s) > 64 || c != '.' && c != '-' && c != '+' && (c < '0' || c > '9') {
		return textValue
	}
	switch {
	case coreNumber.MatchString(s):
		return typedValue
	case yaml11Number.MatchString(s), yaml11Time.MatchString(s):
		return yaml11Value
	}
	return textValue
}

// indexUnsafe returns where the first character of s is that can hide or reorder text: a control other than TAB and
// the line end, a line separator, a bidirectional override or isolate, or a tag character outside the emoji of a flag.
func indexUnsafe(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0x1F3F4 {
			size += flagTags(s[i+size:])
		}
		if unicode.IsControl(r) && r != '\t' && r != '\n' || isLineSeparator(r) ||
			0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 || isTag(r) {
			return i
		}
		i += size
	}
	return -1
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

// flagTags returns the size of the tag characters that spell a flag at the start of s: some letters and digits and
// the one that ends them.
func flagTags(s string) int {
	n := 0
	for i, r := range s {
		switch {
		case r == 0xE007F && n > 0:
			return i + utf8.RuneLen(r)
		case !isTag(r) || r < 0xE0030 || r > 0xE007A || n > 6:
			return 0
		}
		n++
	}
	return 0
}
