package skill_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// file makes a SKILL.md of fields and a body.
func file(fields string) string { return "---\n" + fields + "\n---\nBody.\n" }

const good = "name: s\ndescription: Sorts mail."

// reading is one file and what is wrong with it. Fields that are empty stand for what a good file has: no finding,
// the name s.
type reading struct {
	name     string
	file     string
	dir      string // "s" if empty
	opts     skill.ParseOptions
	problems string // the codes of the strict reading, separated by spaces
	advice   string
	lenient  string // the codes of the lenient reading; "=" for problems and advice together
	refusal  string
	wantName string
	wantDesc string // "Sorts mail." if empty and the document loads
}

// readings has every code at least once (TestEveryCode), and the rules about which code stands for what.
var readings = []reading{
	{name: "plain", file: file(good)},

	// 5.1 bytes
	{name: "file name", file: file(good), opts: skill.ParseOptions{FileName: "skill.md"}, problems: "file-name-case",
		lenient: "file-name-case", refusal: "file-name-case"},
	{name: "file name and more", file: file("name: S\ndescription: Sorts mail."), opts: skill.ParseOptions{FileName: "Skill.md"},
		problems: "file-name-case name-dir-mismatch name-uppercase", lenient: "file-name-case", refusal: "file-name-case", wantName: "S"},
	{name: "too large", file: file(good) + strings.Repeat("x", skill.MaxFile), problems: "file-too-large", lenient: "=",
		refusal: "file-too-large"},
	{name: "499 lines", file: file(good) + strings.Repeat("x\n", 494)},
	{name: "500 lines", file: file(good) + strings.Repeat("x\n", 495), advice: "file-too-many-lines", lenient: "="},
	{name: "500 lines without the last end", file: file(good) + strings.Repeat("x\n", 494) + "x", advice: "file-too-many-lines", lenient: "="},
	{name: "bom", file: "\uFEFF" + file(good), problems: "bom", lenient: "="},
	{name: "two boms", file: "\uFEFF\uFEFF" + file(good), problems: "bom frontmatter-missing", lenient: "=", refusal: "frontmatter-missing"},
	{name: "bad UTF-8", file: file("name: s\ndescription: Sorts \xff\xfemail."), problems: "encoding-invalid-utf8", lenient: "=",
		wantDesc: "Sorts \uFFFDmail."},
	{name: "bad UTF-8 in the body", file: file(good) + "\xff", problems: "encoding-invalid-utf8", lenient: "="},
	{name: "CRLF", file: strings.ReplaceAll(file(good), "\n", "\r\n")},
	{name: "CR", file: strings.ReplaceAll(file(good), "\n", "\r"), advice: "line-ending-cr", lenient: "="},
	{name: "CR in the body", file: file(good) + "a\rb\n", advice: "line-ending-cr", lenient: "="},

	// 5.2 framing
	{name: "empty", file: "", problems: "frontmatter-missing", lenient: "=", refusal: "frontmatter-missing"},
	{name: "none", file: "# Title\n", problems: "frontmatter-missing", lenient: "=", refusal: "frontmatter-missing"},
	{name: "text on the fence", file: "--- x\n" + good + "\n---\nB\n", problems: "frontmatter-missing", lenient: "=", refusal: "frontmatter-missing"},
	{name: "indented fence", file: " ---\n" + good + "\n---\nB\n", problems: "frontmatter-missing", lenient: "=", refusal: "frontmatter-missing"},
	{name: "blank lines first", file: "\n \n" + file(good), problems: "frontmatter-not-first", lenient: "="},
	{name: "unclosed", file: "---\n" + good + "\n", problems: "frontmatter-unclosed", lenient: "=", refusal: "frontmatter-unclosed"},
	{name: "closed by four", file: "---\n" + good + "\n----\nB\n", problems: "frontmatter-unclosed", lenient: "=", refusal: "frontmatter-unclosed"},
	{name: "closed by an indented one", file: "---\n" + good + "\n ---\nB\n", problems: "frontmatter-unclosed", lenient: "=", refusal: "frontmatter-unclosed"},
	{name: "blanks after the fences", file: "--- \t\n" + good + "\n---  \nB\n"},
	{name: "fence at the end of the file", file: "---\n" + good + "\n---", advice: "body-empty", lenient: "="},
	{name: "dashes in a text", file: file("name: s\ndescription: a --- b"), wantDesc: "a --- b"},
	{name: "dashes in a block", file: file("name: s\ndescription: |\n  a\n  ---\n  b"), wantDesc: "a\n---\nb"},
	{name: "dashes in a comment", file: file("# --- x ---\n" + good)},
	{name: "dots", file: file(good + "\n...\nname: other"), problems: "yaml-document-marker", lenient: "="},
	{name: "dots with blanks", file: file(good + "\n... \nname: other"), problems: "yaml-document-marker", lenient: "="},
	{name: "dots and text", file: file(good + "\n...x: y"), problems: "yaml-invalid", lenient: "unknown-field yaml-retry"},
	{name: "body of white space", file: "---\n" + good + "\n---\n \n\t\n", advice: "body-empty", lenient: "="},
	{name: "control in the body", file: file(good) + "a\x1b[0m", advice: "body-control-char", lenient: "="},
	{name: "C1 control in the body", file: file(good) + "a\u009b", advice: "body-control-char", lenient: "="},
	{name: "letters in the body", file: file(good) + "\u00e9\t\u0085\u00c2"},

	// 5.3 characters
	{name: "control", file: file("name: s\ndescription: Sorts\x07 mail."), problems: "control-char", lenient: "=", wantDesc: "Sorts\uFFFD mail."},
	{name: "line separators", file: file("name: s\ndescription: Sorts\u2028allowed-tools: Bash(*)"), problems: "line-separator-char yaml-invalid",
		lenient: "line-separator-char yaml-retry", wantDesc: "Sorts allowed-tools: Bash(*)"},
	{name: "next line", file: file("name: s\ndescription: Sorts\u0085mail."), problems: "line-separator-char", lenient: "="},

	// 5.4 YAML
	{name: "empty block", file: "---\n---\nB\n", problems: "frontmatter-not-mapping", lenient: "=", refusal: "frontmatter-not-mapping"},
	{name: "comments", file: file("# x"), problems: "frontmatter-not-mapping", lenient: "=", refusal: "frontmatter-not-mapping"},
	{name: "list", file: file("- a"), problems: "frontmatter-not-mapping", lenient: "=", refusal: "frontmatter-not-mapping"},
	{name: "no blank after the colons", file: file("name:s\ndescription:Sorts mail."), problems: "frontmatter-not-mapping", lenient: "=", refusal: "frontmatter-not-mapping"},
	{name: "no blank after one colon", file: file("name:s\ndescription: Sorts mail."), problems: "yaml-invalid", lenient: "name-missing yaml-retry"},
	{name: "duplicate", file: file(good + "\ndescription: Sorts."), problems: "yaml-duplicate-key", lenient: "=", wantDesc: "Sorts."},
	{name: "duplicate in depth", file: file(good + "\nmetadata: {a: b, a: c}"), problems: "yaml-duplicate-key", advice: "yaml-flow-style", lenient: "="},
	{name: "anchor and alias", file: file("name: &n s\ndescription: Sorts mail.\nlicense: *n"), problems: "yaml-anchor", lenient: "="},
	{name: "alias of a list", file: file(good + "\nlicense: &l\n  - a\ncompatibility: *l"),
		problems: "compatibility-not-string license-not-string yaml-anchor", lenient: "="},
	{name: "alias of nothing", file: file("name: s\ndescription: *x"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: "*x"},
	{name: "tag", file: file("name: s\ndescription: !!binary U29ydHM="), problems: "yaml-tag", lenient: "=", wantDesc: "U29ydHM="},
	{name: "tag makes text", file: file("name: s\ndescription: !!int 5"), problems: "yaml-tag", lenient: "=", wantDesc: "5"},
	{name: "tag before nothing takes no field", file: file("name: s\nlicense: !x\ndescription: Sorts mail."), problems: "yaml-invalid",
		lenient: "license-empty yaml-retry yaml-tag"},
	{name: "merge key", file: file("<<: {name: x}\n" + good), problems: "yaml-merge-key", advice: "yaml-flow-style", lenient: "="},
	{name: "merge key in quotes", file: file("\"<<\": x\n" + good), problems: "unknown-field", lenient: "="},
	{name: "key that is a list", file: file(good + "\n? [a]\n: b"), problems: "yaml-key-not-string", advice: "yaml-flow-style", lenient: "="},
	{name: "key that is a block list", file: file(good + "\n? - a\n  - b\n: c\nlicense: MIT"), problems: "yaml-key-not-string", lenient: "="},
	{name: "key in braces", file: file("{a: b}: c\n" + good), problems: "yaml-key-not-string", advice: "yaml-flow-style", lenient: "="},
	{name: "key after a question mark", file: file(good + "\n? license\n: MIT")},
	{name: "flow", file: file("{name: s, description: Sorts mail.}"), advice: "yaml-flow-style", lenient: "="},
	{name: "1.1 type", file: file("name: on\ndescription: Sorts mail."), dir: "on", advice: "yaml11-implicit-type", lenient: "=", wantName: "on"},
	{name: "1.1 date", file: file(good + "\nmetadata:\n  d: 2024-01-01"), advice: "yaml11-implicit-type", lenient: "="},
	{name: "1.1 date in quotes", file: file(good + "\nmetadata:\n  d: '2024-01-01'")},
	{name: "tab after the colon", file: file("name:\ts\ndescription:\tSorts mail.")},
	{name: "tab in a text", file: file("name: s\ndescription: Sorts\tmail."), wantDesc: "Sorts\tmail."},
	{name: "tabs on a blank line", file: file("name: s\n\t\ndescription: Sorts mail.")},
	{name: "blanks after a colon", file: file("name : s\ndescription : Sorts mail.")},
	{name: "quoted keys", file: file("\"name\": s\n'description': Sorts mail.")},
	{name: "wrapped", file: file("name: s\ndescription:\n  Sorts\n  mail.")},
	{name: "folded, with a comment on its head", file: file("name: s\ndescription: > # why: x\n  Sorts\n  mail.")},
	{name: "quoted over lines, CRLF", file: strings.ReplaceAll(file("name: s\ndescription: \"Sorts\n  mail.\""), "\n", "\r\n")},
	{name: "block, CRLF", file: strings.ReplaceAll(file("name: s\ndescription: |\n  Sorts\n  mail."), "\n", "\r\n"), wantDesc: "Sorts\nmail."},
	{name: "surrogates", file: file(`name: s` + "\n" + `description: "\ud83e\udde0"`), wantDesc: "🧠"},
	{name: "double colon", file: file(good + "\n0::"), problems: "unknown-field", lenient: "="},

	// 5.5 retry
	{name: "colon in a text", file: file("name: s\ndescription: Use when: asked"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: "Use when: asked"},
	{name: "colon on a continuation", file: file("name: s\ndescription: Sorts\n  allowed-tools: Bash(*)"), problems: "yaml-invalid",
		lenient: "yaml-retry", wantDesc: "Sorts allowed-tools: Bash(*)"},
	{name: "colon below a dash", file: file("name: s\ndescription: Sorts\n  - a\n  b: c"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: "Sorts - a b: c"},
	{name: "window path", file: file("name: s\ndescription: \"C:\\Users\\me\\notes\""), problems: "yaml-invalid", lenient: "yaml-retry",
		wantDesc: `"C:\Users\me\notes"`},
	{name: "unclosed quote", file: file("name: s\ndescription: \"Sorts"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: `"Sorts`},
	{name: "star", file: file("name: s\ndescription: **Sorts** mail"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: "**Sorts** mail"},
	{name: "at", file: file("name: s\ndescription: @acme sorts"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: "@acme sorts"},
	{name: "comma", file: file("name: s\ndescription: , sorts"), problems: "yaml-invalid", lenient: "yaml-retry", wantDesc: ", sorts"},
	{name: "text below a key", file: file("name: s\ndescription:\nSorts mail."), problems: "yaml-invalid", lenient: "description-empty yaml-retry",
		refusal: "description-empty"},
	{name: "nothing to recover", file: file("]]]\n{{{"), problems: "yaml-invalid", lenient: "=", refusal: "yaml-invalid"},
	{name: "second document", file: file(good + "\n--- x\nname: other"), problems: "yaml-invalid", lenient: "name-dir-mismatch yaml-duplicate-key yaml-retry",
		wantName: "other"},
	{name: "the other entries keep their YAML", file: file("name: \"s\"\ndescription: a: b\nmetadata:\n  k: 'v'"), problems: "yaml-invalid",
		lenient: "yaml-retry", wantDesc: "a: b"},
	{name: "brackets without end", file: file(good + "\nx: " + strings.Repeat("[", 64)), problems: "yaml-invalid", lenient: "unknown-field yaml-retry"},

	// 5.6 fields
	{name: "no name", file: file("description: Sorts mail."), problems: "name-missing", lenient: "="},
	{name: "name null", file: file("name: ~\ndescription: Sorts mail."), problems: "name-empty", lenient: "="},
	{name: "name list", file: file("name:\n- s\ndescription: Sorts mail."), problems: "name-not-string", lenient: "="},
	{name: "name number", file: file("name: 0x1F\ndescription: Sorts mail."), dir: "0x1F", problems: "name-not-string name-uppercase",
		lenient: "=", wantName: "0x1F"},
	{name: "name 64", file: file("name: " + strings.Repeat("a", 64) + "\ndescription: Sorts mail."), dir: strings.Repeat("a", 64), wantName: strings.Repeat("a", 64)},
	{name: "name 65", file: file("name: " + strings.Repeat("a", 65) + "\ndescription: Sorts mail."), dir: strings.Repeat("a", 65),
		problems: "name-too-long", lenient: "=", wantName: strings.Repeat("a", 65)},
	{name: "name counted as written", file: file("name: " + strings.Repeat("ﬃ", 22) + "\ndescription: Sorts mail."), dir: strings.Repeat("ﬃ", 22),
		problems: "name-charset", lenient: "=", wantName: strings.Repeat("ffi", 22)},
	{name: "name upper", file: file("name: S\ndescription: Sorts mail."), problems: "name-dir-mismatch name-uppercase", lenient: "=", wantName: "S"},
	{name: "name charset", file: file("name: a_b\ndescription: Sorts mail."), dir: "a_b", problems: "name-charset", lenient: "=", wantName: "a_b"},
	{name: "name hyphen", file: file("name: -a\ndescription: Sorts mail."), dir: "-a", problems: "name-hyphen-edge", lenient: "=", wantName: "-a"},
	{name: "name hyphens", file: file("name: a--b\ndescription: Sorts mail."), dir: "a--b", problems: "name-hyphen-double", lenient: "=", wantName: "a--b"},
	{name: "name unsafe", file: file("name: ../x\ndescription: Sorts mail."), problems: "name-charset name-dir-mismatch name-unsafe", lenient: "="},
	{name: "name unsafe after NFKC", file: file("name: ．．／x\ndescription: Sorts mail."), problems: "name-charset name-dir-mismatch name-unsafe", lenient: "="},
	{name: "name with a slash", file: file("name: sdk/android\ndescription: Sorts mail."), dir: "android", problems: "name-charset name-dir-mismatch",
		lenient: "=", wantName: "sdk/android"},
	{name: "unicode name", file: file("name: cafe\u0301\ndescription: Sorts mail."), dir: "caf\u00e9", opts: skill.ParseOptions{UnicodeNames: true}, wantName: "caf\u00e9"},
	{name: "unicode capital", file: file("name: É\ndescription: Sorts mail."), dir: "É", opts: skill.ParseOptions{UnicodeNames: true},
		problems: "name-uppercase", lenient: "=", wantName: "É"},
	{name: "no directory", file: file("name: other\ndescription: Sorts mail."), dir: "-", wantName: "other"},
	{name: "no description", file: file("name: s"), problems: "description-missing", lenient: "=", refusal: "description-missing"},
	{name: "description empty", file: file("name: s\ndescription: ''"), problems: "description-empty", lenient: "=", refusal: "description-empty"},
	{name: "description list", file: file("name: s\ndescription: [a]"), problems: "description-not-string", advice: "yaml-flow-style", lenient: "=",
		refusal: "description-not-string"},
	{name: "description number", file: file("name: s\ndescription: 1.10"), problems: "description-not-string", lenient: "=", wantDesc: "1.10"},
	{name: "description 1024", file: file("name: s\ndescription: " + strings.Repeat("é", 1024)), wantDesc: strings.Repeat("é", 1024)},
	{name: "description 1025", file: file("name: s\ndescription: " + strings.Repeat("é", 1025)), problems: "description-too-long", lenient: "=",
		wantDesc: strings.Repeat("é", 1025)},
	{name: "description of 20 KB", file: file("name: s\ndescription: " + strings.Repeat("b", 20000)), problems: "description-too-long", lenient: "=",
		wantDesc: strings.Repeat("b", 20000)},
	{name: "comment", file: file("name: s\ndescription: Sorts #1 mail"), advice: "comment-in-value", lenient: "=", wantDesc: "Sorts"},
	{name: "comment on the second line", file: file("name: s\ndescription: Sorts\n  mail. # x"), advice: "comment-in-value", lenient: "="},
	{name: "comment after quotes", file: file("name: s\ndescription: 'Sorts mail.' # x")},
	{name: "comment below", file: file(good + "\n# x")},
	{name: "no comment", file: file("name: s\ndescription: Sorts C#"), wantDesc: "Sorts C#"},
	{name: "bidi", file: file("name: s\ndescription: Sorts\u2066mail."), advice: "unsafe-char", lenient: "=", wantDesc: "Sorts\u2066mail."},
	{name: "flag", file: file("name: s\ndescription: \U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"),
		wantDesc: "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"},
	{name: "flag without end", file: file("name: s\ndescription: \U0001F3F4\U000E0067\U000E0062"), advice: "unsafe-char", lenient: "=",
		wantDesc: "\U0001F3F4\U000E0067\U000E0062"},
	{name: "license list", file: file(good + "\nlicense: [MIT]"), problems: "license-not-string", advice: "yaml-flow-style", lenient: "="},
	{name: "license empty", file: file(good + "\nlicense: "), advice: "license-empty", lenient: "="},
	{name: "compatibility number", file: file(good + "\ncompatibility: 3.10"), problems: "compatibility-not-string", lenient: "="},
	{name: "compatibility blank", file: file(good + "\ncompatibility: \" \""), problems: "compatibility-empty", lenient: "="},
	{name: "compatibility 501", file: file(good + "\ncompatibility: " + strings.Repeat("é", 501)), problems: "compatibility-too-long", lenient: "="},
	{name: "metadata text", file: file(good + "\nmetadata: x"), problems: "metadata-not-mapping", lenient: "="},
	{name: "metadata empty", file: file(good + "\nmetadata: {}"), advice: "metadata-empty yaml-flow-style", lenient: "="},
	{name: "metadata key", file: file(good + "\nmetadata:\n  true: a"), problems: "metadata-key-not-string", lenient: "="},
	{name: "metadata value", file: file(good + "\nmetadata:\n  a:\n  b: [c]"), problems: "metadata-value-not-string", advice: "yaml-flow-style", lenient: "="},
	{name: "metadata last", file: file("metadata:\n  a: b\n" + good)},
	{name: "tools list", file: file(good + "\nallowed-tools:\n- Read"), problems: "allowed-tools-not-string", lenient: "="},
	{name: "tools comma", file: file(good + "\nallowed-tools: Read,Write"), problems: "allowed-tools-comma", lenient: "="},
	{name: "tools empty", file: file(good + "\nallowed-tools:"), advice: "allowed-tools-empty", lenient: "="},
	{name: "tools syntax", file: file(good + "\nallowed-tools: Read) Write"), advice: "allowed-tools-syntax", lenient: "="},
	{name: "unknown", file: file(good + "\nversion: 1.0"), problems: "unknown-field", lenient: "="},
	{name: "unknown spelling", file: file("Name: s\ndescription: Sorts mail."), problems: "name-missing unknown-field", lenient: "="},
	{name: "allowed", file: file(good + "\nversion: 1.0"), opts: skill.ParseOptions{AllowFields: []string{"version"}}},
}

// TestReadings reads each file in both readings.
func TestReadings(t *testing.T) {
	t.Parallel()
	for _, r := range readings {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			dir := r.dir
			switch dir {
			case "":
				dir = "s"
			case "-":
				dir = ""
			}
			d := skill.Parse(dir, []byte(r.file), r.opts)
			problems, advice := d.Strict()
			wantCodes(t, "strict problems", problems, strings.Fields(r.problems))
			wantCodes(t, "strict advice", advice, strings.Fields(r.advice))
			lenient := r.lenient
			if lenient == "=" {
				lenient = r.problems + " " + r.advice
			}
			if diff := cmp.Diff(codesOf(lenient), codes(d.Findings)); diff != "" {
				t.Errorf("lenient findings (-want +got):\n%s", diff)
			}
			if string(d.Refusal()) != r.refusal || d.Loads() != (r.refusal == "") {
				t.Errorf("Refusal = %q, Loads = %v, want %q", d.Refusal(), d.Loads(), r.refusal)
			}
			wantName, wantDesc := r.wantName, r.wantDesc
			if wantName == "" {
				wantName = dir
			}
			if wantDesc == "" && r.refusal == "" {
				wantDesc = "Sorts mail."
			}
			if d.Name != wantName {
				t.Errorf("Name = %q, want %q", d.Name, wantName)
			}
			if d.Loads() && strings.Join(strings.Fields(d.Description), " ") != strings.Join(strings.Fields(wantDesc), " ") {
				t.Errorf("Description = %q, want %q", d.Description, wantDesc)
			}
		})
	}
}

// codesOf sorts a list of codes as codes does.
func codesOf(s string) []string {
	var fs []skill.Finding
	for c := range strings.FieldsSeq(s) {
		fs = append(fs, skill.Finding{Code: skill.Code(c)})
	}
	return codes(fs)
}

// TestEveryCode keeps the table complete: each code is the finding of some line of it.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range readings {
		for c := range strings.FieldsSeq(r.problems + " " + r.advice + " " + r.lenient) {
			seen[c] = true
		}
	}
	for _, c := range []skill.Code{
		skill.CodeFileNameCase, skill.CodeFileTooLarge, skill.CodeFileLines, skill.CodeBOM, skill.CodeInvalidUTF8, skill.CodeLoneCR,
		skill.CodeFrontmatterMissing, skill.CodeFrontmatterNotFirst, skill.CodeFrontmatterUnclosed, skill.CodeFrontmatterNotMapping,
		skill.CodeControlChar, skill.CodeLineSeparator, skill.CodeYAMLInvalid, skill.CodeYAMLRetry, skill.CodeYAMLDocumentMarker,
		skill.CodeYAMLDuplicateKey, skill.CodeYAMLAnchor, skill.CodeYAMLTag, skill.CodeYAMLMergeKey, skill.CodeYAMLKeyNotString,
		skill.CodeYAMLFlowStyle, skill.CodeYAML11Type, skill.CodeNameMissing, skill.CodeNameEmpty, skill.CodeNameNotString,
		skill.CodeNameTooLong, skill.CodeNameUppercase, skill.CodeNameCharset, skill.CodeNameHyphenEdge, skill.CodeNameHyphenDouble,
		skill.CodeNameDirMismatch, skill.CodeNameUnsafe, skill.CodeDescriptionMissing, skill.CodeDescriptionEmpty,
		skill.CodeDescriptionNotString, skill.CodeDescriptionTooLong, skill.CodeCommentInValue, skill.CodeUnsafeChar,
		skill.CodeLicenseNotString, skill.CodeLicenseEmpty, skill.CodeCompatibilityNotString, skill.CodeCompatibilityEmpty,
		skill.CodeCompatibilityTooLong, skill.CodeMetadataNotMapping, skill.CodeMetadataEmpty, skill.CodeMetadataKeyNotString,
		skill.CodeMetadataValueNotString, skill.CodeToolsNotString, skill.CodeToolsComma, skill.CodeToolsEmpty, skill.CodeToolsSyntax,
		skill.CodeUnknownField, skill.CodeBodyEmpty, skill.CodeBodyControlChar,
	} {
		if !seen[string(c)] {
			t.Errorf("no reading reports %s", c)
		}
	}
}

// TestFindingPlaces: line and column from 1, in runes, of the file as it is.
func TestFindingPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file string
		code skill.Code
		want string
	}{
		{"\uFEFF---\nname: s\n---\n", skill.CodeBOM, "1:1"},
		{"\uFEFFé\xff", skill.CodeInvalidUTF8, "1:2"},
		{"---\r\nname: s\r\ndescription: é\x01\r\n---\r\nB", skill.CodeControlChar, "3:15"},
		{"---\rname: s\rdescription: é\u2028x\r---\rB", skill.CodeLineSeparator, "3:15"},
		{"\n\n---\nname: s\n---\n", skill.CodeFrontmatterNotFirst, "3:1"},
		{"---\nname: s\n---\n", skill.CodeDescriptionMissing, "2:1"},
		{"---\nname:   S\n---\n", skill.CodeNameUppercase, "2:9"},
		{"---\nname: \"S\"   \n\n\n---\n", skill.CodeNameUppercase, "2:7"},
		{"---\nname: S   \n\n\nlicense: []\n---\n", skill.CodeNameUppercase, "2:7"},
		{"---\né: ü\nname: s\nx: y\n---\n", skill.CodeUnknownField, "2:1"},
		{"---\nname: s\nmetadata:\n  ké: vé\n  b: 1\n---\n", skill.CodeMetadataValueNotString, "5:6"},
		{"---\nname: s\nmetadata: {\"é\": vé, b: 1}\n---\n", skill.CodeMetadataValueNotString, "3:24"},
		{"---\nname: s\nlicense: !!str MIT\n---\n", skill.CodeYAMLTag, "3:10"},
		{"---\nname: s\nname: t\n---\n", skill.CodeYAMLDuplicateKey, "3:1"},
		{"---\nname: s\n  \ndescription: a: b\n---\n", skill.CodeYAMLRetry, "4:14"},
		{"---\nname: s\n...\n---\n", skill.CodeYAMLDocumentMarker, "3:1"},
		{"---\nname: s\n---\nA\r\né\x00\n", skill.CodeBodyControlChar, "5:2"},
		{"---\nname: s\n---\nA\r\né\r\n", skill.CodeLoneCR, ""},
		{"---\nname: s\n---\nA\r\né\rB", skill.CodeLoneCR, "5:2"},
	} {
		got := ""
		for _, f := range skill.Parse("s", []byte(tt.file), skill.ParseOptions{}).Findings {
			if f.Code == tt.code && got == "" {
				got = fmt.Sprintf("%d:%d", f.Line, f.Column)
			}
		}
		if got != tt.want {
			t.Errorf("%s of %q at %q, want %q", tt.code, tt.file, got, tt.want)
		}
	}
}

// TestSeverities: the strict reading knows errors and advice; in the lenient one the error is what refuses the document.
func TestSeverities(t *testing.T) {
	t.Parallel()
	d := skill.Parse("s", []byte("---\nname: S\nlicense: []\n---\nB"), skill.ParseOptions{})
	got := map[skill.Code]string{}
	for _, f := range d.Findings {
		got[f.Code] = f.Severity.String()
	}
	want := map[skill.Code]string{"description-missing": "error", "name-uppercase": "warning", "name-dir-mismatch": "warning",
		"license-not-string": "warning", "yaml-flow-style": "advice"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lenient severities (-want +got):\n%s", diff)
	}
	problems, advice := d.Strict()
	for _, f := range problems {
		if f.Severity != skill.SeverityError {
			t.Errorf("%v is a problem, and no error", f)
		}
	}
	for _, f := range advice {
		if f.Severity != skill.SeverityAdvice {
			t.Errorf("%v is advice, and not called so", f)
		}
	}
}

// TestManyFindings: a file of nothing but faults does not grow the report without bound, and the set stays whole.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	d := skill.Parse("s", []byte(file(good+strings.Repeat("\nlicense: MIT", 1000)+"\nversion: 1")), skill.ParseOptions{})
	if len(d.Findings) > 200 {
		t.Errorf("%d findings", len(d.Findings))
	}
	wantCodes(t, "findings", d.Findings, []string{"file-too-many-lines", "unknown-field", "yaml-duplicate-key"})
}

// TestFields: what the host gets of a document.
func TestFields(t *testing.T) {
	t.Parallel()
	d := skill.Parse("s", []byte(file(`name: s
description: Sorts mail.
license: 1.10
compatibility: " Needs git "
metadata:
  version: 1.10
  list: [a]
  text: "2.0"
  gone: x
  gone: [y]
allowed-tools: Bash(sed -n 1,5p), Read  Write(a (b) c) Edit(
arguments:
  - name: p   # the profile
    description: profile (default: dev)
title: 'it''s'
"user-invocable" : true
title: other`)), skill.ParseOptions{})
	want := &skill.Document{
		Name: "s", Description: "Sorts mail.", License: "1.10", Compatibility: "Needs git",
		Metadata:     map[string]string{"version": "1.10", "text": "2.0"},
		AllowedTools: []string{"Bash(sed -n 1,5p)", "Read", "Write(a (b) c)", "Edit("},
		Unknown: []skill.Field{
			{Name: "arguments", Raw: "- name: p   # the profile\n    description: profile (default: dev)", Line: 13, Column: 1},
			{Name: "title", Raw: "other", Text: "other", Scalar: true, Line: 18, Column: 1},
			{Name: "user-invocable", Raw: "true", Text: "true", Scalar: true, Line: 17, Column: 1},
		},
	}
	// The broken entry is read again, the others are not touched by it.
	want.Unknown[0].Scalar, want.Unknown[0].Text = true, "- name: p   # the profile description: profile (default: dev)"
	got := *d
	got.Findings = nil
	if diff := cmp.Diff(*want, got, cmp.FilterPath(func(p cmp.Path) bool {
		f, ok := p.Last().(cmp.StructField)
		return ok && f.Name()[0] >= 'a'
	}, cmp.Ignore())); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestToolLists: the items of a list are tools as they stand; an item is never cut into more.
func TestToolLists(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"\n  - Read\n  - Bash(git add, git commit)":       {"Read", "Bash(git add, git commit)"},
		" [Read, 'Bash(git:*) Write', 5]":                 {"Read", "Bash(git:*) Write", "5"},
		"\n  - Bash: git status\n  - [Read]\n  - \n  - X": {"X"},
		" []":            nil,
		"\n  read: true": nil,
		" (a) (b":        {"(a)", "(b"},
		" a,,b , c":      {"a", "b", "c"},
	} {
		d := skill.Parse("s", []byte(file(good+"\nallowed-tools:"+list)), skill.ParseOptions{})
		if diff := cmp.Diff(want, d.AllowedTools); diff != "" {
			t.Errorf("tools of %q (-want +got):\n%s", list, diff)
		}
	}
}

// TestBody: the body is the part of the input after the fence, whatever it holds.
func TestBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, body, text string
		line             int
	}{
		{file(good), "Body.", "Body.", 5},
		{"---\n" + good + "\n---\n\n  A\r\n---\nname: x\n---\r\nB\x00\xff \n", "A\r\n---\nname: x\n---\r\nB\x00\xff", "A\n---\nname: x\n---\nB\uFFFD\uFFFD", 6},
		{"---\n" + good + "\n---", "", "", 5},
		{"---\nname: s\n---\nB", "B", "B", 4},                      // section 0, 6: read by a reference all the same
		{"\uFEFF\n# No fields\n", "# No fields", "# No fields", 2}, // and so is this
		{"---\nname: s\n# No end\n", "---\nname: s\n# No end", "---\nname: s\n# No end", 1},
	} {
		d := skill.Parse("s", []byte(tt.file), skill.ParseOptions{})
		start, end := d.BodyRange()
		if string(d.Body()) != tt.body || tt.file[start:end] != tt.body || d.BodyText() != tt.text || d.BodyLine() != tt.line {
			t.Errorf("body of %q = %q (%q, text %q) on line %d, want %q on %d", tt.file, d.Body(), tt.file[start:end], d.BodyText(), d.BodyLine(), tt.body, tt.line)
		}
	}
	data := []byte(file(good))
	if body := skill.Parse("s", data, skill.ParseOptions{}).Body(); &body[0] != &data[strings.Index(string(data), "Body")] || cap(body) != len(body) {
		t.Error("the body is a copy, or reaches beyond itself")
	}
}

// TestFraming: line ends, marks and blanks make no difference.
func TestFraming(t *testing.T) {
	t.Parallel()
	for _, bom := range []string{"", "\uFEFF"} {
		for _, eol := range []string{"\n", "\r\n", "\r"} {
			for _, blank := range []string{"", "  ", "\t"} {
				for _, end := range []string{"", eol, eol + "Body" + eol} {
					text := bom + "---" + blank + eol + "name: s" + eol + "description: >-" + eol + "  Sorts" + eol + "  mail." + eol + "---" + blank + end
					d := skill.Parse("s", []byte(text), skill.ParseOptions{})
					if d.Name != "s" || d.Description != "Sorts mail." || string(d.Body()) != strings.TrimSpace(end) {
						t.Errorf("Parse(%q) = %q, %q, body %q", text, d.Name, d.Description, d.Body())
					}
				}
			}
		}
	}
}

// TestParseHead: it reads what it must and no more, and finds what Parse does.
func TestParseHead(t *testing.T) {
	t.Parallel()
	for _, r := range readings {
		for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader} {
			head, err := skill.ParseHead(r.dir, wrap(strings.NewReader(r.file)), r.opts)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			sameHead(t, skill.Parse(r.dir, []byte(r.file), r.opts), head)
		}
	}
	long := file(good) + strings.Repeat("x", 1<<19)
	rest := strings.NewReader(long)
	if _, err := skill.ParseHead("s", rest, skill.ParseOptions{}); err != nil || rest.Len() < 1<<19-4096 {
		t.Errorf("ParseHead left %d bytes of %d: %v", rest.Len(), len(long), err)
	}
	broken := errors.New("broken")
	if _, err := skill.ParseHead("s", io.MultiReader(strings.NewReader("---\nname: s"), iotest.ErrReader(broken)), skill.ParseOptions{}); !errors.Is(err, broken) {
		t.Errorf("error = %v, want the reader's", err)
	}
	endless := &counter{}
	d, err := skill.ParseHead("s", io.MultiReader(strings.NewReader("---\n"), endless), skill.ParseOptions{})
	if err != nil || d.Refusal() != skill.CodeFrontmatterUnclosed || endless.n > skill.MaxFile+1 {
		t.Errorf("ParseHead of an endless stream read %d bytes: %q, %v", endless.n, d.Refusal(), err)
	}
}

// counter is an endless stream.
type counter struct{ n int }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	c.n += len(p)
	return len(p), nil
}

// sameHead checks that head has the fields of full and its findings, but for those about the text as a whole.
func sameHead(t *testing.T, full, head *skill.Document) {
	t.Helper()
	if head.Body() != nil {
		t.Errorf("a head has the body %q", head.Body())
	}
	fields := func(d *skill.Document) []any {
		return []any{d.Name, d.Description, d.License, d.Compatibility, d.AllowedTools, d.Metadata, d.Unknown}
	}
	if diff := cmp.Diff(fields(full), fields(head)); diff != "" {
		t.Errorf("fields of the head (-full +head):\n%s", diff)
	}
	inHead := map[skill.Code]bool{}
	for _, f := range head.Findings {
		inHead[f.Code] = true
	}
	var want []skill.Finding
	for _, f := range full.Findings {
		switch f.Code {
		case skill.CodeFileTooLarge, skill.CodeFileLines, skill.CodeBodyEmpty, skill.CodeBodyControlChar:
			continue
		case skill.CodeInvalidUTF8, skill.CodeLoneCR:
			if !inHead[f.Code] {
				continue
			}
		}
		want = append(want, f)
	}
	if full.Refusal() == skill.CodeFileTooLarge {
		return
	}
	if diff := cmp.Diff(want, head.Findings); diff != "" {
		t.Errorf("findings of the head (-full +head):\n%s", diff)
	}
}

// B4, T8: a name of the file's own is told from the directory's, also where they are the same.
func TestNamed(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]bool{
		"name: s": true, "name: other": true, "name: 12": true, "name: s\nlicense: [": true,
		"license: MIT": false, "name:": false, "name: \" \"": false, "name: [s]": false, "name: ../s": false,
	} {
		d, err := skill.ParseHead("s", strings.NewReader("---\n"+fields+"\ndescription: D.\n---\n"), skill.ParseOptions{})
		if err != nil || d.Named() != want {
			t.Errorf("%q: Named = %v, want %v, error %v", fields, d.Named(), want, err)
		}
	}
	if skill.Parse("s", []byte("no frontmatter"), skill.ParseOptions{}).Named() {
		t.Error("a file without frontmatter is named")
	}
}
