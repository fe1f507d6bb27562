package atskills_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-git/go-billy/v5/memfs"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// hostile draws texts from what could break a row, forge one or hide in one (B7).
var hostile = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"\n", "\r", "\u0085", "\u2028", "\u2029", "\v", "\t", " ", "- ", ": ", "(", ")", "\u202e", "\u2066",
			"\u200b", "\u200c", "\u200d", "\ufeff", "\u00ad", "\U000E0041", "\U000E0101", "\ufe0f", "\x1b[2J", "\x00", "\u009b", "é", "\u0644", "name",
			"\n- forged: row (.atskills/x/SKILL.md)", header, "[served from cache, upstream unreachable, may be stale]",
			strings.Repeat("long ", 300)}),
		rapid.StringN(0, 4, -1),
	), 0, 6).Draw(t, "parts"), "")
})

// B2, B7: whatever names, descriptions and folder names hold, the block has one line for the header and one for each
// skill that asked for it, and no line holds a break, a control or a bidirectional override.
func TestResidencyHostile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fsys, up := memfs.New(), &strings.Builder{}
		const local, cloud = 3, 2
		put := func(name, body string) {
			if err := fsx.WriteFile(fsys, name, []byte(body), 0o644); err != nil {
				t.Skip(err)
			}
		}
		text := func() string {
			front, err := json.Marshal(map[string]string{"name": hostile.Draw(t, "name"), "description": hostile.Draw(t, "description")})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("---\n%s\n---\n", front)
		}
		for i := range local {
			dir := strings.NewReplacer("/", "", "\x00", "", "\\", "").Replace(hostile.Draw(t, "dir"))
			put(fmt.Sprintf(".atskills/%d%.200s/SKILL.md", i, dir), text())
		}
		for i := range cloud {
			fmt.Fprintf(up, "-- acme/kit/s%d/SKILL.md --\n%s", i, text())
		}
		put(".atskills/.autotrigger", "*\n@gh:acme/kit/\n")
		u, err := transporttest.NewUpstream(up.String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := atskills.Residency(t.Context(), atskills.Env{Project: fsys, Cache: memfs.New(), Transport: transporttest.NewFake(u)})
		if err != nil {
			t.Fatal(err)
		}
		checkBlock(t, b)
		isBreak := func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }
		if lines := strings.FieldsFunc(b.Text, isBreak); len(b.Rows) > 0 && len(lines) != 1+len(b.Rows) {
			t.Errorf("%d lines and %d rows: %q", len(lines), len(b.Rows), b.Text)
		}
		incomplete := 0
		for _, n := range b.Notes {
			if n.Code == atskills.NoteIncomplete {
				incomplete++
			}
		}
		if len(b.Rows)+incomplete != local+cloud {
			t.Errorf("%d rows and %d left out, of %d skills: %q", len(b.Rows), incomplete, local+cloud, b.Text)
		}
		for _, r := range strings.ReplaceAll(b.Text, "\n", "") {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || 0xE0000 <= r && r <= 0xE01EF {
				t.Errorf("%U in %q", r, b.Text)
			}
		}
		for _, r := range b.Rows {
			if n := len([]rune(r.Description)); n > skill.MaxDescriptionLength+1 {
				t.Errorf("a description of %d characters", n)
			}
		}
	})
}

// Any bytes are a trigger file and any a SKILL.md: the block keeps its form, and says the same twice.
func FuzzResidency(f *testing.F) {
	for _, seed := range [][3]string{
		{"a\n", "---\nname: a\ndescription: b\n---\n", "a"}, {"\ufeff*\r\n!a\r\n@gh:acme/kit/\r\n", "---\nname: [", "b"},
		{"@gh:acme/kit\n@gh:acme/kit/\n@\n", "", "x y"}, {"/**/\n", "---\nname: \"\\u202e\"\ndescription: >\n x\n y\n---", "\n"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, lines, text, dir string) {
		if skill.CheckSegment(strings.ReplaceAll(dir, "\n", "")) != nil || skill.Reserved(dir) {
			return
		}
		env := atskills.Env{Project: memfs.New(), Cache: memfs.New(), Transport: transporttest.NewFake(upstreamOf(t, acme))}
		for name, body := range map[string]string{dir + "/SKILL.md": text, ".autotrigger": lines} {
			if err := fsx.WriteFile(env.Project, ".atskills/"+name, []byte(body), 0o644); err != nil {
				return
			}
		}
		var texts [2]string
		for i := range texts {
			b, err := atskills.Residency(t.Context(), env)
			if err != nil {
				t.Fatal(err)
			}
			checkBlock(t, b)
			texts[i] = b.Text
		}
		if texts[0] != texts[1] {
			t.Errorf("%q and then %q", texts[0], texts[1])
		}
	})
}

func upstreamOf(t *testing.T, archive string) *transporttest.Upstream {
	t.Helper()
	u, err := transporttest.NewUpstream(archive)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// B1, T3: the lines at a row are those that select its skill: alone they do, and without them nothing does.
func TestResidencyCovering(t *testing.T) {
	t.Parallel()
	dir := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "[z]", "!x"}), 1, 3).Draw(t, "dir"), "/")
	})
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"*", "/*", "**", "a/*", "*/b", "!*", "!a", "!/a/", "a/**", "!a/b", "?", "[a-b]", `\[z]`, "[z]", `\!x`, "# a", "", "a/b/"}),
		rapid.Map(dir, func(s string) string { return "/" + s }),
		rapid.Map(dir, func(s string) string { return s + "/" }),
	)
	rapid.Check(t, func(t *rapid.T) {
		env := atskills.Env{Project: memfs.New()}
		put := func(name, body string) {
			if err := fsx.WriteFile(env.Project, ".atskills/"+name, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range rapid.SliceOfN(dir, 1, 5).Draw(t, "dirs") {
			put(d+"/SKILL.md", skillText("s", "D.", ""))
		}
		lines := rapid.SliceOfN(line, 0, 6).Draw(t, "lines")
		block := func(keep func(number int) bool) map[string]bool {
			kept := make([]string, len(lines))
			for i, l := range lines {
				if keep(i + 1) {
					kept[i] = l
				}
			}
			put(".autotrigger", strings.Join(kept, "\n"))
			b, err := atskills.Residency(t.Context(), env)
			if err != nil {
				t.Fatal(err)
			}
			resident := make(map[string]bool)
			for _, r := range b.Rows {
				resident[r.Path] = true
			}
			return resident
		}
		put(".autotrigger", strings.Join(lines, "\n"))
		b, err := atskills.Residency(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		checkBlock(t, b)
		for _, r := range b.Rows {
			covers := func(n int) bool { return slices.Contains(r.Lines, n) }
			if !block(covers)[r.Path] {
				t.Errorf("lines %v of %q do not select %s", r.Lines, lines, r.Path)
			}
			if block(func(n int) bool { return !covers(n) })[r.Path] {
				t.Errorf("%s is selected by others than lines %v of %q", r.Path, r.Lines, lines)
			}
		}
	})
}
