package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what is written to master is typed, and what is drawn is read from it.
func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return master, tty
}

func settings(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// However the browser ends, the terminal has its settings and its screen back.
func TestTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(cancel func(), master *os.File)
	}{
		{name: "key", end: func(_ func(), master *os.File) { _, _ = master.WriteString("jq") }},
		{name: "interrupt key", end: func(_ func(), master *os.File) { _, _ = master.WriteString("\x03") }},
		{name: "signal", end: func(cancel func(), _ *os.File) { cancel() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			master, tty := terminal(t)
			before := settings(t, tty)
			b := newBrowser(t, project(t, "deploy"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			drawn := make(chan string, 1)
			go func() {
				var all strings.Builder
				buf := make([]byte, 4096)
				for ended := false; ; {
					n, err := master.Read(buf)
					all.Write(buf[:n])
					if !ended && strings.Contains(all.String(), "deploy") {
						ended = true
						c.end(cancel, master)
					}
					if err != nil || strings.Contains(all.String(), leaveScreen) {
						drawn <- all.String()
						return
					}
				}
			}()
			if err := onScreen(ctx, tty, tty, b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, settings(t, tty)); diff != "" {
				t.Errorf("the settings differ (-before +after):\n%s", diff)
			}
			if text := <-drawn; !strings.HasPrefix(text, enterScreen) || !strings.HasSuffix(text, leaveScreen) {
				t.Errorf("drawn %q", text)
			}
		})
	}
}

// A signal to quit gives the terminal back, and one that the screen was resized draws for the new size. Signals come to the
// whole process, so this does not run beside other tests.
func TestTerminalSignals(t *testing.T) {
	master, tty := terminal(t)
	before := settings(t, tty)
	resize := func(columns, rows uint16) {
		if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
			t.Error(err)
		}
	}
	send := func(s unix.Signal) {
		if err := unix.Kill(os.Getpid(), s); err != nil {
			t.Error(err)
		}
	}
	resize(100, 20)
	b := newBrowser(t, project(t, "deploy"))
	drawn := make(chan string, 1)
	go func() {
		var all strings.Builder
		buf := make([]byte, 4096)
		for resized, quit := false, false; ; {
			n, err := master.Read(buf)
			all.Write(buf[:n])
			_, second, _ := strings.Cut(all.String(), clearScreen)
			if !resized && strings.Contains(all.String(), "q: leave") { // the last line
				resized = true
				resize(40, 10)
				send(unix.SIGWINCH)
			}
			if !quit && strings.Contains(second, "space: toggle") {
				quit = true
				send(unix.SIGQUIT)
			}
			if err != nil || strings.Contains(all.String(), leaveScreen) {
				drawn <- second
				return
			}
		}
	}()
	if err := onScreen(t.Context(), tty, tty, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, settings(t, tty)); diff != "" {
		t.Errorf("the settings differ (-before +after):\n%s", diff)
	}
	if text := <-drawn; strings.Count(text, "\r\n") != 9 || !strings.HasSuffix(text, leaveScreen) {
		t.Errorf("the second screen is %q", text)
	}
}

// A file is no terminal: nothing is drawn on it.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := onScreen(t.Context(), f, f, newBrowser(t, project(t, "deploy"))); !errors.Is(err, unix.ENOTTY) {
		t.Errorf("onScreen = %v, want ENOTTY", err)
	}
	if data, err := io.ReadAll(f); err != nil || len(data) > 0 {
		t.Errorf("drawn %q, %v", data, err)
	}
}
