package skill

import (
	"strings"
	"unicode/utf8"
)

// Reference returns the spelling of id that survives in a sentence and that [ParseRef] reads back as id, without
// "@skills:" (G6). White space, colons and invisible characters are escaped, all that [OneLine] would take out, and one character more where the text
// would otherwise be read as something else: a '%' that would decode, punctuation or 's at the very end, a last segment
// SKILL.md, a repository that ends in .git, a path below a repository that begins with tree/ or blob/, a first segment
// that reads as the host github.com.
//
// ParseRef folds the case of bare paths, so a local id with capitals comes back as the first of [Ref.IDs].
func (id ID) Reference() string { return spell(id, "") }

// spell writes id, seen on branch when that is not empty, in reference spelling.
func spell(id ID, branch string) string {
	if id.IsZero() {
		return ""
	}
	segs := strings.Split(id.path, "/")
	for i, seg := range segs {
		segs[i] = encodeSegment(seg)
	}
	marker := ""
	switch id.scheme {
	case GitHub:
		marker = "gh:"
		segs = spellRepository(segs, branch)
	case Hub:
		marker = "hub:"
	}
	if id.scheme != Hub {
		segs[0] = hideHost(segs[0])
	}
	last := len(segs) - 1
	if id.scheme == Local && last == 0 && cutRefPrefix(segs[0]+":") == "" {
		segs[0] = escape("@") + segs[0][1:] // so that a suffix does not make it the prefix
	}
	if segs[last] == SkillFile {
		segs[last] = strings.Replace(SkillFile, ".", escape("."), 1)
	}
	return marker + hideTail(strings.Join(segs, "/"))
}

// spellRepository escapes what setGitHub would read in the encoded segments of a gh: path, and inserts branch.
func spellRepository(segs []string, branch string) []string {
	if name, ok := strings.CutSuffix(segs[1], ".git"); ok && name != "" {
		segs[1] = name + escape(".") + "git"
	}
	if branch == "" {
		if len(segs) > 3 && (segs[2] == "tree" || segs[2] == "blob") {
			segs[2] = escape(segs[2][:1]) + segs[2][1:]
		}
		return segs
	}
	ref := strings.ReplaceAll(encodeSegment(branch), "/", escape("/"))
	if ref == "refs" {
		ref = escape("r") + "efs"
	}
	out := append(segs[:2:2], "tree", ref)
	return append(out, segs[2:]...)
}

// Punctuation that a sentence may put behind a reference (G10). An escape at the end keeps it in the path.
const (
	sentenceEnd    = ".,;!?'\"`…。，、；！？：．｡､،؛؟۔।॥“”‘’‹›«"
	openBrackets   = "([{<（［｛【「『《〈«"
	closedBrackets = ")]}>）］｝】」』》〉»"
	separators     = ",;，；、،؛" // of these, the ones that may stand between two references
)

// possessive returns the length of the English possessive that path ends in, or 0.
func possessive(path string) int {
	for _, s := range []string{"'s", "’s"} {
		if strings.HasSuffix(path, s) {
			return len(s)
		}
	}
	return 0
}

// hideTail escapes the last character of an encoded path when a sentence would claim it, or the apostrophe before an s. A closing bracket whose
// opening one is inside the path belongs to the path.
func hideTail(path string) string {
	r, n := utf8.DecodeLastRuneInString(path)
	tail := path[len(path)-n:]
	if strings.ContainsRune(sentenceEnd, r) {
		return path[:len(path)-n] + escape(tail)
	}
	if n := possessive(path); n > 0 {
		return path[:len(path)-n] + escape(path[len(path)-n:len(path)-1]) + "s"
	}
	i := strings.IndexRune(closedBrackets, r)
	if i < 0 {
		return path
	}
	open := string([]rune(openBrackets)[utf8.RuneCountInString(closedBrackets[:i])])
	if strings.Count(path, open) >= strings.Count(path, tail) {
		return path
	}
	return path[:len(path)-n] + escape(tail)
}
