package skill_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
	"github.com/google/go-cmp/cmp"
)

// B7: nothing in a row can forge another or hide in it.
func TestOneLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in, want string
		hidden   []skill.Hidden
	}{
		{in: "", want: ""},
		{in: "  two   words\t ", want: "two words"},
		{in: "a\r\nb\u0085c\u2028d\u2029e", want: "a b c d e"},
		{in: "a\x1b[31mb", want: "a[31mb", hidden: []skill.Hidden{{1, 0x1b}}},
		{in: "a\u202eb\u2066", want: "ab", hidden: []skill.Hidden{{1, 0x202e}, {5, 0x2066}}},
		{in: "a\u200bb\ufeffc\u00add", want: "abcd", hidden: []skill.Hidden{{1, 0x200b}, {5, 0xfeff}, {9, 0xad}}},
		{in: "x\U000E0041\U000E0100", want: "x", hidden: []skill.Hidden{{1, 0xE0041}, {5, 0xE0100}}},
		{in: "\u2764\ufe0f", want: "\u2764\ufe0f"},
		{in: "\U0001F469\u200d\U0001F4BB", want: "\U0001F469\u200d\U0001F4BB"},
		{in: "می\u200cخواهم", want: "می\u200cخواهم"},
		{in: "\u200da", want: "a", hidden: []skill.Hidden{{0, 0x200d}}},
		{in: "a\u200d b", want: "a b", hidden: []skill.Hidden{{1, 0x200d}}},
		{in: "a\u200d\u200db", want: "a\u200db", hidden: []skill.Hidden{{1, 0x200d}}},
		{in: "a\u200d", want: "a", hidden: []skill.Hidden{{1, 0x200d}}},
		{in: "bad \xff utf", want: "bad \ufffd utf"},
	}
	for _, tt := range tests {
		got, hidden := skill.OneLine(tt.in)
		if got != tt.want {
			t.Errorf("OneLine(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if diff := cmp.Diff(tt.hidden, hidden); diff != "" {
			t.Errorf("OneLine(%q) hidden (-want +got):\n%s", tt.in, diff)
		}
	}
}

// B7 as a property: one line, no control or bidirectional character, and a second pass changes nothing.
func FuzzOneLine(f *testing.F) {
	for _, s := range []string{"", "a b", "a\nb", "\u200d\u200c", "a\u200d\u200b\u200db", "\xff\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := skill.OneLine(s)
		if !utf8.ValidString(got) {
			t.Errorf("OneLine(%q) = %q, not UTF-8", s, got)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Errorf("OneLine(%q) = %q, white space left", s, got)
		}
		for _, r := range got {
			if r != ' ' && unicode.IsSpace(r) || unicode.IsControl(r) || 0x202A <= r && r <= 0x202E {
				t.Errorf("OneLine(%q) keeps %U", s, r)
			}
		}
		if again, hidden := skill.OneLine(got); again != got || hidden != nil {
			t.Errorf("OneLine(%q) = %q, again = %q %v", s, got, again, hidden)
		}
	})
}
