package skill_test

import (
	"slices"
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
		{in: "\u2764\ufe0f\u200d\U0001F525 1\ufe0f\u20e3", want: "\u2764\ufe0f\u200d\U0001F525 1\ufe0f\u20e3"},
		{in: "\u8fbb\ufe00\ufe01\ufe0f!", want: "\u8fbb\ufe00!", hidden: []skill.Hidden{{6, 0xfe01}, {9, 0xfe0f}}},
		{in: "h\ufe01i\ufe02 \ufe0f", want: "hi", hidden: []skill.Hidden{{1, 0xfe01}, {5, 0xfe02}, {9, 0xfe0f}}},
		{in: "\u2764\u0301\ufe0f", want: "\u2764\u0301", hidden: []skill.Hidden{{5, 0xfe0f}}},
		{in: "\u2764\u200d\ufe0fx", want: "\u2764\ufe0fx", hidden: []skill.Hidden{{3, 0x200d}}},
		{in: "\u1820\u180b\u180c", want: "\u1820\u180b", hidden: []skill.Hidden{{6, 0x180c}}},
		{in: "a\u2065\u206a\ufff9\U0001D173\u034f\u17b4b", want: "ab",
			hidden: []skill.Hidden{{1, 0x2065}, {4, 0x206a}, {7, 0xfff9}, {10, 0x1d173}, {14, 0x34f}, {16, 0x17b4}}},
		{in: "\u0601\u0661\u06dd", want: "\u0601\u0661\u06dd"},
		{in: "\u283f\u2800\u2800\u283f", want: "\u283f \u283f"},
		{in: "\u2800\u00a0\U00013441\U0001D159", want: ""},
		{in: "\u3164\u115f\u1160\uffa0", want: "", hidden: []skill.Hidden{{0, 0x3164}, {3, 0x115f}, {6, 0x1160}, {9, 0xffa0}}},
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

// B7: whatever Unicode calls a control, a format character or ignorable is removed and reported, the marks that show apart;
// a joiner or a variation selector has no place after a letter at the end.
func TestOneLineIgnorables(t *testing.T) {
	t.Parallel()
	shown := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsSpace(r) || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			continue
		}
		in, want := "a"+string(r), "a"
		wantHidden := []skill.Hidden{{Offset: 1, Rune: r}}
		if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			want, wantHidden, shown = in, nil, shown+1
		}
		if got, hidden := skill.OneLine(in); got != want || !slices.Equal(hidden, wantHidden) {
			t.Errorf("OneLine(%q) = %q, hidden %v, want %q, %v", in, got, hidden, want, wantHidden)
		}
	}
	if shown == 0 {
		t.Error("no mark that shows was tried")
	}
}

// B7: of a run of variation selectors, one stays, whichever they are.
func TestOneLineSelectors(t *testing.T) {
	t.Parallel()
	for r := rune(0xFE00); r <= 0xFE0F; r++ {
		in := strings.Repeat("\u2602"+strings.Repeat(string(r), 200), 3)
		want := strings.Repeat("\u2602"+string(r), 3)
		if got, hidden := skill.OneLine(in); got != want || len(hidden) != 3*199 {
			t.Errorf("OneLine of runs of %U = %q, %d hidden, want %q", r, got, len(hidden), want)
		}
	}
}

// B7 as a property: one line, no control or bidirectional character, and a second pass changes nothing.
func FuzzOneLine(f *testing.F) {
	for _, s := range []string{"", "a b", "a\nb", "\u200d\u200c", "a\u200d\u200b\u200db", "\xff\u2028", "\u2764\u200d\ufe0f\ufe0f\u200dx \ufe0f"} {
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
			if r != ' ' && unicode.IsSpace(r) || unicode.IsControl(r) || ignorable(r) && r != 0x200C && r != 0x200D {
				t.Errorf("OneLine(%q) keeps %U", s, r)
			}
		}
		if again, hidden := skill.OneLine(got); again != got || hidden != nil {
			t.Errorf("OneLine(%q) = %q, again = %q %v", s, got, again, hidden)
		}
	})
}

// ignorable reports whether Unicode lets a renderer show nothing for r, the selectors that OneLine may keep apart.
func ignorable(r rune) bool {
	return r >= 0xE0000 && unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
