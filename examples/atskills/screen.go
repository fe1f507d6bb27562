package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/term"
)

// What a terminal is told: take the other screen and hide the cursor, and back; begin at the top; clear to the end.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[2J"
	topLeft     = "\x1b[H"
	clearLine   = "\x1b[K"
)

// onScreen runs b on the terminal that in and out are, until the person leaves, ctx ends or a signal asks to quit. However
// it ends, a panic included, the terminal is as it was.
func onScreen(ctx context.Context, in, out *os.File, b *browser) (err error) {
	ctx, stop := untilQuit(ctx)
	defer stop()
	resized := make(chan os.Signal, 1)
	notifyResized(resized)
	defer signal.Stop(resized)
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer func() {
		_, errLeave := io.WriteString(out, leaveScreen)
		err = errors.Join(err, errLeave, term.Restore(int(in.Fd()), state))
	}()
	if _, err := io.WriteString(out, enterScreen); err != nil {
		return err
	}
	size := func() (width, height int) {
		width, height, err := term.GetSize(int(out.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	return b.run(ctx, pressed(ctx, in), resized, out, size)
}

// run draws and obeys keys, until the person leaves, the keys end or ctx does. It draws anew when the screen is resized.
func (b *browser) run(ctx context.Context, keys <-chan key, resized <-chan os.Signal, out io.Writer, size func() (width, height int)) error {
	for {
		width, height := size()
		if _, err := io.WriteString(out, frame(b.view(width, height))); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil // asked to end, and ended in order
		case <-resized:
			if _, err := io.WriteString(out, clearScreen); err != nil {
				return err
			}
		case k, ok := <-keys:
			if !ok || !b.press(k, height) {
				return nil
			}
		}
	}
}

// frame is what draws lines over what is on the screen. In raw mode a line break needs its carriage return.
func frame(lines []string) string {
	return topLeft + strings.Join(lines, clearLine+"\r\n") + clearLine
}

// pressed hands out the keys that are pressed. A read of a terminal cannot be ended: the goroutine lasts as long as the
// program, and hands out nothing once ctx has ended.
func pressed(ctx context.Context, in io.Reader) <-chan key {
	keys := make(chan key)
	go func() {
		defer close(keys)
		r := bufio.NewReader(in)
		for {
			k, err := readKey(r)
			if err != nil {
				return
			}
			select {
			case keys <- k:
			case <-ctx.Done():
				return
			}
		}
	}()
	return keys
}

// key is what a person pressed.
type key uint8

const (
	keyOther key = iota
	keyUp
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyToggle
	keyPrompt
	keyQuit
)

// The control characters that are keys: in raw mode the terminal makes no signals of them.
const (
	ctrlC = 0x03
	ctrlD = 0x04
	esc   = 0x1b
)

// readKey returns the next key.
func readKey(r *bufio.Reader) (key, error) {
	c, err := r.ReadByte()
	if err != nil {
		return keyOther, err
	}
	switch c {
	case 'k':
		return keyUp, nil
	case 'j':
		return keyDown, nil
	case 'g':
		return keyHome, nil
	case 'G':
		return keyEnd, nil
	case ' ', '\r', '\n', 'x':
		return keyToggle, nil
	case 'p':
		return keyPrompt, nil
	case 'q', ctrlC, ctrlD:
		return keyQuit, nil
	case esc:
		return escaped(r), nil
	}
	return keyOther, nil
}

// escaped reads what came with an escape: a cursor key's sequence comes in one piece, and an escape alone leaves.
func escaped(r *bufio.Reader) key {
	if r.Buffered() == 0 {
		return keyQuit
	}
	if c, _ := r.ReadByte(); c != '[' && c != 'O' {
		return keyOther
	}
	var number byte
	for r.Buffered() > 0 {
		c, _ := r.ReadByte()
		if c >= '0' && c <= '9' || c == ';' {
			number = c
			continue
		}
		if c == '~' {
			return map[byte]key{'1': keyHome, '4': keyEnd, '5': keyPageUp, '6': keyPageDown}[number]
		}
		return map[byte]key{'A': keyUp, 'B': keyDown, 'H': keyHome, 'F': keyEnd}[c]
	}
	return keyOther
}
