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
	"strings"

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
	for lines := bufio.NewReader(in); ; {
		message, err := readLine(lines)
		if err == io.EOF || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		// 2. The resident block is one string behind the system prompt, built anew for each turn: within the session it
		// costs no request, and a line that was just installed counts.
		block, err := atskills.Residency(ctx, env)
		if err != nil {
			return err
		}
		for _, n := range block.Notes {
			fmt.Fprintf(people, "note: %s\n", n)
		}
		// 3. A message goes in, and comes out with the skills it refers to behind the lines that refer to them. Nothing of
		// that stays when the conversation is over.
		turn := atskills.Expand(ctx, env, message, atskills.ExpandOptions{
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

// maxMessage is how many bytes a message may have.
const maxMessage = 1 << 20

// readLine reads a message without its line end. The error is io.EOF behind the last one.
func readLine(in *bufio.Reader) (string, error) {
	var message []byte
	for {
		piece, err := in.ReadSlice('\n')
		message = append(message, piece...)
		switch {
		case len(message) > maxMessage:
			return "", fmt.Errorf("a message has more than %d bytes", maxMessage)
		case err == nil, err == io.EOF && len(message) > 0:
			return strings.TrimRight(string(message), "\r\n"), nil
		case err != bufio.ErrBufferFull:
			return "", err
		}
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
