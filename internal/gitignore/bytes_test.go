package gitignore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

// everyByte are the bytes that names can hold.
func everyByte() []string {
	var all []string
	for c := 1; c < 256; c++ {
		if c != '/' {
			all = append(all, string([]byte{byte(c)}))
		}
	}
	return all
}

// classes are tried with every byte.
var classes = []string{
	"[[:alnum:]]", "[[:alpha:]]", "[[:blank:]]", "[[:cntrl:]]", "[[:digit:]]", "[[:graph:]]", "[[:lower:]]", "[[:print:]]", "[[:punct:]]", "[[:space:]]",
	"[[:upper:]]", "[[:xdigit:]]", "[![:alnum:]]", "[^[:punct:]]", "[[:digit:][:upper:]]", "[[:digit:]-z]", "[a[:digit:]-z]", "[[:alpha:]-[:digit:]]", "[a-z[:digit:]-~]",
	"[[:word:]]", "[[:ascii:]]", "[[::]]", "[[:]", "[[:]]", "[[:]:]]", "[[:a]b:]]", "[[:a", "[[:digit", "[[:digit:", "[[:digit:]", "[[:digit]", "[[:digit]]", "[[:digit:a]",
	`[[:digit\:]]`, `[[:x\]:]]`, `[\[:digit:]]`, "[[:][:digit:]]", "[a-[:digit:]]", "[0-[:digit:]]", `[a-\[:digit:]]`, "[[:-a]", "[[.a.]]", "[[=a=]]", "[[-a]", "[[]", "[[a]", "[a[]", "[[]]",
	"[a-c]", "[c-a]", "[a-]", "[-a]", "[!-a]", "[a--]", "[--0]", "[---]", "[--]", "[-]", "[]-a]", "[!]-a]", "[]-]", "[+-]]", `[+-\]]`, "[a-c-e]", "[a-ce-g]", "[a-b-d-f]", "[a-c-]", "[a-b--0]",
	`[\a-\c]`, `[\--0]`, `[+-\-]`, `[a\-c]`, `[\-a]`, `[\\-a]`, `[Z-\\]`, `[\]-a]`, `[\!a]`, `[\^a]`, `[!\!]`, `[a\`, `[a-\`, `[\`, "[", "[!", "[]", "[!]", "[^]", "[^^]", "[!^]", "[^!]", "[a!^]", "[]]", "[!]]",
	"[/]", "[a/b]", "[.-0]", "[!/]", "[/-9]", "[\x01-\xff]", "[!\x80-\xff]", "[\xc3\xa9]", "[z-\x80]", "[é-ü]", "[*?]", "[ ]", "[ -~]", "[#-&]", "[a-c[:digit:]x-z!]",
}

// TestEveryByte holds each class with each byte, and each mark in each place of a line, against git.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: names cannot hold every byte on Windows")
	}
	git := newJudge(t)
	if err := os.Mkdir(filepath.Join(git.dir, "tree"), 0o700); err != nil {
		t.Fatal(err)
	}
	check := func(line string, paths []string) {
		rules := gitignore.New([]string{line})
		for i, want := range git.decide(t, "tree", []string{line}, paths, "\n") {
			if got := rules.Match(paths[i], false); got.Line != want.Line || got.Ignored != want.Ignored {
				t.Errorf("%q, %q: %+v, git says line %d, ignored %t", line, paths[i], got, want.Line, want.Ignored)
			}
		}
	}
	for _, class := range classes {
		var paths []string
		for _, c := range everyByte() {
			paths = append(paths, "x"+c, "x"+c+"]", "x"+c+":]")
		}
		check("x"+class, paths)
	}
	for _, c := range marks() {
		paths := []string{"x", "b", "xb", "x/b", "x/y/b", "xy/b", `x\b`, `\b`}
		if c != "\x00" && c != "/" {
			paths = append(paths, "x"+c, c+"b", "x"+c+"b", "x"+c+"/b", "x"+c+"/y/b", "x"+c+"y/b", "x"+c+"y/z/b", `x\`+c, `\`+c+"b")
		}
		for _, line := range []string{
			c + "b", "x" + c, "x" + c + "b", `\` + c + "b", `x\` + c, `x\` + c + "b", "x" + c + "**/b", `x\` + c + "**/b", "x**" + c + "b", "**" + c + "b", "x/**" + c + "b",
			"x[" + c + "]", "x[!" + c + "]", "x[a-" + c + "]b", "x[" + c + "-b]b", `x[\` + c + "]b", "!" + c + "b", "*" + c, c + "*", c + "?", "x" + c + "*/b", "x" + c + "/b",
		} {
			check(line, paths)
		}
	}
}

// marks are the bytes that lines can hold, but of letters, digits, control characters and bytes above ASCII one each.
func marks() []string {
	marks := []string{"a", "B", "0", "\x00", "\x01", "\t", "\r", "\x80"}
	for c := byte(' '); c < 0x7f; c++ {
		if s := string([]byte{c}); !strings.ContainsAny(s, "0123456789") && strings.ToLower(s) == strings.ToUpper(s) {
			marks = append(marks, s)
		}
	}
	return marks
}
