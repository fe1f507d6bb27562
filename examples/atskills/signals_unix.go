//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilQuit is ctx until a signal asks to quit, which would end the program without giving the terminal back.
func untilQuit(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGQUIT)
}

// notifyResized tells c when the terminal has another size.
func notifyResized(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH) }
