package audit_test

import (
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

func TestTree(t *testing.T) {
	t.Parallel()
	fsys := memfs.New()
	long := strings.Repeat("Use when it fits. ", 60)
	tree{
		"t/mail/SKILL.md":         "---\nname: mail\ndescription: Sorts mail. ALWAYS use this when an inbox is full.\nallowed-tools: Read, Write\n---\nOpen the inbox.\nSort it.\n",
		"t/mail/scripts/x*":       "#!/bin/sh\n",
		"t/mail/references/r.md":  "",
		"t/copy/mail/SKILL.md":    "---\nname: mail\ndescription: Sorts letters.\n---\nOpen the   inbox.\n\nSort it.\n",
		"t/long/SKILL.md":         "---\nname: long\ndescription: " + long + "\n---\nBody.\n",
		"t/broken/SKILL.md":       "no frontmatter\n",
		"t/near/skill.md":         "---\nname: near\ndescription: d\n---\nB\n",
		"t/mail/nested/SKILL.md":  "", // below a skill: not one (W1)
		"t/press/SKILL.md":        "---\nname: press\ndescription: You must use this, always  use it, ALWAYS use it. 使用\n---\nOther body.\n",
		"t/press/assets/logo.svg": "",
		"t/away":                  "-> ../../gone",
	}.write(t, fsys)
	a, err := audit.Tree(t.Context(), fsys, "t", audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, r := range a.Skills {
		dirs = append(dirs, r.Dir)
	}
	if diff := cmp.Diff([]string{"t/broken", "t/copy/mail", "t/long", "t/mail", "t/near", "t/press"}, dirs); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	want := audit.Summary{
		Total: 6, Valid: 2, Loads: 4, NoWhen: 1, CommaTools: 1, Scripts: 1, References: 1, Assets: 1,
		DescriptionTokens: 1 + 13 + 1 + 4 + 1 + 270 + 2 + 13, BodyTokens: 6 + 7 + 2 + 3, OverBudget: []string{"t/long"},
	}
	if diff := cmp.Diff(want, a.Summary, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	duplicates := []audit.Duplicate{
		{Kind: audit.SameContent, Dirs: []string{"t/copy/mail", "t/mail"}},
		{Kind: audit.SameName, Name: "mail", Dirs: []string{"t/copy/mail", "t/mail"}},
	}
	if diff := cmp.Diff(duplicates, a.Duplicates); diff != "" {
		t.Errorf("duplicates (-want +got):\n%s", diff)
	}
	phrases := []audit.Phrase{{"always use", 3, 2}, {"you must", 1, 1}}
	if diff := cmp.Diff(phrases, a.Phrases); diff != "" {
		t.Errorf("phrases (-want +got):\n%s", diff)
	}
	codes := []audit.CodeCount{
		{skill.CodeToolsComma, skill.SeverityError, 1, 1}, {skill.CodeDescriptionTooLong, skill.SeverityError, 1, 1},
		{skill.CodeFileNameCase, skill.SeverityError, 1, 1}, {skill.CodeFrontmatterMissing, skill.SeverityError, 1, 1},
	}
	if diff := cmp.Diff(codes, a.Codes, cmpopts.SortSlices(func(a, b audit.CodeCount) bool { return a.Code < b.Code })); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	if len(a.Problems) != 1 || a.Problems[0].Path != "away" || a.Problems[0].Code != skill.ProblemLink || a.Valid() {
		t.Errorf("problems %v, valid %v", a.Problems, a.Valid())
	}
}

func TestTreeOfOne(t *testing.T) {
	t.Parallel()
	fsys := memfs.New()
	tree{"s/SKILL.md": good + "B\n"}.write(t, fsys)
	a, err := audit.Tree(t.Context(), fsys, "s", audit.Options{})
	if err != nil || !a.Valid() || a.Summary.Total != 1 || a.Skills[0].Dir != "s" {
		t.Errorf("%+v, %v", a, err)
	}
	dirs, _ := audit.Find(t.Context(), fsx.NewView(fsys, "", true))
	if diff := cmp.Diff([]string{"s"}, dirs); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestSaysWhen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Sorts mail.":                           false,
		"Sorts mail. Use when an inbox is full": true,
		"Sorts mail WHENEVER asked":             true,
		"Useful for large inboxes":              true,
		"If the user asks for mail":             true,
		"Triggers on: mail":                     true,
		"Reuses whenceforth":                    false,
		"整理邮件，收件箱满时使用":                          true,
	} {
		if got := audit.SaysWhen(text); got != want {
			t.Errorf("SaysWhen(%q) = %v", text, got)
		}
	}
}
