package gitignore_test

import (
	"math/rand/v2"
	"strings"
)

// grammar makes names, paths and lines that are rich in awkward forms. Few letters, so that lines and paths meet often.
type grammar struct {
	*rand.Rand
	portable bool // names that every file system can hold
}

func (g grammar) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g grammar, from ...T) T { return from[g.IntN(len(from))] }

// byte is a byte that means something to patterns, or a plain one.
func (g grammar) byte() string {
	if g.portable {
		return pick(g, "a", "a", "b", "b", "c", "A", "0", "!", "#", "-", "^", "]", "[", "@", ".", "~")
	}
	return pick(g, "a", "a", "a", "b", "b", "c", "A", "B", "0", "9", "!", "#", "*", "?", "[", "]", `\`, "-", "^", ":", "@", ".", "~", "z",
		" ", "\t", "\r", "\n", "\v", "\x01", "\x7f", "\x80", "\xff", "\xc3\xa9", "\xe4\xb8\x96", "\xc3", "{", ",", "+", "\ufeff")
}

func (g grammar) letter() string { return pick(g, "a", "a", "b", "b", "c") }

func (g grammar) name() string {
	for {
		var b strings.Builder
		for range 1 + g.IntN(3) {
			if g.chance(75) {
				b.WriteString(g.letter())
			} else {
				b.WriteString(g.byte())
			}
		}
		if g.chance(2) {
			b.WriteString(strings.Repeat(g.letter(), 100))
		}
		switch name := b.String(); name {
		case ".", "..", ".git", ".gitignore":
		default:
			return name
		}
	}
}

func (g grammar) path() string {
	names := make([]string, 1+g.IntN(4))
	for i := range names {
		names[i] = g.name()
	}
	if g.chance(3) {
		for range 10 {
			names = append(names, g.letter())
		}
	}
	return strings.Join(names, "/")
}

// line makes a line, more often than not from path.
func (g grammar) line(path string) string {
	var s string
	switch n := g.IntN(100); {
	case n < 40:
		s = g.free()
	case n < 85:
		s = g.near(path)
	case n < 95:
		s = g.piece(path)
	default:
		s = pick(g, "", "/", "//", "!", "!!", "!/", "*", "**", "/*", "/**", "**/", "/**/", "!*", "!**", "#", "#a", " #a", `\#a`, `\!a`, "!#a", "!!a",
			" ", "   ", "\t", `\`, `\\`, `\ `, `\\ `, `\  `, `/\`, `[`, `[]`, `[!]`, "\r", "*/", "/*/", "!/*", "?", "???", "/?", "a\x00b", "\x00", "!\x00a", "a \x00")
	}
	return g.dress(s)
}

// dress adds what the beginning and the end of a line may have.
func (g grammar) dress(s string) string {
	if g.chance(15) {
		s = "/" + s
	}
	if g.chance(15) {
		s += pick(g, "/", "/", "/", "//", "/*", "/**", `\/`, "/**/", "/*/")
	}
	if g.chance(5) {
		s += pick(g, " ", "  ", `\ `, `\  `, `\ \ `, "\t", "\t ", " \t", "\r", " \r", `\`, `\\`, `\\ `, `\\\ `, "\x00", "\x00a", " \x00")
	}
	if g.chance(2) {
		s = pick(g, " ", "\t", "#", "/", "//", `\`, " !", "\ufeff", "./", "../") + s
	}
	if g.chance(35) {
		s = "!" + s
	}
	return strings.ReplaceAll(s, "\n", "")
}

// free strings atoms together.
func (g grammar) free() string {
	count := 1 + g.IntN(7)
	if g.chance(2) {
		count = 50 + g.IntN(150)
	}
	var b strings.Builder
	for range count {
		b.WriteString(g.atom())
	}
	return b.String()
}

func (g grammar) atom() string {
	switch n := g.IntN(100); {
	case n < 30:
		return g.letter()
	case n < 35:
		return g.byte()
	case n < 48:
		return "/"
	case n < 58:
		return "*"
	case n < 64:
		return "?"
	case n < 80:
		return g.class()
	case n < 84:
		return `\` + g.byte()
	default:
		return pick(g, "**", "**/", "/**", "/**/", "/**/", "***", "****/", "/***/", `**\/`, `/**\/`, `\/**/`, `\/**`, `\/`, `\*`, `\**`, `*\*`, "**?", "?**", "**[a]", "//",
			"*/*", "a**b", "a**/b", "a/**b", "/**/**/", "**/**", "/*/**", "**/*", "*/**/", "**a", "a**", "b**/")
	}
}

// class makes a class, right or wrong.
func (g grammar) class() string {
	var b strings.Builder
	b.WriteString("[")
	b.WriteString(pick(g, "", "", "", "!", "^", "!!", "^^", "!^"))
	if g.chance(15) {
		b.WriteString("]")
	}
	for range g.IntN(4) {
		b.WriteString(g.member())
	}
	if g.chance(93) {
		b.WriteString("]")
	}
	return b.String()
}

func (g grammar) member() string {
	switch n := g.IntN(100); {
	case n < 30:
		return g.letter()
	case n < 40:
		return g.byte()
	case n < 60:
		return g.end() + "-" + g.end()
	case n < 70:
		return "[:" + pick(g, "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit") + ":]"
	case n < 72:
		return "[:" + pick(g, "word", "ascii", "", "ALPHA", "alpha ", "a", ":", `alph\a`) + ":]"
	default:
		return pick(g, "-", "-", "--", "[", "[:", ":]", "[:a", "[a:]", "[:alpha", "[:alpha]", "[.a.]", "[=a=]", `\]`, `\\`, `\-`, `\a`, `\[`, `\^`, `\!`, "/", "^", "!", "*", "?", "a-", "-a", ".-0", "a-c-e", "+--", "--0",
			`\`, "[[", "]", "#", " ", `\/`, "]-a", "[-a", `a-\]`)
	}
}

// end is one end of a range.
func (g grammar) end() string {
	return pick(g, "a", "b", "c", "z", "A", "Z", "0", "9", "-", "[", "!", "^", "~", " ", "\x01", "\x80", "\xff", `\a`, `\c`, `\]`, `\-`, `\\`, `\[`, "/", ".", "[:digit:]", "")
}

// near turns a path into a line that matches it, or nearly does.
func (g grammar) near(path string) string {
	names := strings.Split(path, "/")
	if g.chance(40) {
		names = names[g.IntN(len(names)):]
	}
	if g.chance(30) {
		names = names[:1+g.IntN(len(names))]
	}
	rate := pick(g, 0, 10, 30, 60)
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(pick(g, "/", "/", "/", "/", "/", "/", "/", "/**/", `\/`, "**/", "/**", "*/", "/*", "//", "*", "**", "?", "[/]", "/*/", `/**\/`))
		}
		if g.chance(15) {
			b.WriteString(pick(g, "*", "**", "***", "?", "**/"+name, "*"+name, name+"*", name+"**", "**"+name, "**/**", ""))
			continue
		}
		for j := range len(name) {
			b.WriteString(g.blur(name[j], rate))
		}
	}
	return b.String()
}

// blur writes one byte of a name so that it still matches, most of the time.
func (g grammar) blur(c byte, rate int) string {
	s := string([]byte{c})
	if !g.chance(rate) {
		if strings.Contains(`*?[\`, s) && g.chance(80) {
			return `\` + s
		}
		return s
	}
	return pick(g, "?", "*", `\`+s, "["+s+"]", "[!"+s+"]", "[!x]", "[^"+g.letter()+"]", "["+g.end()+"-"+s+"]", "["+s+"-"+g.end()+"]", `[\`+s+"]", "["+g.member()+s+"]", "["+s+g.member()+"]",
		"[[:alpha:]]", "[[:print:]]", "[![:digit:]]", "**", "*"+s, s+"*", s+s, "", strings.ToUpper(s), "[]"+s+"]", s+" ", "[a-"+s+"]", "["+s+"-z]", "?*", "*?", "["+s, "[^]]")
}

// piece is a path, or part of one, as it is.
func (g grammar) piece(path string) string {
	names := strings.Split(path, "/")
	from := g.IntN(len(names))
	s := strings.Join(names[from:from+1+g.IntN(len(names)-from)], "/")
	if g.chance(10) {
		return s[:g.IntN(len(s)+1)]
	}
	return s
}

// guess reads a line naively and makes a path that might match it.
func (g grammar) guess(line string) string {
	var b strings.Builder
	line = strings.TrimLeft(line, "!/")
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == '*':
			b.WriteString(pick(g, "", "", g.letter(), g.byte(), g.name(), "/", "/"+g.name()+"/", g.path()))
		case c == '?':
			b.WriteString(g.byte())
		case c == '[' && g.chance(95):
			end := i + 1
			for range pick(g, 1, 1, 1, 2, 2, 3) {
				if n := strings.IndexByte(line[min(end+1, len(line)):], ']'); n >= 0 {
					end += n + 1
				}
			}
			b.WriteString(pick(g, line[i+1 : end][:min(1, end-i-1)], g.letter(), g.byte(), g.inside(line[i+1:end])))
			i = end
		default:
			b.WriteByte(c)
		}
	}
	names := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '/' })
	for i, name := range names {
		if name == "." || name == ".." || strings.HasPrefix(name, ".git") || strings.Contains(name, "\x00") {
			names[i] = g.letter()
		}
	}
	if len(names) == 0 {
		return g.name()
	}
	return strings.Join(names[:min(len(names), 20)], "/")
}

// inside is one of the bytes of s, or one between two of them.
func (g grammar) inside(s string) string {
	if s == "" {
		return g.letter()
	}
	a, b := s[g.IntN(len(s))], s[g.IntN(len(s))]
	if g.chance(30) {
		return string([]byte{min(a, b) + byte(g.IntN(int(max(a, b)-min(a, b))+1))})
	}
	return string([]byte{a})
}
