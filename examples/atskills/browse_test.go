package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"

	"github.com/atskills-go/atskills"
)

// project is a tree of skills in memory.
func project(t *testing.T, dirs ...string) billy.Filesystem {
	t.Helper()
	fsys := memfs.New()
	for _, dir := range dirs {
		name := dir[strings.LastIndex(dir, "/")+1:]
		body := fmt.Sprintf("---\nname: %s\ndescription: Does %s.\n---\nText.\n", name, name)
		if err := util.WriteFile(fsys, ".atskills/"+dir+"/SKILL.md", []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return fsys
}

func newBrowser(t *testing.T, fsys billy.Filesystem) *browser {
	t.Helper()
	b := &browser{ctx: t.Context(), env: atskills.Env{Project: fsys}}
	if err := b.reload(); err != nil {
		t.Fatal(err)
	}
	return b
}

// shown is what stands on a screen, without empty lines.
func shown(b *browser, columns, height int) []string {
	var lines []string
	for _, l := range b.view(columns, height) {
		if l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func has(lines []string, want string) bool {
	for _, l := range lines {
		if l == want {
			return true
		}
	}
	return false
}

// V1, V2: keys move the mark and toggle the row it stands at; the file has the line, and the note says so.
func TestBrowse(t *testing.T) {
	t.Parallel()
	fsys := project(t, "deploy", "team/a", "team/b")
	b := newBrowser(t, fsys)
	if lines := shown(b, 100, 24); !has(lines, "> [ ] deploy (13 tokens): Does deploy.") {
		t.Errorf("the first row is not marked:\n%s", strings.Join(lines, "\n"))
	}
	for _, k := range []key{keyDown, keyToggle} {
		if !b.press(k, 24) {
			t.Fatal("the browser left")
		}
	}
	data, err := util.ReadFile(fsys, ".atskills/.autotrigger")
	if err != nil || string(data) != "team/\n" {
		t.Errorf(".autotrigger = %q, %v, want the folder's line", data, err)
	}
	lines := shown(b, 100, 24)
	for _, want := range []string{
		"> [x] team/ (2 of 2 skills, 20 tokens)",
		"    [#] a (10 tokens, line 1: team/): Does a.",
		"wrote line 1, `team/`",
		"2 resident (2 of the project's 3, 0 followed), 33 tokens in every turn; at most 10 are advised",
	} {
		if !has(lines, want) {
			t.Errorf("no line %q in:\n%s", want, strings.Join(lines, "\n"))
		}
	}
	b.press(keyPrompt, 24)
	if lines := shown(b, 100, 24); !has(lines, "- a: Does a. (.atskills/team/a/SKILL.md)") {
		t.Errorf("the block is not shown:\n%s", strings.Join(lines, "\n"))
	}
	b.press(keyOther, 24)
	if lines := shown(b, 100, 24); !has(lines, "> [x] team/ (2 of 2 skills, 20 tokens)") {
		t.Errorf("the tree is not shown again:\n%s", strings.Join(lines, "\n"))
	}
	if b.press(keyQuit, 24) {
		t.Error("the browser stayed")
	}
}

// A refused toggle says why, and the person stays.
func TestBrowseRefused(t *testing.T) {
	t.Parallel()
	fsys := project(t, "deploy")
	if err := util.WriteFile(fsys, ".atskills/.autotrigger", []byte("d*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, fsys)
	if !b.press(keyToggle, 24) || !strings.Contains(b.status, "d*") {
		t.Errorf("status %q does not name the line", b.status)
	}
}

// T6: while another program holds the trigger file, or has left its lock there, a toggle ends soon and says so.
func TestBrowseLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fsys := project(t, "deploy")
		if err := util.WriteFile(fsys, ".atskills/.autotrigger.lock", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		b := newBrowser(t, fsys)
		start := time.Now() // of the bubble: it moves only while all wait
		if !b.press(keyToggle, 24) || !strings.Contains(b.status, ".autotrigger.lock") || !strings.Contains(b.status, "delete the file") {
			t.Errorf("status %q does not name the lock", b.status)
		}
		if waited := time.Since(start); waited != toggleWait {
			t.Errorf("the keys were not obeyed for %v, want %v", waited, toggleWait)
		}
	})
}

// However small the screen and however many the rows, the marked row shows, and no line is wider than the screen.
func TestBrowseView(t *testing.T) {
	t.Parallel()
	var dirs []string
	for i := range 40 {
		dirs = append(dirs, fmt.Sprintf("skill-%02d", i))
	}
	b := newBrowser(t, project(t, append(dirs, "日本語のスキル")...))
	for _, k := range []key{keyEnd, keyUp, keyPageUp, keyHome, keyPageDown, keyDown, keyEnd} {
		for _, size := range [][2]int{{80, 24}, {20, 7}, {12, 6}, {200, 100}} {
			b.press(k, size[1])
			lines := b.view(size[0], size[1])
			marked := 0
			for _, l := range lines {
				if strings.HasPrefix(l, "> ") {
					marked++
				}
				used := 0
				for _, r := range l {
					used += cells(r)
				}
				if used > size[0] {
					t.Errorf("%q takes %d columns of %d", l, used, size[0])
				}
			}
			if marked != 1 || len(lines) != size[1] {
				t.Errorf("on a screen of %v: %d lines, %d marked", size, len(lines), marked)
			}
		}
	}
	if empty := newBrowser(t, memfs.New()); !empty.press(keyToggle, 24) || len(shown(empty, 80, 24)) == 0 {
		t.Error("a project without skills shows nothing")
	}
}

func TestReadKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed string
		want  key
	}{
		{"k", keyUp}, {"j", keyDown}, {"g", keyHome}, {"G", keyEnd}, {" ", keyToggle}, {"\r", keyToggle}, {"x", keyToggle},
		{"p", keyPrompt}, {"q", keyQuit}, {"\x03", keyQuit}, {"\x04", keyQuit}, {"\x1b", keyQuit}, {"?", keyOther}, {"\x1a", keyOther},
		{"\x1b[A", keyUp}, {"\x1bOB", keyDown}, {"\x1b[5~", keyPageUp}, {"\x1b[6~", keyPageDown}, {"\x1b[H", keyHome},
		{"\x1b[4~", keyEnd}, {"\x1b[1;5A", keyUp}, {"\x1b[Z", keyOther}, {"\x1bx", keyOther}, {"\x1b[", keyOther},
	} {
		if got, err := readKey(bufio.NewReader(strings.NewReader(c.typed))); got != c.want || err != nil {
			t.Errorf("%q = %d, %v, want %d", c.typed, got, err, c.want)
		}
	}
	if _, err := readKey(bufio.NewReader(strings.NewReader(""))); !errors.Is(err, io.EOF) {
		t.Errorf("no key = %v, want EOF", err)
	}
}

// The loop ends when the keys end, when ctx does, and when the screen cannot be written.
func TestBrowseEnds(t *testing.T) {
	t.Parallel()
	size := func() (int, int) { return 80, 24 }
	b := newBrowser(t, project(t, "deploy"))
	if err := b.run(t.Context(), pressed(t.Context(), strings.NewReader("jj")), nil, io.Discard, size); err != nil {
		t.Errorf("at the end of the keys: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.run(ctx, make(chan key), nil, io.Discard, size); err != nil {
		t.Errorf("at the end of ctx: %v", err)
	}
	r, w := io.Pipe()
	_ = r.Close()
	if err := b.run(t.Context(), make(chan key), nil, w, size); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("without a screen: %v", err)
	}
}
