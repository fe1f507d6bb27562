package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is one reference found in a message (G10).
type Mention struct {
	Start, End int    // bytes of the message: message[Start:End] is Text
	Text       string // as written, prefix and suffixes included; a secret in it is kept here and nowhere else (X5)
	Ref        Ref    // what [ParseRef] reads from Text; zero when it cannot be used
	Err        error  // why it cannot be used, a [*SyntaxError], or nil
}

// MentionOptions changes what [Mentions] reads. The zero value is the rule.
type MentionOptions struct {
	// InCode says that fenced code blocks and inline code are read like other text.
	InCode bool
}

// Mentions returns the references in message, in order; they do not overlap (G10). One that cannot be used is returned
// with its error, "@skills:" with nothing behind it too. The time taken is linear in the length of message.
//
// "@skills:" or "@workflow:", in any case, begins a reference at the start of a line, or behind white space, an opening
// bracket or a quote of any script. A quote counts whichever way it points, since „German“, »Danish« and ”Swedish” text
// opens with what closes elsewhere. Two more places are an extension of the rule: behind signs of Markdown emphasis, * and
// _, that stand where a reference may begin, and behind a comma or semicolon that follows another reference without white
// space, as in "@skills:a,@skills:b". Behind anything else, and in code, it is text and no reference, and nothing is said
// of it: in an e-mail address, in "x/@skills:y", "x,@skills:y" and "~@skills:x~".
//
// The reference runs to white space, so that a folder may be called "a,b", "c#" or "a—b": a dash belongs to it. It ends
// earlier in three places: at a bracket, quote or * that closes one opened in front of the reference, as in
// "[see @skills:x](y)" and "「@skills:x」を"; where another reference begins; and before what a sentence puts behind it.
// That is any number of the characters .,;:!?…, quotes, back-ticks, their counterparts in other scripts, characters that
// do not show, closing brackets without their opening one in the reference, a _ that closes emphasis, and the English
// possessives 's and ’s; a backslash in front of these goes with them. A name that ends in such a character is written
// with an escape, as [ID.Reference] does; it leaves _ and * alone, which end a reference only inside emphasis.
//
// What is code is decided as CommonMark does. A fence counts inside block quotes and list items as well, and without an
// end it runs to the end of its container. Inline code does not reach beyond its paragraph, and a run of back-ticks
// without its counterpart is text. Only these two are code: indented text is not, and HTML is text like other text.
func Mentions(message string, opts MentionOptions) []Mention {
	s := scanner{message: message, inCode: opts.InCode}
	start := len(message) - len(strings.TrimPrefix(message, "\ufeff"))
	for start < len(message) {
		end, next := lineEnd(message, start)
		s.line(start, end)
		start = next
	}
	s.endBlock()
	return s.found
}

// lineEnd returns where the line at start ends, and where the next one begins.
func lineEnd(message string, start int) (end, next int) {
	n := strings.IndexAny(message[start:], "\r\n")
	if n < 0 {
		return len(message), len(message)
	}
	end = start + n
	if strings.HasPrefix(message[end:], "\r\n") {
		return end, end + 2
	}
	return end, end + 1
}

// scanner cuts a message into blocks and reads them one by one. The bounds of paragraphs matter only because inline
// code cannot cross them.
type scanner struct {
	message string
	inCode  bool
	found   []Mention

	containers []int  // of the current line, outermost first: the width of a list item's indent, 0 for a block quote
	fence      fence  // of the block, when it is fenced code
	block      []span // its lines, without the marks of containers

	runs     []tickRun // back-ticks of the block that were not passed yet
	nesting  nesting   // brackets open in the block
	emphasis emphasis  // signs of emphasis open in the block
}

type span struct{ start, end int }

// line adds a line to the block it belongs to.
func (s *scanner) line(start, end int) {
	l := line{text: strings.TrimRight(s.message[start:end], " \t")}
	matched := l.match(s.containers)
	if s.fence.n > 0 {
		if matched == len(s.containers) {
			s.block = append(s.block, span{start + l.pos, end})
			if l.closes(s.fence) {
				s.endBlock()
			}
			return
		}
		s.endBlock()
	}
	if l.blank() {
		s.endBlock()
		s.containers = s.containers[:matched]
		return
	}
	inParagraph := len(s.block) > 0
	added := l.enter(maxContainers-matched, inParagraph && matched == len(s.containers))
	f, single := l.fence(), l.single(inParagraph)
	// A paragraph goes on in a line without its container's marks when that line begins nothing else.
	if !inParagraph || len(added) > 0 || f.n > 0 || single {
		s.endBlock()
		s.containers = append(s.containers[:matched], added...)
		s.fence = f
	}
	s.block = append(s.block, span{start + l.pos, end})
	if single {
		s.endBlock()
	}
}

// endBlock reads the references of the block and begins another.
func (s *scanner) endBlock() {
	if s.fence.n == 0 || s.inCode {
		s.read()
	}
	s.block, s.fence = s.block[:0], fence{}
}

func (s *scanner) read() {
	s.nesting, s.emphasis = nesting{}, emphasis{}
	s.runs = s.runs[:0]
	if !s.inCode {
		s.findRuns()
	}
	resume := 0
	for _, sp := range s.block {
		switch {
		case resume <= sp.start:
			resume = s.readLine(sp.start, sp.end, ' ')
		case resume < sp.end:
			resume = s.readLine(resume, sp.end, inWord)
		}
	}
}

// inWord stands for the rune before a place where no reference begins.
const inWord = utf8.RuneError

// readLine reads the references between from and to. It returns where to go on, which is behind to when inline code
// ends in another line. before is the last rune that shows before from, other than the signs of emphasis behind a place
// where a reference may begin.
func (s *scanner) readLine(from, to int, before rune) int {
	chained := false // a reference stands in front, and no white space since
	for i := from; i < to; {
		if n := refPrefixLen(s.message[i:to]); n > 0 && startsToken(before, chained) {
			i, before, chained = s.take(i, i+n, to, before), inWord, true
			continue
		}
		if end := s.codeEnd(i); end > 0 {
			i, before, chained = end, inWord, false
			if i > to {
				return i
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s.message[i:to])
		if isEmphasis(r) {
			size = leading(s.message[i:to], byte(r))
			after, _ := utf8.DecodeRuneInString(s.message[i+size : to])
			s.emphasis.add(r, size, before, after, i+size == to)
		}
		s.nesting.add(r)
		chained = chained && !unicode.IsSpace(r)
		if !unicode.Is(unicode.Cf, r) && !(isEmphasis(r) && startsToken(before, chained)) {
			before = r
		}
		i += size
	}
	return to
}

// take records the reference whose prefix stands between start and path, and returns its end.
func (s *scanner) take(start, path, to int, before rune) int {
	rest := s.message[path:to]
	end := path + trimmedEnd(rest, s.pathEnd(rest, before), s.emphasis)
	m := Mention{Start: start, End: end, Text: s.message[start:end]}
	m.Ref, m.Err = ParseRef(m.Text)
	s.found = append(s.found, m)
	return end
}

// pathEnd returns where path, the rest of the line behind a prefix, ends before its tail is trimmed. quote is the rune
// in front of the prefix.
func (s *scanner) pathEnd(path string, quote rune) int {
	var inner nesting
	before, gap := inWord, 0 // gap is where the brackets, quotes and commas before a rune begin
	for i, r := range path {
		begins := startsToken(before, true)
		switch kind, closed := closing(r); {
		case unicode.IsSpace(r), closesQuote(quote, r), closed && inner[kind] == 0 && s.nesting[kind] > 0,
			r == '*' && s.emphasis.stars > 0 && !begins:
			return i
		case begins && refPrefixLen(path[i:]) > 0:
			return gap
		}
		inner.add(r)
		if unicode.Is(unicode.Cf, r) || isEmphasis(r) && begins {
			continue
		}
		if !begins {
			gap = i
		}
		before = r
	}
	return len(path)
}

// trimmedEnd returns the end of the path rest[:end] without what belongs to the sentence around it. That is nothing but
// what [ID.Reference] escapes at the end of a path or everywhere (G6), and the signs that close the emphasis open there.
func trimmedEnd(rest string, end int, open emphasis) int {
	var brackets [len(closedBrackets)]int // by kind: opening ones less closing ones
	for _, r := range rest[:end] {
		if kind, ok := kindIn(openBrackets, r); ok {
			brackets[kind]++
		} else if kind, ok := kindIn(closedBrackets, r); ok {
			brackets[kind]--
		}
	}
	for end > 0 {
		r, n := utf8.DecodeLastRuneInString(rest[:end])
		kind, closed := kindIn(closedBrackets, r)
		switch {
		case strings.ContainsRune(sentenceEnd, r) || hidesInText(r):
		case r == '\\' && end < len(rest) && ' ' < rest[end] && rest[end] < utf8.RuneSelf:
			// It escapes what follows for Markdown or JSON, and is in no name (G7).
		case closed && brackets[kind] < 0:
			brackets[kind]++
		case isEmphasis(r) && *open.of(r) > 0:
			*open.of(r)--
		case possessive(rest[:end]) > 0:
			n = possessive(rest[:end])
		default:
			return end
		}
		end -= n
	}
	return 0
}

// refPrefixLen returns the length of the reference prefix that s begins with, or 0.
func refPrefixLen(s string) int {
	if s == "" || s[0] != '@' {
		return 0
	}
	return len(s) - len(cutRefPrefix(s))
}

// startsToken reports whether a reference may begin behind r; chained says that one stands in front in the same word.
func startsToken(r rune, chained bool) bool {
	if chained && strings.ContainsRune(separators, r) {
		return true
	}
	if r < utf8.RuneSelf {
		return strings.ContainsRune(" \t\v\f([{<\"'`", r)
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pf) || strings.ContainsRune("＜＂＇", r)
}

// closesQuote reports whether r closes the quote before a reference. Pairs that are never written the other way round
// are left to nesting.
func closesQuote(quote, r rune) bool {
	switch quote {
	case '"', '\'', '`', '”', '’', '＂', '＇':
		return r == quote
	case '„':
		return r == '“' || r == '”'
	case '‚':
		return r == '‘' || r == '’'
	case '»':
		return r == '«'
	case '›':
		return r == '‹'
	}
	return false
}

// Pairs that a message nests: a closing one ends the reference inside.
const (
	openPairs   = openBrackets + "“‘‹＜"
	closedPairs = closedBrackets + "”’›＞"
)

// nesting counts open pairs by kind.
type nesting [len(openPairs)]int

func (n *nesting) add(r rune) {
	if kind, ok := kindIn(openPairs, r); ok {
		n[kind]++
	} else if kind, ok := closing(r); ok && n[kind] > 0 {
		n[kind]--
	}
}

func closing(r rune) (kind int, ok bool) { return kindIn(closedPairs, r) }

func kindIn(brackets string, r rune) (kind int, ok bool) {
	i := strings.IndexRune(brackets, r)
	if i < 0 {
		return 0, false
	}
	return utf8.RuneCountInString(brackets[:i]), true
}
