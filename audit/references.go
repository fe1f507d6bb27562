package audit

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
)

// The ways a body names a file: a Markdown link or image, a link definition, and a path below one of the three
// customary folders, in code or in the text.
var (
	inlineLink = regexp.MustCompile(`\]\(\s*(?:<([^<>\n]*)>|([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)`)
	definition = regexp.MustCompile(`^ {0,3}\[[^\]\n]+\]:\s+<?([^<>\s]+)`)
	customary  = regexp.MustCompile("(?:^|[\\s`\"'(])(?:\\./)?((?:scripts|references|assets)/[\\pL\\pN._/-]*[\\pL\\pN])")
	codeSpan   = regexp.MustCompile("`[^`\n]+`")
)

// maxChained is how many of the files that a body names are looked into.
const maxChained = 256

// reference is a file that a text names.
type reference struct {
	target string
	at     int // in bytes of the text
	link   bool
}

// references judges the files that the body names, and those that the files named by it name.
func (v *validator) references() {
	doc := v.report.Doc
	start, _ := doc.BodyRange()
	named := make(map[string]bool)
	counts := make(map[skill.Code]int)
	for _, ref := range findReferences(doc.Body()) {
		target, code := v.resolve(ref)
		if code == "" || code == CodeReferenceDeep {
			named[target] = true
		}
		if counts[code]++; code == "" || counts[code] > maxPerCode {
			continue
		}
		line, column := place(v.report.Source, start+ref.at)
		switch code {
		case CodeReferenceAbsent:
			v.add(v.report.File, line, column, code, "add the file or correct the path", "the file %s is not there", quote(ref.target))
		case CodeReferenceAway:
			v.add(v.report.File, line, column, code, "put the file into the skill's folder", "%s is not in the skill's folder", quote(ref.target))
		case CodeReferenceDeep:
			v.add(v.report.File, line, column, code, "move it one folder up", "%s is more than one folder deep", quote(ref.target))
		}
	}
	v.chains(named)
}

// chains reports files that are reached only through another one.
func (v *validator) chains(named map[string]bool) {
	n, read := 0, 0
	for _, from := range sortedKeys(named) {
		ext := strings.ToLower(path.Ext(from))
		if v.files[from] || ext != ".md" && ext != ".txt" {
			continue
		}
		if read++; read > maxChained {
			return
		}
		text, _, err := v.view.ReadHead(from, 64<<10)
		if err != nil {
			continue // reported where the folder was read
		}
		for _, ref := range findReferences(text) {
			if !ref.link {
				continue
			}
			target, code := v.resolveFrom(path.Dir(from), ref)
			isDir, there := v.files[target]
			if code == CodeReferenceAway || !there || isDir || named[target] || target == v.report.File {
				continue
			}
			if n++; n > maxPerCode {
				return
			}
			line, column := place(text, ref.at)
			v.add(from, line, column, CodeReferenceDeep, "name it in SKILL.md", "%s is reached only through this file", quote(target))
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (v *validator) resolve(ref reference) (target string, code skill.Code) {
	return v.resolveFrom(".", ref)
}

// resolveFrom returns the path in the skill's folder that ref leads to, and what is wrong with it.
func (v *validator) resolveFrom(dir string, ref reference) (target string, code skill.Code) {
	target = ref.target
	if strings.HasPrefix(target, "/") || len(target) > 2 && target[1] == ':' && (target[2] == '\\' || target[2] == '/') {
		return target, CodeReferenceAway
	}
	target = path.Join(dir, target)
	_, there := v.files[target]
	switch {
	case target == ".." || strings.HasPrefix(target, "../"):
		return target, CodeReferenceAway
	case target == "." || v.cut && !there:
		return target, ""
	case !there:
		return target, CodeReferenceAbsent
	case strings.Count(target, "/") > 1:
		return target, CodeReferenceDeep
	}
	return target, ""
}

// findReferences returns the files that a Markdown text names, each once, in order. In fenced code only paths below
// the customary folders count.
func findReferences(text []byte) []reference {
	var refs []reference
	seen := make(map[string]bool)
	keep := func(at int, target string, link bool) {
		target, ok := cleanTarget(target, link)
		if ok && !seen[target] && len(refs) < 4096 {
			seen[target] = true
			refs = append(refs, reference{target, at, link})
		}
	}
	fence := ""
	at := 0
	for line := range bytes.Lines(text) {
		s := string(line)
		fenced := fence != ""
		fence = nextFence(fence, s)
		if !fenced && fence == "" {
			prose := codeSpan.ReplaceAllStringFunc(s, func(c string) string { return strings.Repeat(" ", len(c)) })
			for _, m := range inlineLink.FindAllStringSubmatchIndex(prose, -1) {
				i := max(m[2], m[4])
				keep(at+i, prose[i:max(m[3], m[5])], true)
			}
			if m := definition.FindStringSubmatchIndex(prose); m != nil {
				keep(at+m[2], prose[m[2]:m[3]], true)
			}
		}
		for _, m := range customary.FindAllStringSubmatchIndex(s, -1) {
			if !strings.ContainsAny(s[m[3]:min(m[3]+1, len(s))], "<{*$/[") {
				keep(at+m[2], s[m[2]:m[3]], false)
			}
		}
		at += len(line)
	}
	return refs
}

// nextFence returns the fence that is open after line.
func nextFence(open, line string) string {
	line = strings.TrimSpace(line)
	n := 0
	for n < len(line) && line[n] == line[0] && (line[0] == '`' || line[0] == '~') {
		n++
	}
	switch {
	case n < 3:
		return open
	case open == "":
		return line[:n]
	case line[:n] == line && line[0] == open[0] && n >= len(open):
		return ""
	}
	return open
}

// cleanTarget returns the path of a link target, and false for addresses, anchors and patterns.
func cleanTarget(target string, link bool) (string, bool) {
	if !utf8.ValidString(target) || strings.ContainsAny(target, "{}*$<>") || strings.Contains(target, "...") {
		return "", false
	}
	if !link {
		return path.Clean(target), true
	}
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	scheme, _, ok := strings.Cut(target, ":")
	if ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`) || strings.HasPrefix(target, "//") || target == "" {
		return "", false
	}
	if decoded, err := url.PathUnescape(target); err == nil && utf8.ValidString(decoded) {
		target = decoded
	}
	// A word in brackets and one in parentheses are a link only when the second looks like a file.
	if !strings.ContainsAny(target, "/.") {
		return "", false
	}
	return target, true
}

// place returns the line and column of an offset, counted as in skill.Finding.
func place(text []byte, offset int) (line, column int) {
	before := text[:offset]
	before = bytes.ReplaceAll(bytes.ReplaceAll(before, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	line = 1 + bytes.Count(before, []byte("\n"))
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	if line == 1 {
		last = bytes.TrimPrefix(last, []byte("\uFEFF"))
	}
	return line, 1 + utf8.RuneCount(bytes.ToValidUTF8(last, []byte("\uFFFD")))
}
