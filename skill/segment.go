package skill

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckSegment reports why seg, decoded, cannot be a directory name in an id (G7), or nil.
func CheckSegment(seg string) error {
	switch {
	case seg == "":
		return errors.New("empty path segment")
	case seg == "." || seg == "..":
		return fmt.Errorf("segment %q is not a name", seg)
	case !utf8.ValidString(seg):
		return fmt.Errorf("segment %q is not valid UTF-8", seg)
	case strings.ContainsAny(seg, `/\`):
		return fmt.Errorf("segment %q holds a slash or backslash", seg)
	}
	for _, r := range seg {
		if r < 0x20 || r == 0x7f {
			return fmt.Errorf("segment %q holds a control character", seg)
		}
	}
	return nil
}
