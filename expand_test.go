package atskills_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
)

func (w *world) expand(message string, opts atskills.ExpandOptions) *atskills.Expansion {
	w.Helper()
	out := atskills.Expand(w.Context(), w.env, message, opts)
	var text strings.Builder
	for _, p := range out.Parts {
		text.WriteString(p.Text)
	}
	if text.String() != message {
		w.Errorf("the parts of %q are %q together", message, text.String())
	}
	return out
}

// G10, R10: content stands behind the line that refers to it, once, and what cannot be read says so in its place.
func TestExpandMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/one/SKILL.md": skillText("one", "First.", "Do one."), ".atskills/two/SKILL.md": skillText("two", "Second.", "Do two."),
	})
	one := "--- skill one (local) ---\none: First.\nFolder: /.atskills/one (relative paths start here)\n\nDo one.\n--- end of one ---\n"
	two := "--- skill two (local) ---\ntwo: Second.\nFolder: /.atskills/two (relative paths start here)\n\nDo two.\n--- end of two ---\n"
	missing := "--- @skills:absent could not be read: nothing at absent: the project has no such skill; looked in .atskills/absent; " +
		"a bare path is the project's own; a skill elsewhere is gh:<owner>/<repo>/absent or hub:<owner>/absent ---\n"
	for _, c := range []struct{ message, want string }{
		{"", ""},
		{"No reference.", "No reference."},
		{"Use @skills:one.", "Use @skills:one.\n" + one},
		{"Use @skills:one, then @skills:two.\nGo.", "Use @skills:one, then @skills:two.\n" + one + two + "Go."},
		{"- @skills:two\r\n- @skills:one\r\n", "- @skills:two\r\n" + two + "- @skills:one\r\n" + one},
		{"@skills:one and @skills:one\n`@skills:two`", "@skills:one and @skills:one\n" + one + "`@skills:two`"},
		{"@skills:absent or @skills:two", "@skills:absent or @skills:two\n" + missing + two},
		{"@skills:", "@skills:\n--- a reference could not be read: reference \"@skills:\": empty path ---\n"},
	} {
		if diff := cmp.Diff(c.want, w.expand(c.message, atskills.ExpandOptions{}).Message); diff != "" {
			t.Errorf("Expand(%q) (-want +got):\n%s", c.message, diff)
		}
	}
	if got := w.expand("`@skills:one`", atskills.ExpandOptions{InCode: true}).Message; got != "`@skills:one`\n"+one {
		t.Errorf("in code: %q", got)
	}
}

// R10: everything that writes comes after all that is read, one at a time, in the order written; each id once; and one
// probe answers for the whole message (C11).
func TestExpandWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var mu sync.Mutex
	var order []string
	w.env.Events = func(e atskills.Event) {
		if e.Kind == atskills.EventAnswer || e.Kind == atskills.EventSave {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, string(e.Kind)+" "+e.ID.Base())
		}
	}
	out := w.expand("Keep @skills:gh:acme/kit/skills/review:save:install, see @skills:gh:acme/kit/.claude/skills/plan,\n"+
		"take @skills:gh:acme/kit/skills/deploy:save and @skills:gh:acme/kit/skills/review:save again.\n", atskills.ExpandOptions{})
	counts := w.counter.Reset()
	if counts.Probes != 1 || counts.Fetches != 1 {
		t.Errorf("asked upstream %+v, want one probe and one fetch", counts)
	}
	var saves []string
	for i, o := range order {
		if strings.HasPrefix(o, "save ") {
			saves = append(saves, o)
		} else if len(saves) > 0 && !slices.Contains(order[:i], o) {
			t.Errorf("%s is read first after a save: %q", o, order)
		}
	}
	if want := []string{"save review", "save deploy"}; !slices.Equal(saves, want) {
		t.Errorf("saves %q, want %q", saves, want)
	}
	var refs []atskills.Part
	for _, p := range out.Parts {
		if p.Reference != nil {
			refs = append(refs, p)
		}
	}
	for i, want := range []struct {
		saved, installed, repeat bool
		served                   atskills.Served
	}{{true, true, false, atskills.ServedLocal}, {false, false, false, atskills.ServedFresh}, {true, false, false, atskills.ServedLocal}, {true, false, true, atskills.ServedLocal}} {
		p := refs[i]
		if p.Err != nil || p.SaveErr != nil || p.InstallErr != nil || (p.Saved != nil) != want.saved || (p.Installed != nil) != want.installed ||
			p.Repeat != want.repeat || p.Resolution.Served != want.served {
			t.Errorf("%s: %+v, want %+v", p.Text, p, want)
		}
	}
	want := "3 loaded, 2 saved, 1 resident\n" +
		"@skills:gh:acme/kit/skills/review: saved to /.atskills/gh/acme/kit/skills/review\n" +
		"@skills:gh:acme/kit/skills/review: wrote line 1, `gh/acme/kit/skills/review`\n" +
		"@skills:gh:acme/kit/skills/deploy: saved to /.atskills/gh/acme/kit/skills/deploy"
	if diff := cmp.Diff(want, out.Report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if strings.Count(out.Message, "Look twice.") != 1 || !strings.Contains(out.Message, "Folder: /.atskills/gh/acme/kit/skills/review") {
		t.Errorf("message %s", out.Message)
	}
}

// R10: one failure never touches the others, whichever step it is of, and the report names each.
func TestExpandFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- acme/kit/bare/SKILL.md --\nNo frontmatter.\n")
	write(t, w.env.Project, map[string]string{
		".atskills/own/SKILL.md":              skillText("own", "Own.", "Mine."),
		".atskills/gh/acme/kit/skills/x/note": "the project's own work, and no skill",
	})
	out := w.expand("@skills:own:save @skills:gh:acme/kit/absent @skills:gh:acme/kit/bare:install @skills:gh:not/there:save\n"+
		"@skills:gh:acme/kit/skills/review:save @skills:gh: @skills:https://me:hunter2@github.com/a/b", atskills.ExpandOptions{})
	byRef := make(map[string]atskills.Part)
	for _, p := range out.Parts {
		if p.Reference != nil {
			byRef[p.Text] = p
		}
	}
	if p := byRef["@skills:own:save"]; p.Err != nil || p.Resolution == nil || !errors.Is(p.SaveErr, atskills.ErrOwnWork) {
		t.Errorf("a bare path to save: %+v", p)
	}
	if p := byRef["@skills:gh:acme/kit/bare:install"]; p.Err != nil || !errors.Is(p.InstallErr, atskills.ErrNotLoadable) {
		t.Errorf("a skill without a name to install: %+v", p)
	}
	if p := byRef["@skills:gh:acme/kit/skills/review:save"]; p.Err != nil || p.Saved == nil {
		t.Errorf("the one that works: %+v", p)
	}
	for ref, want := range map[string]error{"@skills:gh:acme/kit/absent": atskills.ErrNotFound, "@skills:gh:not/there:save": atskills.ErrNotFound} {
		if p := byRef[ref]; !errors.Is(p.Err, want) || p.Resolution != nil || p.Saved != nil || p.SaveErr != nil {
			t.Errorf("%s: %+v, want error %v and nothing saved", ref, p, want)
		}
	}
	first, _, _ := strings.Cut(out.Report, "\n")
	if want := "3 loaded, 1 saved, 4 failed"; first != want {
		t.Errorf("report %q, want %q first", out.Report, want)
	}
	for _, want := range []string{"@skills:own: not saved: ", "@skills:gh:acme/kit/bare: not installed: ", "@skills:gh:not/there: ", "a reference: reference "} {
		if !strings.Contains(out.Report, "\n"+want) {
			t.Errorf("report %q, want %q in it", out.Report, want)
		}
	}
	for _, w := range out.Warnings {
		if !strings.Contains(out.Report, "\nwarning: "+w.Message) {
			t.Errorf("report %q, want the warning %q in it", out.Report, w.Message)
		}
	}
	if strings.Contains(out.Report, "hunter2") || strings.Contains(strings.ReplaceAll(out.Message, "me:hunter2@github.com/a/b", ""), "hunter2") { // X5
		t.Errorf("report %q and message %q repeat a password", out.Report, out.Message)
	}
}

// X2: what the context holds is not put in again, and a ceiling is told.
func TestExpandHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	first := w.expand("@skills:"+reviewRef, atskills.ExpandOptions{Render: atskills.Renderer{Format: atskills.RenderXML}})
	hash := first.Parts[0].Rendered.Hash
	if !strings.Contains(first.Message, "<skill_content") || hash == "" {
		t.Fatalf("%q, hash %q", first.Message, hash)
	}
	again := w.expand("@skills:"+reviewRef, atskills.ExpandOptions{Held: func(h string) bool { return h == hash }})
	if again.Message != "@skills:"+reviewRef || !again.Parts[0].Repeat || !strings.HasPrefix(again.Report, "1 loaded") {
		t.Errorf("held already: %q, %q", again.Message, again.Report)
	}
	cut := w.expand("@skills:"+reviewRef, atskills.ExpandOptions{Render: atskills.Renderer{MaxBytes: 1}})
	if want := "@skills:" + reviewRef + ": cut at 0 of 11 bytes"; !strings.Contains(cut.Report, want) {
		t.Errorf("report %q, want %q in it", cut.Report, want)
	}
	index := w.expand("@skills:"+reviewRef+" @skills:"+reviewRef+":index", atskills.ExpandOptions{})
	if !strings.Contains(index.Message, "Look twice.") || !strings.Contains(index.Message, "description: Reads a change.") {
		t.Errorf("a body and an index are two pieces: %q", index.Message)
	}
}

// R10: ReadOnly writes nothing, and leaves the suffixes to the host.
func TestExpandReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	before := tree(t, w.env.Project, "")
	out := w.expand("@skills:"+reviewRef+":save:install", atskills.ExpandOptions{ReadOnly: true})
	p := out.Parts[0]
	if p.Err != nil || p.Saved != nil || p.Installed != nil || !p.Reference.Ref.Save || !p.Reference.Ref.Install ||
		out.Report != "1 loaded\nwarning: not acted on: :save and :install of "+reviewRef {
		t.Errorf("%+v, report %q", p, out.Report)
	}
	want := []atskills.Warning{{Code: atskills.WarnSuffix, Message: "not acted on: :save and :install of " + reviewRef}}
	if diff := cmp.Diff(want, out.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	out = w.expand("@skills:"+reviewRef+":install, @skills:"+deployRef+":index", atskills.ExpandOptions{ReadOnly: true})
	if len(out.Warnings) != 1 || out.Warnings[0].String() != "not acted on: :install of "+reviewRef {
		t.Errorf("warnings %q", out.Warnings)
	}
	if diff := cmp.Diff(before, tree(t, w.env.Project, "")); diff != "" {
		t.Errorf("the project (-want +got):\n%s", diff)
	}
}

// R10: without a transport, a project or time left, each part has its error, and the message is whole.
func TestExpandWithout(t *testing.T) {
	t.Parallel()
	out := atskills.Expand(t.Context(), atskills.Env{}, "@skills:x and @skills:gh:a/b:save", atskills.ExpandOptions{})
	if !errors.Is(out.Parts[0].Err, atskills.ErrNotFound) || !errors.Is(out.Parts[2].Err, atskills.ErrNotConfigured) ||
		!strings.HasPrefix(out.Report, "0 loaded, 2 failed\n") {
		t.Errorf("%+v", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t, acme)
	if out := atskills.Expand(ctx, w.env, "@skills:"+reviewRef+":save", atskills.ExpandOptions{}); !errors.Is(out.Parts[0].Err, context.Canceled) {
		t.Errorf("%+v, want the context's error", out.Parts[0])
	}
}

// S12: of a playlist each row is saved at its own path, and the report counts them.
func TestExpandPlaylist(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	out := w.expand("@skills:"+listRef+":save", atskills.ExpandOptions{})
	p := out.Parts[0]
	if p.Err != nil || p.Saved == nil || len(p.Saved.Set) != 3 || !p.Resolution.Playlist {
		t.Fatalf("%+v", p)
	}
	if !strings.Contains(out.Report, "@skills:"+listRef+": saved ") || !strings.Contains(out.Report, " of 3 rows") {
		t.Errorf("report %q", out.Report)
	}
}

// R10: the parts are the message, whatever it holds, and each reference of it has a part.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "@skills:one", "a @skills:one:save\r\n`@skills:x` (@skills:two)\n@skills:", "@skills:one\n@skills:one\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		out := atskills.Expand(t.Context(), atskills.Env{}, message, atskills.ExpandOptions{})
		var text strings.Builder
		references := 0
		for _, p := range out.Parts {
			text.WriteString(p.Text)
			if p.Reference != nil {
				references++
			}
		}
		if text.String() != message || references != len(atskills.References(message)) || (out.Report == "") != (references == 0) {
			t.Errorf("Expand(%q): parts %q, %d references, report %q", message, text.String(), references, out.Report)
		}
	})
}
