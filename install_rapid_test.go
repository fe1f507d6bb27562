package atskills_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

// typed is what a person writes for the skill or folder at a path.
func typed(t *rapid.T, path string) string {
	id, err := skill.ParseDiskPath(path)
	if err != nil {
		t.Fatal(err)
	}
	return id.Reference()
}

// target draws a skill of the tree, or a folder of skills. No reference addresses a name with a backslash (G7).
func target(t *rapid.T, skills []string) string {
	at := rapid.SampledFrom(skills).Filter(func(s string) bool { return !strings.Contains(s, `\`) }).Draw(t, "skill")
	segs := strings.Split(at, "/")
	return strings.Join(segs[:rapid.IntRange(1, len(segs)).Draw(t, "depth")], "/")
}

func under(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// T6, T7, T9: whatever the tree and the file hold, an install selects its target, which is one line more at the end and
// no other byte, and changes the state of no other skill; doing it twice is doing it once.
func TestInstallAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, skills := drawWorld(t, rt)
		before := genFile("\n", "\r\n").Draw(rt, "file") + rapid.SampledFrom([]string{"", "\n", "a", "# a"}).Draw(rt, "tail")
		w.edit(triggerFile, before)
		at := target(rt, skills)
		c, err := atskills.Install(t.Context(), w.env, typed(rt, at))
		if err != nil {
			rt.Fatal(err)
		}
		after := w.triggers()
		want := slices.DeleteFunc(slices.Clone(skills), func(dir string) bool {
			return !under(at, dir) && !slices.Contains(selected(before, skills), dir)
		})
		if diff := cmp.Diff(want, selected(after, skills)); diff != "" {
			rt.Fatalf("Install(%q) made %q %q; selected (-want +got):\n%s", at, before, after, diff)
		}
		if len(c.Written) == 0 {
			if after != before {
				rt.Fatalf("Install(%q) = %+v made %q %q", at, c, before, after)
			}
			return
		}
		rest, ok := strings.CutPrefix(after, before)
		if added := c.Written[0].Text; !ok || !slices.Contains([]string{added, "\n" + added, "\r\n" + added}, strings.TrimRight(rest, "\r\n")) {
			rt.Fatalf("Install(%q) = %+v made %q %q", at, c, before, after)
		}
		if c, err := atskills.Install(t.Context(), w.env, typed(rt, at)); err != nil || len(c.Written) > 0 || w.triggers() != after {
			rt.Fatalf("Install(%q) again = %+v, error %v", at, c, err)
		}
	})
}

// T6, T9: an uninstall removes whole lines that name the target and no other byte, so that it undoes an install to the
// byte in a file without such lines that ends with a line end.
func TestUninstallUndoesInstall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, skills := drawWorld(t, rt)
		w.edit(triggerFile, genFile("\n", "\r\n").Draw(rt, "file"))
		ref := typed(rt, target(rt, skills))
		uninstall := func() *atskills.Change {
			c, err := atskills.Uninstall(t.Context(), w.env, ref)
			if err != nil {
				rt.Fatal(err)
			}
			return c
		}
		lines := strings.SplitAfter(w.triggers(), "\n")
		for _, l := range uninstall().Removed {
			text := strings.TrimPrefix(strings.TrimRight(lines[l.Number-1], "\r\n"), "\ufeff")
			if text != l.Text {
				rt.Fatalf("Uninstall(%q) removed %v, which was %q", ref, l, text)
			}
			lines[l.Number-1] = lines[l.Number-1][:strings.Index(lines[l.Number-1], text)]
		}
		before := strings.Join(lines, "")
		if got := w.triggers(); got != before {
			rt.Fatalf("Uninstall(%q): %q, want %q", ref, got, before)
		}
		c, err := atskills.Install(t.Context(), w.env, ref)
		if err != nil {
			rt.Fatal(err)
		}
		if gone := uninstall().Removed; !cmp.Equal(gone, c.Written) {
			rt.Fatalf("Install(%q) wrote %v, Uninstall removed %v", ref, c.Written, gone)
		}
		if after := w.triggers(); after != before {
			rt.Fatalf("Install and Uninstall of %q made %q %q", ref, before, after)
		}
	})
}
