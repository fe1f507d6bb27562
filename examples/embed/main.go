// Command embed is the loop of an agent, with skills in it: it reads messages from standard input, one a line, and prints
// what a model would receive. The three places where an agent meets the protocol are marked 1, 2 and 3.
//
//	echo 'Cut the release as @skills:deploy says.' | go run ./examples/embed
//
// The project is the working directory, the cache the machine's own.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/upstream"
)

const system = "You are a helpful agent."

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	env := atskills.Env{
		Project:   fsx.OS("."),
		Cache:     fsx.UserCache(),
		Transport: upstream.Default(),
	}
	if err := run(ctx, env, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "embed: %v\n", err)
		os.Exit(1)
	}
}

// run is one session: a turn for each line of in. What a model would receive goes to out, what a person should see to
// people.
func run(ctx context.Context, env atskills.Env, in io.Reader, out, people io.Writer) error {
	// 1. A session asks each repository once whether it moved. A new session makes a new Memo.
	env.Transport = transport.Memo(env.Transport)
	held := make(map[string]bool) // the pieces that the conversation has already
	for lines := bufio.NewScanner(in); ; {
		if !lines.Scan() || ctx.Err() != nil {
			return lines.Err()
		}
		// 2. The resident block is one string behind the system prompt, built anew for each turn: within the session it
		// costs no request, and a line that was just installed counts.
		block, err := atskills.Residency(ctx, env)
		if err != nil {
			return err
		}
		for _, n := range block.Notes {
			fmt.Fprintf(people, "note: %s\n", n.Message)
		}
		// 3. A message goes in, and comes out with the skills it refers to behind the lines that refer to them. Nothing of
		// that stays when the conversation is over.
		turn := atskills.Expand(ctx, env, lines.Text(), atskills.ExpandOptions{
			Held: func(hash string) bool { return held[hash] },
		})
		for _, p := range turn.Parts {
			held[p.Rendered.Hash] = held[p.Rendered.Hash] || p.Resolution != nil
		}
		if turn.Report != "" {
			fmt.Fprintln(people, turn.Report)
		}
		send(out, block, turn)
	}
}

// send stands where an agent calls its model.
func send(out io.Writer, block *atskills.Block, turn *atskills.Expansion) {
	fmt.Fprintf(out, "=== system\n%s\n", system)
	if block.Text != "" {
		fmt.Fprintf(out, "\n%s\n", block.Text)
	}
	fmt.Fprintf(out, "=== user\n%s\n", turn.Message)
}
