package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// verified lists copies as "folder state: files".
func (w *world) verified(refs ...string) []string {
	w.Helper()
	copies, err := atskills.Verify(w.Context(), w.env, refs...)
	if err != nil {
		w.Fatalf("Verify(%q) error: %v", refs, err)
	}
	var out []string
	for _, c := range copies {
		if (c.State == atskills.CopyUnverifiable) != (c.Reason != "") || (c.State == atskills.CopyEdited) != (len(c.Files) > 0) {
			w.Errorf("copy %+v", c)
		}
		out = append(out, fmt.Sprint(c.Dir, " ", c.State, c.Files))
	}
	return out
}

// V1, S4: which copies were edited since they were saved, at the price of one listing for each recorded revision.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("mine")
	w.save("gh:acme/kit/.claude")
	w.save("gh:acme/kit/skills/deploy")
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "New.", "")})
	w.save("gh:acme/kit/skills/review")
	const claude, deploy, review = ".atskills/gh/acme/kit/.claude", ".atskills/gh/acme/kit/skills/deploy", ".atskills/gh/acme/kit/skills/review"
	w.counter.Reset()
	if diff := cmp.Diff([]string{claude + " unedited[]", deploy + " unedited[]", review + " unedited[]"}, w.verified()); diff != "" {
		t.Errorf("copies (-want +got):\n%s", diff)
	}
	w.asked("verifying all", transporttest.Counts{Opens: 2})

	w.edit(deploy+"/SKILL.md", "Changed.")
	w.edit(deploy+"/more.md", "More.")
	w.edit(claude+"/skills/plan/SKILL.md", "Changed.")
	if diff := cmp.Diff([]string{
		claude + " edited[{skills/plan/SKILL.md edited}]", deploy + " edited[{SKILL.md edited} {more.md extra}]", review + " unedited[]",
	}, w.verified()); diff != "" {
		t.Errorf("edited copies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{deploy + " edited[{SKILL.md edited} {more.md extra}]", review + " unedited[]"},
		w.verified("gh:acme/kit/skills", "gh:acme/kit/skills/review")); diff != "" {
		t.Errorf("a folder above, and one of its copies again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{claude + "/skills/plan edited[{SKILL.md edited}]"}, w.verified("gh:acme/kit/.claude/skills/plan")); diff != "" {
		t.Errorf("a part of a copy (-want +got):\n%s", diff)
	}
	if got := w.verified("mine"); got != nil {
		t.Errorf("the project's own: %q", got)
	}
}

// V1: a copy below another's stamp is a copy of its own.
func TestVerifyNested(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save("gh:acme/kit/skills")
	const base = ".atskills/gh/acme/kit/skills"
	w.edit(base+"/review/.source", "gh:acme/kit/skills/review\n2026-01-01 rev:0000000000000000000000000000000000000000\n")
	copies, err := atskills.Verify(t.Context(), w.env)
	if err != nil || len(copies) != 2 || copies[0].State != atskills.CopyUnedited || copies[1].Dir != base+"/review" ||
		copies[1].State != atskills.CopyUnverifiable || copies[1].Err == nil {
		t.Errorf("copies %+v, error %v", copies, err)
	}
}

// V1, S4: what cannot be compared says why, and the rest is compared.
func TestVerifyUnverifiable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save("gh:acme/kit/skills/deploy")
	w.project(map[string]string{"x/.source": "gh:acme/kit/skills/deploy\n", "x/": "No revision.", "gh/only/.source": "gh:acme/kit\n2026-01-01 rev:abc\n", "gh/only/": "Moved."})
	if diff := cmp.Diff([]string{
		".atskills/gh/acme/kit/skills/deploy unedited[]", ".atskills/gh/only unverifiable[]", ".atskills/x unverifiable[]",
	}, w.verified()); diff != "" {
		t.Errorf("copies (-want +got):\n%s", diff)
	}
	w.fake.SetOffline(true)
	copies, err := atskills.Verify(t.Context(), w.env, "gh:acme/kit/skills/deploy")
	if err != nil || len(copies) != 1 || copies[0].State != atskills.CopyUnverifiable || !errors.Is(copies[0].Err, atskills.ErrUnreachable) {
		t.Errorf("offline: %+v, error %v", copies, err)
	}
	w.env.Transport = nil
	if got := w.verified("gh:acme/kit/skills/deploy"); len(got) != 1 {
		t.Errorf("without a transport: %q", got)
	}
	if _, err := atskills.Verify(t.Context(), w.env, "gh:acme/kit/skills/nothing"); !errors.Is(err, atskills.ErrNotFound) {
		t.Errorf("nothing there: error %v", err)
	}
	if _, err := atskills.Verify(t.Context(), w.env, "gh:"); err == nil {
		t.Error("no reference: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := atskills.Verify(ctx, w.env); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
