package skill_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/atskills-go/atskills/skill"
)

// reported are the cases of TestCases in which section 5 decides otherwise than a person would, by the finding that
// says so. None is read in silence.
var reported = map[skill.Code][]string{
	skill.CodeYAMLRetry: {
		"text-on-the-line-of-bar-or-gt-02", "quotes-01", "quotes-02", "quotes-05", "escapes-in-double-quotes-01",
		"escapes-in-double-quotes-02", "lines-without-indent-02", "lines-without-indent-05", "tabs-03", "block-text-02",
	},
	skill.CodeDescriptionNotString: {
		"value-begins-with-bracket-04", "values-that-are-not-strings-14",
	},
	skill.CodeYAMLAnchor: {
		"value-begins-with-percent-bang-amp-hash-dash-question-comma-or-tilde-04",
	},
	skill.CodeDescriptionEmpty: {
		"value-begins-with-percent-bang-amp-hash-dash-question-comma-or-tilde-05",
	},
	skill.CodeCommentInValue: {
		"space-hash-cuts-the-value-01", "space-hash-cuts-the-value-02", "space-hash-cuts-the-value-04",
	},
	skill.CodeUnknownField: {
		"lines-without-indent-04",
	},
	skill.CodeFrontmatterMissing: {
		"no-frontmatter-02", "no-frontmatter-03", "no-frontmatter-04", "frontmatter-not-on-the-first-line-02",
		"frontmatter-not-on-the-first-line-04", "frontmatter-not-on-the-first-line-05", "opening-or-closing-line-08",
	},
	skill.CodeFrontmatterUnclosed: {
		"opening-or-closing-line-05", "opening-or-closing-line-06",
	},
	skill.CodeFrontmatterNotMapping: {
		"opening-or-closing-line-10", "name-or-description-missing-13", "values-that-are-not-strings-18",
		"values-that-are-not-strings-19",
	},
	skill.CodeDescriptionMissing: {
		"name-or-description-missing-09", "name-or-description-missing-10", "unicode-and-control-characters-01",
	},
	skill.CodeNameEmpty: {
		"values-that-are-not-strings-08", "values-that-are-not-strings-09",
	},
	skill.CodeControlChar: {
		"unicode-and-control-characters-05",
	},
	skill.CodeNameUnsafe: {
		"tabs-06",
	},
	skill.CodeYAMLTag: {
		"anchors-and-merges-03",
	},
}

// TestCases reads made-up files, one for each cause by which real ones fail, as a person would.
func TestCases(t *testing.T) {
	t.Parallel()
	f, err := os.Open(shared("corpus/cases.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: it is shared data and no part of the module", shared("corpus/cases.jsonl"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	otherwise := make(map[string]skill.Code)
	for code, ids := range reported {
		for _, id := range ids {
			otherwise[id] = code
		}
	}
	n := 0
	for ; lines.Scan(); n++ {
		var c struct {
			ID          string  `json:"id"`
			Raw         string  `json:"raw"`
			Name        *string `json:"name"`
			Description *string `json:"description"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		d := skill.Parse("demo-skill", []byte(c.Raw), skill.ParseOptions{})
		want, listed := otherwise[c.ID]
		same := sameText(c.Name, d.Name) && sameText(c.Description, d.Description)
		if same == listed || listed && !slices.Contains(codes(d.Findings), string(want)) {
			t.Errorf("%s: %q reads as %q, %q with %v", c.ID, c.Raw, d.Name, d.Description, codes(d.Findings))
		}
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Errorf("%d cases, %v", n, err)
	}
}

// sameText compares texts as one line; a person sees no more in them. A person may have found none.
func sameText(want *string, got string) bool {
	if want == nil {
		return true
	}
	w, _ := skill.OneLine(*want)
	g, _ := skill.OneLine(got)
	return w == g
}

// TestAgreement: a file about which there is nothing to say is one that the reference tool accepts, and where both
// load a file, they agree on its name and description. The vectors hold what that tool did. It cuts a file at the first
// two "---" anywhere, keeps line separators, and hands out names that are not safe, or not in NFKC (D3).
func TestAgreement(t *testing.T) {
	t.Parallel()
	var vectors []struct {
		vector
		Ref struct {
			Validate    string  `json:"validate"`
			Read        string  `json:"read_properties"`
			Name        *string `json:"name"`
			Description *string `json:"description"`
		} `json:"ref"`
	}
	readShared(t, "spec/skill-vectors.json", &vectors)
	for _, v := range vectors {
		data := v.Bytes
		if data == nil {
			data = []byte(v.Text)
		}
		d := skill.Parse(v.DirName, data, skill.ParseOptions{FileName: v.FileName})
		problems, advice := d.Strict()
		start, _ := d.BodyRange()
		cutEarly := strings.Count(string(data[:start]), "---") > 2
		if len(problems)+len(advice) == 0 && v.Ref.Validate != "valid" && !cutEarly {
			t.Errorf("%s: nothing to say, and the reference tool says %s", v.ID, v.Ref.Validate)
		}
		if !d.Loads() || v.Ref.Read != "ok" || cutEarly || slices.Contains(codes(d.Findings), string(skill.CodeLineSeparator)) {
			continue
		}
		if norm.NFKC.String(*v.Ref.Name) != d.Name && !slices.Contains(codes(d.Findings), string(skill.CodeNameUnsafe)) {
			t.Errorf("%s: the name is %q, by the reference tool %q", v.ID, d.Name, *v.Ref.Name)
		}
		want, got := *v.Ref.Description, d.Description
		if i := strings.LastIndex(want, "...("); i >= 0 { // long ones are listed by their beginning and length
			got = got[:min(i, len(got))] + fmt.Sprintf("...(%d chars)", utf8.RuneCountInString(got))
		}
		if got != want {
			t.Errorf("%s: the description is %q, by the reference tool %q", v.ID, got, want)
		}
	}
}
