package atskills_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// S1: a stamp is read for what it is.
func TestStampForms(t *testing.T) {
	t.Parallel()
	const id = "gh:acme/kit/skills/API Gateway"
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	whole := atskills.Stamp{ID: mustID(t, id), Date: day, Revision: "abc"}
	problem := func(s atskills.Stamp, text string) atskills.Stamp { s.Problem = text; return s }
	tests := map[string]struct {
		text string
		want atskills.Stamp
	}{
		"plain":            {id + "\n2026-03-04 rev:abc\n", whole},
		"no last break":    {id + "\n2026-03-04 rev:abc", whole},
		"windows":          {id + "\r\n2026-03-04 rev:abc\r\n", whole},
		"mark":             {"\ufeff" + id + "\n2026-03-04 rev:abc\n", whole},
		"blanks":           {"  " + id + " \n\t2026-03-04   rev:abc  \n", whole},
		"more lines":       {id + "\n2026-03-04 rev:abc\nby hand\nrev:def\n", whole},
		"more words":       {id + "\nsaved 2026-03-04 rev:abc rev:def 2027-01-01\n", whole},
		"no date":          {id + "\nrev:abc\n", atskills.Stamp{ID: whole.ID, Revision: "abc"}},
		"bad date":         {id + "\n04.03.2026 rev:abc\n", atskills.Stamp{ID: whole.ID, Revision: "abc"}},
		"no revision":      {id + "\n2026-03-04\n", problem(atskills.Stamp{ID: whole.ID, Date: day}, "the stamp records no revision")},
		"empty revision":   {id + "\n2026-03-04 rev:\n", problem(atskills.Stamp{ID: whole.ID, Date: day}, "the stamp records no revision")},
		"hostile revision": {id + "\n2026-03-04 rev:\x1b[2J\n", problem(atskills.Stamp{ID: whole.ID, Date: day}, "the stamp records no revision")},
		"no second line":   {id, problem(atskills.Stamp{ID: whole.ID}, "the stamp records no revision")},
		"bare path":        {"team/x\n2026-03-04 rev:abc\n", problem(atskills.Stamp{Date: day, Revision: "abc"}, `the stamp names "team/x", which has no upstream`)},
		"empty":            {"", problem(atskills.Stamp{}, `the stamp's first line is no id: reference "": empty path`)},
		"rubbish":          {"\x00\xff\n\x00", problem(atskills.Stamp{}, "the stamp's first line is no id: reference \"\\x00\\xff\": segment \"\\x00\\xff\" is not valid UTF-8")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.edit(".atskills/x/SKILL.md", "x")
			w.edit(".atskills/x/.source", tt.text)
			got, err := atskills.Origin(w.env, "x")
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Dir = ".atskills/x"
			if diff := cmp.Diff(&tt.want, got, cmp.AllowUnexported(skill.ID{})); diff != "" {
				t.Errorf("Origin (-want +got):\n%s", diff)
			}
		})
	}
}

// S2: the closest stamp at or above a skill is its origin; none means the project wrote it.
func TestOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(skillsRef)
	w.save(deployRef)
	w.edit(".atskills/own/SKILL.md", "own")
	w.edit(".atskills/.source", "gh:not/a/stamp\n")
	fstest.Write(t, w.env.Project, "", fstest.Tree{".atskills/odd/SKILL.md": "x", ".atskills/odd/.source@": "nowhere"})
	w.counter.Reset()
	for ref, want := range map[string]string{
		deployRef:                         deployRef,
		deployRef + "/scripts":            deployRef,
		reviewRef:                         skillsRef,
		"gh/acme/kit/skills/review/ref":   skillsRef,
		"@skills:gh:acme/kit/skills:save": skillsRef,
		"gh:acme/kit":                     "",
		"own":                             "",
	} {
		got, err := atskills.Origin(w.env, ref)
		if err != nil || (got == nil) != (want == "") || got != nil && got.ID.String() != want {
			t.Errorf("Origin(%q) = %+v, error %v; want %q", ref, got, err, want)
		}
	}
	if got, err := atskills.Origin(w.env, "odd"); err != nil || got == nil || got.Problem == "" {
		t.Errorf("a stamp that is a broken link = %+v, error %v", got, err)
	}
	var miss *atskills.NotFoundError
	if _, err := atskills.Origin(w.env, "Nowhere"); !errors.As(err, &miss) || len(miss.Looked) != 2 {
		t.Errorf("Origin of nothing error %v", err)
	}
	var syntax *skill.SyntaxError
	if _, err := atskills.Origin(w.env, "gh:acme"); !errors.As(err, &syntax) {
		t.Errorf("Origin of no reference error %v", err)
	}
	if _, err := atskills.Origin(atskills.Env{}, "x"); err == nil {
		t.Error("Origin without a project worked")
	}
	w.asked("origins", transporttest.Counts{})
}

func mustID(t *testing.T, s string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// FuzzStamp: whatever a stamp holds, it is read without a panic, what is taken over is clean, and a stamp that a save
// writes is read back whole.
func FuzzStamp(f *testing.F) {
	f.Add("gh:acme/kit\n2026-03-04 rev:abc\n")
	f.Add("\ufeffhub:a/b\r\n2026-03-04 rev:\"x\"\r\n")
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		s := atskills.ParseStamp([]byte(text))
		if s.Problem == "" && (s.ID.IsZero() || s.ID.Scheme() == skill.Local || s.Revision == "") {
			t.Errorf("ParseStamp(%q) = %+v without a problem", text, s)
		}
		if s.Problem != "" {
			return
		}
		if again := atskills.ParseStamp([]byte(atskills.StampText(s.ID, s.Revision, s.Date))); again != s && !s.Date.IsZero() {
			t.Errorf("ParseStamp(%q) = %+v, written and read again %+v", text, s, again)
		}
	})
}
