package remote

import (
	"fmt"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// CheckName judges a name in a listing. What would escape its folder, or what git itself refuses to check out (".",
// "..", a slash, the repository's own folder under any spelling a file system takes for it), was made on purpose and
// is an error. What git takes but no path segment may hold (G7: a backslash, a control character, invalid UTF-8)
// occurs in honest repositories: usable is false and the rest of the tree stands.
func CheckName(s string) (usable bool, err error) {
	switch {
	case s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/\x00"):
		return false, fmt.Errorf("hostile name %s in a tree", Quote(s))
	case isDotGit(s):
		return false, fmt.Errorf("hostile name %s in a tree: it stands for .git", Quote(s))
	}
	return skill.CheckSegment(s) == nil, nil
}

// isDotGit reports whether some file system takes s for ".git": case folded, with trailing dots and spaces or a
// stream name (NTFS), by its short name "git~1" (FAT, NTFS), or with code points that are ignored (HFS+).
func isDotGit(s string) bool {
	s = strings.ToLower(strings.Map(dropIgnorable, s))
	for _, p := range []string{".git", "git~1"} {
		rest, ok := strings.CutPrefix(s, p)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, ". ")
		if rest == "" || rest[0] == ':' || rest[0] == '\\' {
			return true
		}
	}
	return false
}

// dropIgnorable drops what HFS+ ignores in names.
func dropIgnorable(r rune) rune {
	switch {
	case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}
