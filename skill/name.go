package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// nameField takes the name. Where there is none that can be used, the document keeps the name of its directory.
func (f *fieldReader) nameField(id nodeID) {
	if id == 0 {
		f.missing(CodeNameMissing, "name")
		return
	}
	n := f.tree.nodes[id]
	text, kind := f.text(id)
	switch {
	case kind == collectionValue:
		f.report(n, CodeNameNotString, "the name is no text", "write one word")
		return
	case kind == nullValue || strings.TrimSpace(text) == "":
		f.report(n, CodeNameEmpty, "the name is empty", "write the name of the directory")
		return
	case kind == typedValue:
		f.report(n, CodeNameNotString, "the name "+cite(text)+" is a number or a truth value", "put it in quotes")
	}
	f.checkName(n, text)
	name := norm.NFKC.String(strings.TrimSpace(text))
	if isUnsafeName(name) {
		f.report(n, CodeNameUnsafe, "the name "+cite(text)+" could be taken for a path", "use letters, digits and hyphens")
		return
	}
	f.doc.Name, f.doc.named = name, true
}

// checkName reports what the format forbids in a name, as it is written. Unicode names are looked at in the form in
// which they are compared.
func (f *fieldReader) checkName(n node, text string) {
	if utf8.RuneCountInString(text) > MaxNameLength {
		f.report(n, CodeNameTooLong, "the name has more than 64 characters", "shorten it")
	}
	dir := f.dir
	if f.opts.UnicodeNames {
		text, dir = norm.NFKC.String(text), norm.NFKC.String(dir)
	}
	cited := "the name " + cite(text)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.ToLower(r) != r }) {
		f.report(n, CodeNameUppercase, cited+" has capital letters", "write it in small letters")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !f.nameRune(r) }) {
		f.report(n, CodeNameCharset, cited+" has other characters than letters, digits and hyphens", "write hyphens for them")
	}
	if strings.HasPrefix(text, "-") || strings.HasSuffix(text, "-") {
		f.report(n, CodeNameHyphenEdge, cited+" begins or ends with a hyphen", "remove it")
	}
	if strings.Contains(text, "--") {
		f.report(n, CodeNameHyphenDouble, cited+" has two hyphens in a row", "leave one")
	}
	if dir != "" && text != dir {
		f.report(n, CodeNameDirMismatch, cited+" is not that of the directory, "+cite(f.dir), "give both the same name")
	}
}

func (f *fieldReader) nameRune(r rune) bool {
	switch {
	case r == '-', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return true
	}
	return f.opts.UnicodeNames && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// isUnsafeName reports whether a host that made a path or a line of name would be misled. A slash within is not
// unsafe: names such as sdk/android exist, and the directory's name in their place would make several collide.
func isUnsafeName(name string) bool {
	if strings.ContainsFunc(name, func(r rune) bool {
		return r == '\\' || unicode.IsControl(r) || isLineSeparator(r)
	}) {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return false
}
