package atskills_test

import (
	"fmt"
	"testing"

	"github.com/atskills-go/atskills"
)

// What a host shows a person: where, and what, on one line (B8, T5).
func TestStrings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value fmt.Stringer
		want  string
	}{
		{atskills.Note{Line: 3, Message: "it is a menu"}, "line 3: it is a menu"},
		{atskills.Note{Path: ".atskills/x/SKILL.md", Message: "it is left out"}, ".atskills/x/SKILL.md: it is left out"},
		{atskills.Note{Line: 3, Path: ".atskills/x/SKILL.md", Message: "it is left out"}, "line 3: .atskills/x/SKILL.md: it is left out"},
		{atskills.Note{Path: ".atskills/x", Message: ".atskills/x: permission denied"}, ".atskills/x: permission denied"},
		{atskills.Note{Path: "a\nb", Message: "c\x1b[2J\nd"}, "a b: c[2J d"},
		{atskills.Note{Message: "12 skills are resident"}, "12 skills are resident"},
		{atskills.Problem{Line: 2, Code: atskills.LintNothing, Message: "it matches no skill", Fix: "x"}, "line 2: it matches no skill"},
		{atskills.Warning{Code: atskills.WarnStale, Message: "may be\nstale"}, "may be stale"},
	} {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("%#v: String() = %q, want %q", tt.value, got, tt.want)
		}
	}
}
