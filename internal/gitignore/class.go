package gitignore

import "strings"

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// addRange adds nothing when the range runs backwards.
func (s *byteSet) addRange(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s.add(byte(c))
	}
}

func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// readClass reads a class, which begins s, and returns its length; false when it is not closed or names an unknown class.
// The set may hold "/": no byte it is asked about is one.
func readClass(s string) (*byteSet, int, bool) {
	set := new(byteSet)
	i := 1
	negated := i < len(s) && (s[i] == '!' || s[i] == '^')
	if negated {
		i++
	}
	first := i
	from := -1 // the byte a following "-" makes a range of; -1 when it would be an ordinary byte
	for i < len(s) {
		c := s[i]
		switch {
		case c == ']' && i > first:
			if negated {
				set.invert()
			}
			return set, i + 1, true
		case c == '-' && from >= 0 && i+1 < len(s) && s[i+1] != ']':
			to, n := classByte(s[i+1:])
			if n == 0 {
				return nil, 0, false
			}
			set.addRange(byte(from), to)
			from = -1
			i += 1 + n
		case strings.HasPrefix(s[i:], "[:"):
			name, n := className(s[i:])
			if n == 0 {
				set.add('[')
				i++
				continue
			}
			if !set.addNamed(name) {
				return nil, 0, false
			}
			from = -1
			i += n
		default:
			b, n := classByte(s[i:])
			if n == 0 {
				return nil, 0, false
			}
			set.add(b)
			from = int(b)
			i += n
		}
	}
	return nil, 0, false
}

// classByte reads one byte of a class, escaped or not, and returns its length, 0 when s ends in a lone backslash.
func classByte(s string) (byte, int) {
	if s[0] != '\\' {
		return s[0], 1
	}
	if len(s) == 1 {
		return 0, 0
	}
	return s[1], 2
}

// className reads "[:name:]" and returns the name and the length of the whole, 0 when s only begins like it. The name ends
// at the next "]" whatever stands before that; only with a ":" there it is one.
func className(s string) (string, int) {
	name := s[len("[:"):]
	end := strings.IndexByte(name, ']')
	if end < 1 || name[end-1] != ':' {
		return "", 0
	}
	return name[:end-1], len("[:") + end + 1
}

// addNamed adds a named class; false when there is none of that name. Only ASCII bytes belong to any.
func (s *byteSet) addNamed(name string) bool {
	switch name {
	case "alnum":
		s.addAll("09", "AZ", "az")
	case "alpha":
		s.addAll("AZ", "az")
	case "blank":
		s.addAll("\t\t", "  ")
	case "cntrl":
		s.addAll("\x00\x1f", "\x7f\x7f")
	case "digit":
		s.addAll("09")
	case "graph":
		s.addAll("!~")
	case "lower":
		s.addAll("az")
	case "print":
		s.addAll(" ~")
	case "punct":
		s.addAll("!/", ":@", "[`", "{~")
	case "space":
		// Neither vertical tab nor form feed is white space to git.
		s.addAll("\t\n", "\r\r", "  ")
	case "upper":
		s.addAll("AZ")
	case "xdigit":
		s.addAll("09", "AF", "af")
	default:
		return false
	}
	return true
}

// addAll adds ranges, each given as its first and last byte.
func (s *byteSet) addAll(ranges ...string) {
	for _, r := range ranges {
		s.addRange(r[0], r[1])
	}
}
