package skill_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/skill"
)

// scraps are what the texts of TestRoundTrip are made of: everything a fence or YAML could trip over.
var scraps = []string{"---", "--- x ---", "...", "a", "é", "技", "\U0001F9E0", "#", "# c", ": b", "a: b", "key:", "- x", "[", "]", "{", "}", "\"", "'", "\\",
	"\\n", "&a", "*b", "!t", "|", ">", "%", "@", "`", ",", "?", "<<", "null", "\t"}

// TestRoundTrip is B4: a description written as a YAML text of any style, and a body, come back as they were. Lines of
// three dashes may stand anywhere but at column 0 of the frontmatter, and there too in the body.
//
// Mutant: cut at the first two "---" anywhere, or trim a line before it is compared with "---" (isFence). Both fail
// here within a few cases.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		description := rapid.Custom(drawText).Draw(t, "description")
		body := rapid.Custom(drawText).Draw(t, "body")
		comment := strings.ReplaceAll(rapid.Custom(drawText).Draw(t, "comment"), "\n", " ")
		style := rapid.SampledFrom([]func(string) string{doubleQuoted, singleQuoted, literalBlock, foldedBlock}).Draw(t, "style")
		text := "---\n# " + comment + "\nname: s\ndescription: " + style(description) + "\nlicense: MIT\n---\n" + body + "\n"
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		d := skill.Parse("s", []byte(text), skill.ParseOptions{})
		if got, want := d.Description, strings.TrimSpace(description); got != want {
			t.Fatalf("description = %q, want %q\n%s\n%v", got, want, text, d.Findings)
		}
		if got, want := d.BodyText(), strings.TrimSpace(body); got != want {
			t.Fatalf("body = %q, want %q", got, want)
		}
		if problems, _ := d.Strict(); len(problems) > 0 || d.Name != "s" || d.License != "MIT" {
			t.Fatalf("problems = %v, name %q, license %q", problems, d.Name, d.License)
		}
	})
}

// drawText draws a text of one or more lines, none of which begins or ends with a blank.
func drawText(t *rapid.T) string {
	line := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(scraps), 1, 6), func(w []string) string {
		return "x" + strings.ReplaceAll(strings.Join(w, " "), " \t ", "\t") + "x"
	})
	return strings.Join(rapid.SliceOfN(rapid.OneOf(line, rapid.Just("---")), 1, 5).Draw(t, "lines"), "\n")
}

func doubleQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func singleQuoted(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "'", "''"), "\n", "\n\n  ") + "'"
}

func literalBlock(s string) string { return "|-\n  " + strings.ReplaceAll(s, "\n", "\n  ") }

func foldedBlock(s string) string { return ">-\n  " + strings.ReplaceAll(s, "\n", "\n\n  ") }

// FuzzParse states what holds for any bytes: the positions of findings lie inside the text, the body is where it is
// said to be, texts are valid UTF-8, and the head alone reads as it does within the whole.
func FuzzParse(f *testing.F) {
	for _, r := range readings {
		if len(r.file) < 1<<15 {
			f.Add([]byte(r.file))
		}
	}
	f.Add([]byte("---\r\rname: s\r...\r---"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := skill.Parse("s", data, skill.ParseOptions{})
		lines := textLines(data)
		problems, advice := d.Strict()
		for _, fs := range [][]skill.Finding{d.Findings, problems, advice} {
			for _, f := range fs {
				if f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > utf8.RuneCountInString(lines[f.Line-1])+1 {
					t.Errorf("%v is outside of the text", f)
				}
				if f.Message == "" || strings.ContainsFunc(f.Message+f.Fix, unicode.IsControl) {
					t.Errorf("message %q, fix %q of %s", f.Message, f.Fix, f.Code)
				}
			}
		}
		start, end := d.BodyRange()
		if !bytes.Equal(data[start:end], d.Body()) {
			t.Errorf("body %q is not at %d:%d", d.Body(), start, end)
		}
		for _, s := range append([]string{d.Name, d.Description, d.License, d.Compatibility, d.BodyText()}, d.AllowedTools...) {
			if !utf8.ValidString(s) {
				t.Errorf("%q is not valid UTF-8", s)
			}
		}
		if d.Name == "" || d.Loads() && d.Description == "" {
			t.Errorf("name %q, description %q", d.Name, d.Description)
		}
		head, err := skill.ParseHead("s", bytes.NewReader(data), skill.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sameHead(t, d, head)
	})
}

// textLines cuts data into lines as a finding counts them.
func textLines(data []byte) []string {
	s := strings.TrimPrefix(string(data), "\uFEFF")
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
}

// trimLines takes the blanks off the ends of the lines: they mean nothing in one-line fields, and some lead goccy to
// another column.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// FuzzPlain proves the short way equal to the long one: whatever it reads, the YAML parser reads too, to the same keys,
// values and places.
func FuzzPlain(f *testing.F) {
	for _, r := range readings {
		fields := strings.TrimSuffix(strings.TrimPrefix(r.file, "---\n"), "\n---\nBody.\n")
		if len(fields) < 1<<12 {
			f.Add(fields)
		}
	}
	f.Add("a: b-\nc: d'e\"f\n# g\n\nh: i  ")
	f.Add("a: \"b: # c\"\nm:\n  k: 'v'\n\n  n: 1.10\no: 2 days\n")
	f.Add("a: b [c] {d} & * ! | > % @ ` , ? <<\n")
	f.Fuzz(func(t *testing.T, src string) {
		src = strings.ToValidUTF8(src, "\uFFFD")
		if strings.ContainsFunc(src, func(r rune) bool {
			return r != '\n' && r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
		}) {
			t.Skip("the block is cleaned before it is read")
		}
		plain, ok := skill.ReadPlain(src)
		if !ok || len(src) > skill.MaxFrontmatter || strings.Count(src, "[")+strings.Count(src, "{") > skill.MaxDepth {
			return // the long way is kept from what could cost much
		}
		full, ok := skill.ReadYAML(trimLines(src))
		if !ok {
			t.Fatalf("the YAML parser does not read %q, and the short way does", src)
		}
		if diff := cmp.Diff(full, plain); diff != "" {
			t.Errorf("%q (-YAML +short):\n%s", src, diff)
		}
	})
}

// TestPlainIsYAML is FuzzPlain over lines that are nearly plain.
func TestPlainIsYAML(t *testing.T) {
	t.Parallel()
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			key := rapid.SampledFrom([]string{"a", "name", "x-y_2", "null", "true", "y", "A", "e1"}).Draw(t, "key")
			colon := rapid.SampledFrom([]string{": ", ":  ", ":", " : "}).Draw(t, "colon")
			return key + colon + strings.Join(rapid.SliceOfN(rapid.SampledFrom(scraps), 1, 4).Draw(t, "words"),
				rapid.SampledFrom([]string{"", " ", "x"}).Draw(t, "glue"))
		})
		quoted := rapid.Map(line, func(s string) string {
			key, value, _ := strings.Cut(s, ":")
			return key + `: "` + value + `"`
		})
		single := rapid.Map(quoted, func(s string) string { return strings.ReplaceAll(s, `"`, "'") })
		number := rapid.Map(rapid.SampledFrom([]string{"1.10", "2024-01-02", "1_0", "0x1", "12:30", "1e3", "7 days", "0o7"}), func(s string) string { return "n: " + s })
		below := rapid.Map(rapid.OneOf(line, quoted, single, number), func(s string) string { return "  " + s })
		open := rapid.SampledFrom([]string{"m:", "m: ", "  m:", "   k: v", "  # c", " "})
		lines := rapid.SliceOfN(rapid.OneOf(line, quoted, single, number, below, below, open, rapid.Just(""), rapid.Just("# c"), rapid.Just("b: c ")), 1, 6).Draw(t, "lines")
		src := strings.Join(lines, "\n")
		plain, ok := skill.ReadPlain(src)
		if !ok {
			return
		}
		read++
		if full, ok := skill.ReadYAML(trimLines(src)); !ok || full != plain {
			t.Fatalf("%q is\n%s the short way and\n%s (%v) the long way", src, plain, full, ok)
		}
	})
	if read == 0 {
		t.Error("the short way read nothing")
	}
}

// hostile are frontmatters of up to 16 KiB that cost YAML readers seconds, or gigabytes.
func hostile() map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, (skill.MaxFrontmatter-100)/len(unit)) }
	number := func(format string, n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	stairs := func(step string) string {
		var out strings.Builder
		for i := 0; out.Len() < skill.MaxFrontmatter-400; i++ {
			out.WriteString(strings.Repeat(" ", i) + step + "\n")
		}
		return out.String()
	}
	return map[string]string{
		"brackets":              fill("["),
		"brackets in a value":   "a: " + fill("["),
		"braces":                fill("{"),
		"braces with keys":      fill("{a: "),
		"closed brackets":       "a: [" + fill("[],") + "]",
		"dashes":                fill("- "),
		"question marks":        fill("? "),
		"colons":                fill(": "),
		"dots":                  fill("..."),
		"keys":                  number("k%d:\n", 2000),
		"keys below one":        "m:\n" + number(" k%d:\n", 1000),
		"too many keys":         "m:\n" + number(" k%d:\n", 2000),
		"keys in braces":        "m: {" + number("k%d,", 2000) + "}",
		"root in braces":        "{" + number("\"k%d\": \"\\x41\", ", 900) + "}",
		"anchors":               "m: [" + number("&a%d b,", 1500) + "]",
		"aliases":               "a: &a b\nm: [" + fill("*a,") + "]",
		"aliases of aliases":    "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + number("k%[1]d: &k%[1]d [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", 200),
		"self":                  "a: &a {s: *a}\nb: *a",
		"stairs of keys":        stairs("k:"),
		"stairs of dashes":      stairs("-"),
		"stairs of quests":      stairs("? a"),
		"broken entries":        fill("a: [\n"),
		"broken quests":         fill("? [a\n") + "x: [",
		"keys that are lists":   fill("? [a]\n: b\n") + "x: y: z",
		"keys that are lists 2": fill("[a]: b\n") + "x: y: z",
		"tags":                  fill("k: !a\n"),
		"escapes":               "m: \"" + fill("\\x41") + "\"",
		"quoted escapes":        "m: [" + fill("\"\\x41\",") + "]",
		"lists of lists":        "m:\n" + fill("- -\n"),
		"empty blocks":          "m:\n" + fill("- |\n"),
		"comments":              "a: [\n" + fill("#\n") + "]",
		"duplicates":            fill("a: []\n"),
		"merge keys":            fill("<<: {}\n"),
		"blank lines":           fill("\t\n") + "a: 'b'",
		"indentation":           fill(" ") + "a: 'b'",
		"one word":              "a: '" + fill("b") + "'",
		"control characters":    fill("\x01"),
		"separators":            fill("\u2028"),
		"bad UTF-8":             fill("\xff\n"),
	}
}

// TestBounds: no frontmatter of the size that is read costs more than 32 MB, and a megabyte without a line end, or of
// nothing but fields, costs in proportion. Bytes are counted, not seconds; BenchmarkHostile has those.
func TestBounds(t *testing.T) {
	for name, fields := range hostile() {
		if len(fields) > skill.MaxFrontmatter {
			t.Errorf("%s: %d bytes are more than are read", name, len(fields))
		}
		if used := allocated(func() { skill.Parse("s", []byte(file(good+"\n"+fields)), skill.ParseOptions{}) }); used > 32<<20 {
			t.Errorf("%s: %d KiB allocated", name, used>>10)
		}
	}
	for name, text := range map[string]string{
		"no line end":              strings.Repeat("x", skill.MaxFile),
		"no line end in the block": "---\n" + strings.Repeat("x", skill.MaxFile-4),
		"no line end in the body":  file(good) + strings.Repeat("[", skill.MaxFile-60),
		"carriage returns":         strings.Repeat("\r", skill.MaxFile),
		"one long value":           file("a: [" + strings.Repeat("[", skill.MaxFile-60)),
		"one long plain value":     file("a: " + strings.Repeat("b ", skill.MaxFile/2-60)),
		"broken entries":           file(strings.Repeat("a: [\n", skill.MaxFile/5-60)),
	} {
		if used := allocated(func() { skill.Parse("s", []byte(text), skill.ParseOptions{}) }); used > 128<<20 {
			t.Errorf("%s: %d MiB allocated", name, used>>20)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHeadAllocations: hosts read thousands of heads.
func TestHeadAllocations(t *testing.T) {
	text := []byte(file("name: s\ndescription: Sorts mail. Use when triaging an inbox.\nlicense: MIT\nallowed-tools: Read Write"))
	if n := testing.AllocsPerRun(100, func() {
		if d, err := skill.ParseHead("s", bytes.NewReader(text), skill.ParseOptions{}); err != nil || !d.Loads() {
			t.Fatal(err)
		}
	}); n >= 40 {
		t.Errorf("ParseHead of a plain skill allocates %v objects, want fewer than 40", n)
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, fields := range hostile() {
		data := []byte(file(good + "\n" + fields))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				skill.Parse("s", data, skill.ParseOptions{})
			}
		})
	}
}

func BenchmarkParseHead(b *testing.B) {
	for name, fields := range map[string]string{
		"plain":  good + "\nlicense: MIT",
		"quoted": "name: s\ndescription: \"Sorts mail.\"\nmetadata:\n  author: me\n  version: \"1.0\"",
	} {
		data := []byte(file(fields))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if d, err := skill.ParseHead("s", bytes.NewReader(data), skill.ParseOptions{}); err != nil || !d.Loads() {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParse reports the speed over body text: the frontmatter costs the same whatever follows it.
func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1 << 12, 1 << 16, 1 << 19} {
		data := []byte(file(good) + strings.Repeat("Read the mail. Sort it by é and sender.\n", size/40))
		b.Run(strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if d := skill.Parse("s", data, skill.ParseOptions{}); !d.Loads() {
					b.Fatal(d.Findings)
				}
			}
		})
	}
}
