package skill_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/skill"
)

// checkMentions holds what was found in message to what is true of every message (G10), and returns the texts.
func checkMentions(t *testing.T, message string, found []skill.Mention) []string {
	t.Helper()
	var texts []string
	end := 0
	for _, m := range found {
		if m.Start < end || m.End <= m.Start || m.End > len(message) || message[m.Start:m.End] != m.Text {
			t.Fatalf("Mentions(%q): %q at [%d:%d], behind %d", message, m.Text, m.Start, m.End, end)
		}
		end = m.End
		ref, err := skill.ParseRef(m.Text)
		if ref != m.Ref || fmt.Sprint(err) != fmt.Sprint(m.Err) {
			t.Errorf("Mentions(%q): %q is %+v, %v, and ParseRef says %+v, %v", message, m.Text, m.Ref, m.Err, ref, err)
		}
		texts = append(texts, m.Text)
	}
	return texts
}

type sentence struct {
	about, message string
	want           []string
}

func checkSentences(t *testing.T, opts skill.MentionOptions, table []sentence) {
	t.Helper()
	for _, c := range table {
		got := checkMentions(t, c.message, skill.Mentions(c.message, opts))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: Mentions(%q) (-want +got):\n%s", c.about, c.message, diff)
		}
	}
}

func one(text string) []string { return []string{text} }

// G10: where a reference begins.
func TestMentionsStart(t *testing.T) {
	t.Parallel()
	checkSentences(t, skill.MentionOptions{}, []sentence{
		{"nothing", "", nil},
		{"no reference", "Deploy it, please.", nil},
		{"start of text", "@skills:team/deploy now", one("@skills:team/deploy")},
		{"alone", "@skills:gh:o/r/x", one("@skills:gh:o/r/x")},
		{"behind a space", "use @skills:hub:acme/x", one("@skills:hub:acme/x")},
		{"behind a tab", "use\t@skills:x\tnow", one("@skills:x")},
		{"behind a no-break space", "use\u00a0@skills:x\u00a0now", one("@skills:x")},
		{"behind an ideographic space", "使用\u3000@skills:x\u3000吧", one("@skills:x")},
		{"behind a line separator", "use\u2028@skills:x\u2029now", one("@skills:x")},
		{"behind LF", "use\n@skills:x\nnow", one("@skills:x")},
		{"behind CRLF", "use\r\n@skills:x\r\n@skills:y\r\n", []string{"@skills:x", "@skills:y"}},
		{"behind CR", "use\r@skills:x\rnow", one("@skills:x")},
		{"behind a byte order mark", "\ufeff@skills:x", one("@skills:x")},
		{"prefix in capitals", "use @SKILLS:x and @Skills:y", []string{"@SKILLS:x", "@Skills:y"}},
		{"alias", "use @workflow:team/x:save.", one("@workflow:team/x:save")},
		{"alias in capitals", "(@Workflow:x)", one("@Workflow:x")},
		{"round brackets", "(@skills:x)", one("@skills:x")},
		{"square brackets", "[@skills:x]", one("@skills:x")},
		{"braces", "{@skills:x}", one("@skills:x")},
		{"angle brackets", "<@skills:x>", one("@skills:x")},
		{"double quotes", `say "@skills:x"`, one("@skills:x")},
		{"single quotes", "say '@skills:x'", one("@skills:x")},
		{"a lone back-tick", "say `@skills:x", one("@skills:x")},
		{"elision", "avec l'@skills:x et l’@skills:y", []string{"@skills:x", "@skills:y"}},
		{"nested", `(["@skills:x"])`, one("@skills:x")},
		{"e-mail", "write to me@skills:x or bob@skills.example", nil},
		{"Go import path", "import github.com/o/r@skills:v1", nil},
		{"Go version", "go get github.com/o/skills@v1.2.3", nil},
		{"npm scope", "npm install @skills/core @skill:x", nil},
		{"part of a word", "foo@skills:x a/@skills:x x,@skills:x", nil},
		{"in another script", "使用@skills:x", nil},
		{"emphasis", "**@skills:x** _@skills:y_ *@skills:z*", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"emphasis in emphasis", "**_@skills:x_** (_@skills:y_)", []string{"@skills:x", "@skills:y"}},
		{"emphasis in a word", "my_@skills:x 2*@skills:y \\*@skills:z", nil},
		{"strikethrough", "~@skills:x~ ~~@skills:x~~", nil},
		{"comma behind a reference", "@skills:x,@skills:y;@skills:z", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"comma behind quotes and brackets", "(@skills:w),@skills:x and \"@skills:y\",@skills:z",
			[]string{"@skills:w", "@skills:x", "@skills:y", "@skills:z"}},
		{"comma behind suffixes", "@skills:x:save,@skills:y/:install.", []string{"@skills:x:save", "@skills:y/:install"}},
		{"comma of another script", "@skills:x、@skills:y，@skills:z", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"comma and emphasis", "_@skills:x_,_@skills:y_,**@skills:z**", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"comma behind a word", "@skills:x a,@skills:y", one("@skills:x")},
		{"comma behind code", "`@skills:x`,@skills:y", nil},
		{"in an address", "https://github.com/o/r?x=@skills:y", nil},
		{"address without prefix", "see https://github.com/o/r/tree/main/x and gh:o/r", nil},
		{"address with prefix", "see @skills:https://github.com/o/r/tree/main/x, please",
			one("@skills:https://github.com/o/r/tree/main/x")},
		{"address with query", "see @skills:https://github.com/o/r?tab=readme#use.",
			one("@skills:https://github.com/o/r?tab=readme#use")},
	})
}

// G10: where a reference ends.
func TestMentionsEnd(t *testing.T) {
	t.Parallel()
	checkSentences(t, skill.MentionOptions{}, []sentence{
		{"full stop", "Use @skills:x.", one("@skills:x")},
		{"dots inside", "Use @skills:gh:o/r/v1.2/.claude.", one("@skills:gh:o/r/v1.2/.claude")},
		{"comma", "Use @skills:x, then", one("@skills:x")},
		{"semicolon", "Use @skills:x; then", one("@skills:x")},
		{"exclamation", "Use @skills:x!", one("@skills:x")},
		{"question", "Why @skills:x?!", one("@skills:x")},
		{"ellipsis", "Use @skills:x... or @skills:y…", []string{"@skills:x", "@skills:y"}},
		{"colon", "Use @skills:deploy: it works", one("@skills:deploy")},
		{"colon behind a suffix", "Try @skills:deploy:save: it works", one("@skills:deploy:save")},
		{"suffixes", "Do @skills:x:save. Or @skills:x:install, or @skills:x:index!",
			[]string{"@skills:x:save", "@skills:x:install", "@skills:x:index"}},
		{"two suffixes", "(@skills:gh:o/r/x:save:install).", one("@skills:gh:o/r/x:save:install")},
		{"slash", "All of @skills:gh:o/r/skills/.", one("@skills:gh:o/r/skills/")},
		{"slash and suffix", "All of @skills:gh:o/r/skills/:save, now", one("@skills:gh:o/r/skills/:save")},
		{"brackets", "(see @skills:x) and [see @skills:y].", []string{"@skills:x", "@skills:y"}},
		{"brackets and stop", "(see @skills:x.)", one("@skills:x")},
		{"balanced", "Use @skills:f(x).", one("@skills:f(x)")},
		{"balanced in brackets", "(use @skills:f(x))", one("@skills:f(x)")},
		{"bracket of the path alone", "use @skills:a)b now", one("@skills:a)b")},
		{"bracket opened in front", "(see @skills:a)b now", one("@skills:a")},
		{"double quotes", `Use "@skills:x", then "see @skills:y".`, []string{"@skills:x", "@skills:y"}},
		{"possessive", "Use @skills:x's and @skills:y’s, (@skills:z's).", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"possessive behind others", "**@skills:x**'s, \"@skills:y\"'s", []string{"@skills:x", "@skills:y"}},
		{"no possessive", "@skills:it's/x @skills:y'sx @skills:zs", []string{"@skills:it's/x", "@skills:y'sx", "@skills:zs"}},
		{"emphasis at the end", "**Use @skills:x.** _See (@skills:y_z)._ *or @skills:a*b", []string{"@skills:x", "@skills:y_z", "@skills:a"}},
		{"emphasis closed before", "**Use** @skills:x_ and _so_ @skills:y_.", []string{"@skills:x_", "@skills:y_"}},
		{"emphasis of another sign", "*@skills:__x__*", one("@skills:__x__")},
		{"emphasis over a word", "_@skills:my_skill_ @skills:__init__", []string{"@skills:my_skill", "@skills:__init__"}},
		{"list of stars", "* @skills:x_\n* @skills:y*", []string{"@skills:x_", "@skills:y*"}},
		{"dash", "@skills:x—yes @skills:x–yes", []string{"@skills:x—yes", "@skills:x–yes"}},
		{"apostrophe inside", "use @skills:it's/x now", one("@skills:it's/x")},
		{"comma inside", "use @skills:a,b now", one("@skills:a,b")},
		{"typographic quotes", "Use “@skills:x” and ‘@skills:y’.", []string{"@skills:x", "@skills:y"}},
		{"low quotes", "Nimm „@skills:x“ und ‚@skills:y‘.", []string{"@skills:x", "@skills:y"}},
		{"guillemets", "Prends «@skills:x» et « @skills:y ».", []string{"@skills:x", "@skills:y"}},
		{"guillemets inward", "Brug »@skills:x« nu, ›@skills:y‹ også", []string{"@skills:x", "@skills:y"}},
		{"Swedish", "Kör ”@skills:x”, nu", one("@skills:x")},
		{"CJK stop", "使用 @skills:x。", one("@skills:x")},
		{"CJK marks", "@skills:a， @skills:b、 @skills:c！ @skills:d？ @skills:e；",
			[]string{"@skills:a", "@skills:b", "@skills:c", "@skills:d", "@skills:e"}},
		{"CJK brackets", "「@skills:x」を使う（@skills:y）も", []string{"@skills:x", "@skills:y"}},
		{"CJK brackets further out", "（参照 @skills:x）を使う", one("@skills:x")},
		{"CJK balanced", "使用 @skills:x（二）。", one("@skills:x（二）")},
		{"CJK path", "使用 @skills:gh:o/r/代码审查。", one("@skills:gh:o/r/代码审查")},
		{"Markdown link", "[docs](@skills:gh:o/r/x).", one("@skills:gh:o/r/x")},
		{"Markdown link with title", `[docs](@skills:x "title")`, one("@skills:x")},
		{"Markdown link in angles", "[docs](<@skills:x>)", one("@skills:x")},
		{"Markdown link text", "[@skills:x](https://github.com/o/r)", one("@skills:x")},
		{"Markdown link text, not first", "[see @skills:x](https://github.com/o/r)", one("@skills:x")},
		{"Markdown both", "[@skills:x](@skills:y)", []string{"@skills:x", "@skills:y"}},
		{"Markdown list", "- @skills:x\n- @skills:y\n1. @skills:z", []string{"@skills:x", "@skills:y", "@skills:z"}},
		{"Markdown quote", "> @skills:x\n>@skills:y", []string{"@skills:x", "@skills:y"}},
		{"Markdown escapes", "\\`@skills:x\\` and \\(@skills:y\\)", []string{"@skills:x", "@skills:y"}},
		{"JSON", `{"a":"@skills:x","b":["@skills:y"]}`, []string{"@skills:x", "@skills:y"}},
		{"JSON in JSON", `"{\"a\":\"@skills:x\"}"`, one("@skills:x")},
		{"HTML", `<a href="@skills:x">x</a>`, one("@skills:x")},
		{"several on a line", "@skills:a @skills:b, (@skills:c) @skills:d/",
			[]string{"@skills:a", "@skills:b", "@skills:c", "@skills:d/"}},
		{"side by side", "(@skills:a)(@skills:b)", []string{"@skills:a", "@skills:b"}},
		{"one inside another", `@skills:a("@skills:b")`, []string{"@skills:a", "@skills:b"}},
		{"right-to-left", "استخدم @skills:gh:o/r/x الآن", one("@skills:gh:o/r/x")},
		{"right-to-left path", "השתמש ב @skills:צוות/פריסה.", one("@skills:צוות/פריסה")},
		{"direction marks", "استخدم \u200f@skills:x\u200f.", one("@skills:x")},
		{"direction isolates", "\u2067استخدم \u2066@skills:x\u2069.\u2069", one("@skills:x")},
		{"emoji around", "🎉 @skills:x 👩\u200d💻", one("@skills:x")},
		{"emoji in the path", "go @skills:👩\u200d💻/x!", one("@skills:👩\u200d💻/x")},
		{"escapes", "Use @skills:gh:o/r/API%20Gateway.", one("@skills:gh:o/r/API%20Gateway")},
		{"escaped tail", "Use @skills:etc%2E.", one("@skills:etc%2E")},
	})
}

// G10: fenced code blocks and inline code hold no references.
func TestMentionsCode(t *testing.T) {
	t.Parallel()
	table := []sentence{
		{"inline", "`@skills:a` @skills:x", one("@skills:x")},
		{"inline in words", "run `use @skills:a now` or @skills:x", one("@skills:x")},
		{"two back-ticks", "`` ` @skills:a `` @skills:x", one("@skills:x")},
		{"other length", "`` @skills:x ` @skills:y", []string{"@skills:x", "@skills:y"}},
		{"unclosed", "a ` @skills:x", one("@skills:x")},
		{"odd one out", "`@skills:a` ` @skills:x", one("@skills:x")},
		{"over two lines", "`a\n@skills:a` @skills:x", one("@skills:x")},
		{"over two quoted lines", "> `a\n> @skills:a` @skills:x", one("@skills:x")},
		{"over a lazy line", "> `a\n@skills:a` @skills:x", one("@skills:x")},
		{"not over paragraphs", "`a\n\n@skills:x` b", one("@skills:x")},
		{"not over list items", "- `a\n- @skills:x` b", one("@skills:x")},
		{"not over headings", "# `a\n@skills:x` b", one("@skills:x")},
		{"not over rules", "`a\n***\n@skills:x` b", one("@skills:x")},
		{"not from indented text", "    `a\n@skills:x` b", one("@skills:x")},
		{"over a number", "`a\n10. @skills:a` @skills:x", one("@skills:x")},
		{"over an empty item", "`a\n1.\n@skills:a` @skills:x", one("@skills:x")},
		{"marks without a space", "-`@skills:a` 1.`@skills:a` -@skills:z\n1.\t@skills:x", one("@skills:x")},
		{"escaped", "\\`@skills:x \\`", one("@skills:x")},
		{"escaped backslash", "\\\\`@skills:a` @skills:x", one("@skills:x")},
		{"escape in code", "`a\\` @skills:x `", one("@skills:x")},
		{"escaped run", "\\``@skills:a` @skills:x", one("@skills:x")},
		{"behind code", "`a`@skills:b @skills:x", one("@skills:x")},
		{"reference before code", "@skills:x`, `@skills:a` b", one("@skills:x")},
		{"fence", "```\n@skills:a\n```\n@skills:x", one("@skills:x")},
		{"fence with info", "```go @skills:a\n@skills:a\n```\n@skills:x", one("@skills:x")},
		{"tildes", "~~~\n@skills:a\n```\n@skills:a\n~~~\n@skills:x", one("@skills:x")},
		{"tildes with back-ticks", "~~~ `a`\n@skills:a\n~~~\n@skills:x", one("@skills:x")},
		{"back-ticks in the info", "``` a`b\n@skills:x", one("@skills:x")},
		{"two back-ticks are no fence", "``\n@skills:x\n\n@skills:y", []string{"@skills:x", "@skills:y"}},
		{"CRLF", "```\r\n@skills:a\r\n```\r\n@skills:x\r\n", one("@skills:x")},
		{"longer end", "```\n@skills:a\n`````\n@skills:x", one("@skills:x")},
		{"shorter end", "````\n@skills:a\n```\n@skills:a\n````\n@skills:x", one("@skills:x")},
		{"end with words", "```\n@skills:a\n``` b\n@skills:a\n```  \n@skills:x", one("@skills:x")},
		{"unclosed fence", "@skills:x\n```\n@skills:a\n\n@skills:a", one("@skills:x")},
		{"indented", "   ```\n@skills:a\n   ```\n@skills:x", one("@skills:x")},
		{"indented too far", "    ```\n@skills:x\n\n    ```", one("@skills:x")},
		{"end indented too far", "```\n@skills:a\n    ```\n@skills:a", nil},
		{"behind a byte order mark", "\ufeff```\n@skills:a\n```\n@skills:x", one("@skills:x")},
		{"in a quote", "> ```\n> @skills:a\n> ```\n> @skills:x", one("@skills:x")},
		{"quote ends it", "> ```\n> @skills:a\n@skills:x", one("@skills:x")},
		{"quote inside it", "```\n> ```\n@skills:a\n```\n@skills:x", one("@skills:x")},
		{"in a list item", "- ```\n  @skills:a\n\n  @skills:a\n  ```\n- @skills:x", one("@skills:x")},
		{"below a list item", "10. a\n\n    ```\n    @skills:a\n    ```\n    @skills:x", one("@skills:x")},
		{"list item ends it", "- ```\n  @skills:a\n@skills:x", one("@skills:x")},
		{"half a tab", "-\ta\n\n\t  ```\n\t@skills:a\n \t```\n\t@skills:x", one("@skills:x")},
		{"tab in a quote", ">\t```\n>\t@skills:a\n> ```\n@skills:x", one("@skills:x")},
		{"tabs", "-\ta\n\n\t```\n\t@skills:a\n\t```\n\t@skills:x", one("@skills:x")},
		{"list in a quote", "> 1. ```\n>    @skills:a\n>    ```\n> @skills:x", one("@skills:x")},
		{"indented text", "a\n\n    @skills:x", one("@skills:x")},
	}
	checkSentences(t, skill.MentionOptions{}, table)
	for _, c := range table {
		found := skill.Mentions(c.message, skill.MentionOptions{InCode: true})
		texts := checkMentions(t, c.message, found)
		for _, want := range c.want {
			if !slices.Contains(texts, want) {
				t.Errorf("%s: Mentions(%q) in code = %q, want %q among them", c.about, c.message, texts, want)
			}
		}
		if strings.Contains(c.message, "@skills:a") && !slices.Contains(texts, "@skills:a") {
			t.Errorf("%s: Mentions(%q) in code = %q, want @skills:a among them", c.about, c.message, texts)
		}
	}
}

// G10: with InCode, code is text like other text.
func TestMentionsInCode(t *testing.T) {
	t.Parallel()
	checkSentences(t, skill.MentionOptions{InCode: true}, []sentence{
		{"inline", "`@skills:a`, ``@skills:b``", []string{"@skills:a", "@skills:b"}},
		{"inline in words", "`use @skills:a now`", one("@skills:a")},
		{"fence", "```\n@skills:a\n```\n@skills:x", []string{"@skills:a", "@skills:x"}},
		{"info", "```@skills:a @skills:b\n```", []string{"@skills:a", "@skills:b"}},
		{"unclosed fence", "~~~\n(@skills:a)\n\n@skills:b", []string{"@skills:a", "@skills:b"}},
		{"fence in a quote", "> ```\n>@skills:a\n> ```", one("@skills:a")},
	})
}

// G10: a reference that cannot be used is returned with its error.
func TestMentionsErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, text, want string }{
		{"@skills:", "@skills:", "empty path"},
		{"see @skills: and more", "@skills:", "empty path"},
		{"see @skills:, please", "@skills:", "empty path"},
		{"see (@skills:)", "@skills:", "empty path"},
		{"@skills:\r\nx", "@skills:", "empty path"},
		{"@workflow:.", "@workflow:", "empty path"},
		{"see @skills::save", "@skills::save", "empty path"},
		{"see @skills:gh: now", "@skills:gh", "gh:<owner>/<repo>"},
		{"see @skills:gh:owner.", "@skills:gh:owner", "names an owner only"},
		{"see @skills:hub:x.", "@skills:hub:x", "exactly two segments"},
		{"see @skills:../x", "@skills:../x", `".." is not a name`},
		{`see @skills:a\b.`, `@skills:a\b`, "backslash"},
		{`see @skills:a\`, `@skills:a\`, "backslash"},
		{"see @skills:a\x00b", "@skills:a\x00b", "control character"},
		{"see @skills:a\xffb", "@skills:a\xffb", "not valid UTF-8"},
		{"see @skills:https://github.com.evil.test/o/r.", "@skills:https://github.com.evil.test/o/r", "only github.com"},
	} {
		found := skill.Mentions(c.message, skill.MentionOptions{})
		texts := checkMentions(t, c.message, found)
		if !slices.Equal(texts, one(c.text)) {
			t.Errorf("Mentions(%q) = %q, want %q alone", c.message, texts, c.text)
			continue
		}
		var syntax *skill.SyntaxError
		if err := found[0].Err; !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Mentions(%q): %v, want a SyntaxError that says %q", c.message, err, c.want)
		}
	}
}

// G10: the position counts bytes, and the reference is parsed.
func TestMentionsFields(t *testing.T) {
	t.Parallel()
	message := "Schön: “@Skills:gh:O/R/x/:save”."
	found := skill.Mentions(message, skill.MentionOptions{})
	if len(found) != 1 {
		t.Fatalf("Mentions(%q) = %v, want one", message, found)
	}
	m := found[0]
	start := strings.Index(message, "@")
	if m.Start != start || m.End != start+len("@Skills:gh:O/R/x/:save") || m.Err != nil {
		t.Errorf("Mentions(%q) = [%d:%d], %v", message, m.Start, m.End, m.Err)
	}
	if got, want := parsed(m.Ref), "gh:O/R/x +dir +save"; got != want {
		t.Errorf("Mentions(%q) = %q, want %q", message, got, want)
	}
}

// G6, G10: what Reference spells survives in a sentence, whatever the names are. A name with a lone opening bracket does
// so only when the sentence does not put the closing one behind it.
func TestMentionsReadReferences(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("axs’*_.:,;!?'\"`()[]{}<>«»。「」（）“”@\\ %…\u200f"))))
		id, err := skill.ParseID(rapid.SampledFrom([]string{"gh:o/r/", "hub:o/", "x/", ""}).Draw(t, "owner") + name.Draw(t, "name"))
		if err != nil {
			return
		}
		before := rapid.SampledFrom([]string{"", "see ", "eh) ", "see\n", "> "}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", " now", ".", ", `x`", "!", "…\r\n", "。", "\u2069"}).Draw(t, "after")
		message := before + "@skills:" + id.Reference() + after
		found := skill.Mentions(message, skill.MentionOptions{})
		if len(found) != 1 || found[0].Err != nil || found[0].Ref.IDs()[0] != id {
			t.Errorf("Mentions(%q) = %+v, want %q alone", message, found, id)
		}
	})
}

// tokenStarts finds where G10 and its extension say that a reference begins, code or not, in the plainest way.
func tokenStarts(message string) []int {
	var starts []int
	begins, chained := true, false
	for i, r := range message {
		for _, prefix := range []string{"@skills:", "@workflow:"} {
			if begins && len(message)-i >= len(prefix) && strings.EqualFold(message[i:i+len(prefix)], prefix) {
				starts = append(starts, i)
				chained = true
			}
		}
		chained = chained && !unicode.IsSpace(r)
		if !unicode.Is(unicode.Cf, r) && !(begins && (r == '*' || r == '_')) {
			begins = unicode.IsSpace(r) || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pf) || strings.ContainsRune("<\"'`＜＂＇", r) ||
				chained && strings.ContainsRune(",;，；、،؛", r)
		}
	}
	return starts
}

func startsOf(found []skill.Mention) []int {
	var starts []int
	for _, m := range found {
		starts = append(starts, m.Start)
	}
	return starts
}

// G10: no panic; spans in range and in order; each text is read as reported; nothing is dropped.
func FuzzMentions(f *testing.F) {
	for _, s := range []string{
		"", "@skills:", "Use @skills:gh:o/r/x:save.", "`@skills:a` @skills:b", "```\n@skills:a\n```\n@skills:b",
		"> - ```\n>   @skills:a\n@skills:b", "(@skills:a)(\"@skills:b\")", "@skills:f(x)). “@workflow:y”", "1.\t~~~\n\t@skills:a",
		"\\``@skills:a`@skills:b\r\n\t\t- x", "「@skills:x」、@skills:@skills:y", "_@skills:a_,*@skills:b*'s;**(@skills:c_d)** x_@skills:e", "[@skills:x](@skills:y 'z')\u200f@skills:z\u2069",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		found := skill.Mentions(message, skill.MentionOptions{})
		checkMentions(t, message, found)
		all := skill.Mentions(message, skill.MentionOptions{InCode: true})
		checkMentions(t, message, all)
		starts := startsOf(all)
		for _, i := range tokenStarts(message) {
			if !slices.Contains(starts, i) {
				t.Errorf("Mentions(%q) in code: none at %d", message, i)
			}
		}
		for _, m := range found {
			if !slices.Contains(starts, m.Start) {
				t.Errorf("Mentions(%q): %q at %d is found outside of code alone", message, m.Text, m.Start)
			}
		}
		if !strings.ContainsAny(message, "`~") && !cmp.Equal(startsOf(found), starts) {
			t.Errorf("Mentions(%q) = %v, and with code %v, without there being any", message, startsOf(found), starts)
		}
	})
}

// hostileMessages are messages made to be slow to read; each grows with n.
func hostileMessages(n int) map[string]string {
	ticks := func() string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + " ")
		}
		return b.String()
	}
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	return map[string]string{
		"prose":          fill("Use the tools that are there, and say what you did.\n"),
		"references":     fill("Use @skills:gh:o/r/x, please. "),
		"back-ticks":     fill("`"),
		"growing ticks":  ticks(),
		"escaped ticks":  fill("\\`"),
		"backslashes":    fill("\\") + "`",
		"prefixes":       fill("@skills:"),
		"prefixes apart": fill("@skills: "),
		"prefix lines":   fill("@skills:\n"),
		"prefix quotes":  fill("\"@skills:"),
		"commas":         fill("@skills:a,"),
		"possessives":    "@skills:" + fill("'s"),
		"emphasis":       fill("*_@skills:a_*,"),
		"stars":          "x" + fill("*") + "@skills:a" + fill("*"),
		"lines":          "@skills:a" + fill("_") + " " + fill("a_"),
		"brackets":       "@skills:" + fill("("),
		"closing":        "@skills:" + fill(")"),
		"stops":          "@skills:" + fill("."),
		"tails":          fill("@skills:.........."),
		"quote marks":    fill(">"),
		"deep lists":     strings.Repeat("- ", n/2) + strings.Repeat("\n", n/2),
		"deep quotes":    fill(strings.Repeat(">", 64) + "- \n"),
		"fences":         fill("```\n"),
		"long info":      "```" + fill("x"),
		"spaces":         fill(" ") + "x",
		"tabs":           fill("- \t"),
		"marks":          fill("\u200f"),
		"host names":     fill("@skills:github.com. "),
	}
}

// G10: a message costs as much as its length, whatever is in it. The benchmark shows it: ns/B stays the same.
func BenchmarkMentions(b *testing.B) {
	for _, n := range []int{1 << 14, 1 << 20} {
		for name, message := range hostileMessages(n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(message)))
				for b.Loop() {
					skill.Mentions(message, skill.MentionOptions{})
				}
			})
		}
	}
}

// G10: hostile messages are read in the time of others, and what they hold is reported.
func TestMentionsHostile(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	for name, message := range hostileMessages(n) {
		starts := startsOf(skill.Mentions(message, skill.MentionOptions{InCode: true}))
		if !slices.Equal(starts, tokenStarts(message)) {
			t.Errorf("%s: %d references, want %d", name, len(starts), len(tokenStarts(message)))
		}
	}
}
