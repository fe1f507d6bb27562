package atskills_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

// referencesTable is a golden table: a comment, a message as a Go string, and one indented line for each reference in it.
const referencesTable = "testdata/references.txt"

// G10: every reference of a message is found, with its byte span and its parsed form or its error, and nothing else is.
func TestReferencesTable(t *testing.T) {
	t.Parallel()
	f, err := os.Open(referencesTable)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var about, message string
	var want []string
	cases := 0
	check := func() {
		if message == "" {
			return
		}
		cases++
		var got []string
		for _, m := range atskills.References(message) {
			got = append(got, showMention(message, m))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: References(%q) (-want +got):\n%s", about, message, diff)
		}
		message, want = "", nil
	}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch {
		case line == "":
		case strings.HasPrefix(line, "# "):
			check()
			about = line[2:]
		case strings.HasPrefix(line, "\t"):
			want = append(want, line[1:])
		default:
			if message, err = strconv.Unquote(line); err != nil {
				t.Fatalf("%s:%d: %v", referencesTable, n, err)
			}
		}
	}
	if check(); lines.Err() != nil || cases < 60 {
		t.Errorf("%s: %d sentences, %v; want at least 60", referencesTable, cases, lines.Err())
	}
}

// showMention is a line of the table.
func showMention(message string, m skill.Mention) string {
	text := fmt.Sprintf("%d:%d %s", m.Start, m.End, strconv.Quote(message[m.Start:m.End]))
	if m.Err != nil {
		var syntax *skill.SyntaxError
		if !errors.As(m.Err, &syntax) {
			return text + " an error of another type"
		}
		return text + " error: " + syntax.Err.Error()
	}
	text += " " + m.Ref.ID.String()
	for _, flag := range []struct {
		on   bool
		name string
	}{{m.Ref.Dir, "dir"}, {m.Ref.Save, "save"}, {m.Ref.Install, "install"}, {m.Ref.Index, "index"}, {m.Ref.Branch != "", "branch " + m.Ref.Branch}} {
		if flag.on {
			text += " +" + flag.name
		}
	}
	return text
}
