package atskills_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// Ten "@" lines on one repository cost one probe, one listing and one fetch; unchanged, one probe (C11, B10). The block
// rebuilt after a toggle in the same session costs nothing (C12).
func TestResidencyRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, many("acme/kit", "skills", 10))
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("@gh:acme/kit/skills/s%04d", i))
	}
	w.trigger(lines...)
	w.block()
	w.asked("ten lines, cold", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 10})
	w.block()
	w.asked("ten lines, warm", transporttest.Counts{Probes: 1})

	w.env.Transport = transport.Memo(w.counter)
	w.block()
	w.asked("a session's first block", transporttest.Counts{Probes: 1})
	w.trigger(lines[1:]...)
	if b := w.block(); len(b.Rows) != 9 {
		t.Errorf("%d rows", len(b.Rows))
	}
	w.asked("the block after a toggle", transporttest.Counts{})
}

// C12: the block rebuilt after a toggle in the same session costs nothing either where a line or a playlist's row brings
// nothing, since upstream's no is an answer.
func TestResidencyRefusedLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, code string
		first      transporttest.Counts
	}{
		{"@gh:acme/kit/skills/", "", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 6}},
		{"@gh:acme/kit/none", atskills.NoteNotFound, transporttest.Counts{Probes: 1, Opens: 1}},
		{"@gh:acme/big/", atskills.NoteTooLarge, transporttest.Counts{Probes: 1, Opens: 1}},
		{"@gh:no/body/", atskills.NoteNotFound, transporttest.Counts{Probes: 1}},
		{"@gh:acme/closed/", atskills.NoteNoAccess, transporttest.Counts{Probes: 1}},
		{"@hub:no/thing", atskills.NoteNotFound, transporttest.Counts{Probes: 1}},
		{"@https://github.com/acme/kit/tree/topic/one/skills/deploy", atskills.NoteNotFound, transporttest.Counts{Probes: 1, Opens: 2, Branches: 1}},
		{"@hub:acme/starter/", atskills.NoteNotFound, transporttest.Counts{Probes: 5, Opens: 4, Fetches: 2, Bodies: 8}},
	} {
		w := newWorld(t, followedList+many("acme/big", "skills", 129)+many("acme/closed", "skills", 1))
		if err := w.fake.SetAccess("acme/closed", &transporttest.Access{User: "u", Password: "p"}); err != nil {
			t.Fatal(err)
		}
		if err := w.fake.Branch("acme/kit", "topic/one", w.fake.Tip("acme/kit")); err != nil {
			t.Fatal(err)
		}
		w.env.Transport = transport.Memo(w.counter)
		w.project(map[string]string{"a/": "A."})
		w.trigger("a", tt.line)
		b := w.block()
		if tt.code != "" {
			w.noted(b, tt.code)
		}
		w.asked("the first block with "+tt.line, tt.first)
		w.trigger(tt.line)
		again := w.block()
		w.asked("the block after a toggle with "+tt.line, transporttest.Counts{})
		if diff := cmp.Diff(messages(b), messages(again)); diff != "" {
			t.Errorf("%s: the notes changed (-first +again):\n%s", tt.line, diff)
		}
		for _, out := range atskills.ResolveAll(t.Context(), w.env, []string{strings.TrimRight(tt.line[1:], "/")}) {
			if (out.Err != nil) != (tt.code != "" && !strings.HasPrefix(tt.line, "@hub:acme")) {
				t.Errorf("Resolve(%q) error %v", out.Ref, out.Err)
			}
		}
		w.asked("the same reference in the session", transporttest.Counts{})
	}
}

// messages are what b's notes say.
func messages(b *atskills.Block) (out []string) {
	for _, n := range b.Notes {
		out = append(out, n.Code+": "+n.Message)
	}
	return out
}

// C4, C12: an outage is no answer. While it lasts a block asks each repository once, however many lines follow it, and
// what comes back is seen.
func TestResidencyOutageInSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Transport = transport.Memo(w.counter)
	w.trigger("@gh:acme/kit/skills/deploy", "@gh:acme/kit/skills/review", "@gh:acme/kit/none")
	w.fake.SetOffline(true)
	for range 2 {
		w.block()
		w.asked("a block offline", transporttest.Counts{Probes: 1})
	}
	w.fake.SetOffline(false)
	if b := w.block(); len(b.Rows) != 2 {
		t.Errorf("after the outage: rows %q", names(b))
	}
	w.asked("the first block after it", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 6})
	w.block()
	w.asked("the second", transporttest.Counts{})
}

// C5, C12: a copy that is gone upstream is served from memory of that too, and a copy that is deleted meanwhile is not
// asked for again: upstream has spoken.
func TestRefusalRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.dropDeploy()
	w.env.Transport = transport.Memo(w.counter)
	w.counter.Reset()
	for range 2 {
		if res := w.resolve(deployRef); !hasWarning(res.Warnings, atskills.WarnGone) {
			t.Errorf("warnings %v", res.Warnings)
		}
	}
	if err := fsx.RemoveAll(w.env.Cache, "gh"); err != nil {
		t.Fatal(err)
	}
	w.refuse(deployRef, atskills.ErrNotFound)
	w.asked("a session", transporttest.Counts{Probes: 1, Opens: 1})
	w.env.Transport = transport.Memo(w.counter)
	w.refuse(deployRef, atskills.ErrNotFound)
	w.asked("a new session", transporttest.Counts{Probes: 1, Opens: 1})
}

// readCounter counts the bytes that are read of files called SKILL.md.
type readCounter struct {
	billy.Filesystem
	bytes atomic.Int64
}

func (c *readCounter) Open(name string) (billy.File, error) {
	f, err := c.Filesystem.Open(name)
	if err != nil || !strings.HasSuffix(name, atskills.SkillFile) {
		return f, err
	}
	return &countedFile{f, c}, nil
}

type countedFile struct {
	billy.File
	c *readCounter
}

func (f *countedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.c.bytes.Add(int64(n))
	return n, err
}

// localSkills fills a project with n skills in collections of a hundred, each with a body of size bytes, and a trigger file
// of so many lines: literal ones, patterns and negations. It returns how many skills they select.
func localSkills(tb testing.TB, fsys billy.Filesystem, n, lines, size int) (selected int) {
	tb.Helper()
	body := strings.Repeat("x", size)
	tree := fstest.Tree{}
	var file []string
	for i := range n {
		name := fmt.Sprintf("s%05d", i)
		tree[fmt.Sprintf(".atskills/team%03d/%s/SKILL.md", i/100, name)] = skillText(name, "Does the work of number "+name+".", body)
	}
	for i := range lines {
		switch at := i * n / lines; i % 5 {
		case 3:
			file = append(file, fmt.Sprintf("s%04d?", at/10)) // ten skills
			selected += min(10, n)
		case 4:
			file = append(file, fmt.Sprintf("!s%05d", n+i))
		default:
			file = append(file, fmt.Sprintf("/team%03d/s%05d", at/100, at))
			selected++
		}
	}
	tree[".atskills/.autotrigger"] = strings.Join(file, "\n") + "\n"
	fstest.Write(tb, fsys, "", tree)
	return selected
}

// Residency over 10,000 local skills and 50 lines opens each selected SKILL.md once and no other, and reads its head
// alone; each folder is listed once (B4).
func TestResidencyOpens(t *testing.T) {
	t.Parallel()
	const n, lines, size = 10_000, 50, 16 << 10
	disk := memfs.New()
	selected := localSkills(t, disk, n, lines, 0)
	large := 0
	for i := 0; i < n; i += n / lines { // the literal lines' skills, and some that no line selects
		name := fmt.Sprintf("s%05d", i)
		write(t, disk, map[string]string{fmt.Sprintf(".atskills/team%03d/%s/SKILL.md", i/100, name): skillText(name, "Large.", strings.Repeat("x", size))})
		large++
	}
	var calls fstest.Counter
	reads := &readCounter{Filesystem: disk}
	env := atskills.Env{Project: calls.Wrap(reads)}
	b, err := atskills.Residency(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	checkBlock(t, b)
	if len(b.Rows) != selected {
		t.Errorf("%d rows, want %d", len(b.Rows), selected)
	}
	var opened, want []string
	lists := make(map[string]int)
	for _, c := range calls.Calls() {
		if c.Op == fstest.OpOpen && strings.HasSuffix(c.Name, atskills.SkillFile) {
			opened = append(opened, c.Name)
		}
		if c.Op == fstest.OpReadDir {
			lists[c.Name]++
		}
	}
	for _, r := range b.Rows {
		want = append(want, r.Path)
	}
	slices.Sort(opened)
	if slices.Sort(want); !slices.Equal(opened, want) {
		t.Errorf("opened %d files, want each of %d selected once", len(opened), len(want))
	}
	if want := n + n/100 + 1; len(lists) != want {
		t.Errorf("listed %d folders, want %d", len(lists), want)
	}
	for name, times := range lists {
		if times != 1 {
			t.Errorf("%s was listed %d times", name, times)
		}
	}
	if most := int64(selected) * 4096; reads.bytes.Load() > most {
		t.Errorf("read %d bytes of %d heads, at most %d expected; %d files are large", reads.bytes.Load(), selected, most, large)
	}
	if m := calls.Mutations(); len(m) > 0 {
		t.Errorf("changed the project: %v", m)
	}
	again, err := atskills.Residency(t.Context(), env)
	if err != nil || again.Text != b.Text {
		t.Errorf("the same inputs give another text, error %v", err)
	}
}

// BenchmarkResidency builds the block of a project on disk: n skills, so many lines. The walk costs the most; the last
// case selects every skill.
func BenchmarkResidency(b *testing.B) {
	for _, c := range []struct{ skills, lines int }{{16, 1}, {128, 10}, {10_000, 50}, {10_000, 1}} {
		b.Run(fmt.Sprintf("%d/%d", c.skills, c.lines), func(b *testing.B) {
			dir := fsx.OS(b.TempDir())
			want := localSkills(b, dir, c.skills, c.lines, 4<<10)
			if c.lines == 1 {
				want = c.skills
				if err := fsx.WriteFile(dir, ".atskills/.autotrigger", []byte("*\n"), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			env := atskills.Env{Project: dir}
			b.ReportAllocs()
			for b.Loop() {
				block, err := atskills.Residency(b.Context(), env)
				if err != nil || len(block.Rows) != want {
					b.Fatalf("%d rows, want %d, error %v", len(block.Rows), want, err)
				}
			}
		})
	}
}
