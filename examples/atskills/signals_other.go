//go:build !unix

package main

import (
	"context"
	"os"
)

// untilQuit is ctx: this system has no signal that asks to quit.
func untilQuit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// notifyResized tells c nothing: this system says nothing of the terminal's size, and the next key draws for the new one.
func notifyResized(chan<- os.Signal) {}
