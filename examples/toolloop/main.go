// Command toolloop gives a model without files what the resident block promises: two tools, one that loads a skill by its
// name and one that reads a file bundled with it. The model here is a script, so that no network is needed; what it is
// given and what it answers has the shape of any model's API.
//
//	go run ./examples/toolloop
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// message is one of a conversation.
type message struct {
	Role string // "user", "assistant" or "tool"
	Text string
	Call *call // what an assistant wants to be done
}

// call is a model's wish to use a tool.
type call struct {
	Tool      string
	Arguments json.RawMessage
}

// model answers a conversation. Its real kind sends system, tools and messages over a network.
type model func(system string, tools []atskills.ToolDefinition, messages []message) message

func main() {
	if err := run(context.Background(), os.Stdout, scripted); err != nil {
		fmt.Fprintf(os.Stderr, "toolloop: %v\n", err)
		os.Exit(1)
	}
}

// maxTurns bounds a conversation whose model never comes to an end.
const maxTurns = 16

// run is the loop of an agent: ask the model, do what it wants, tell it what came of that.
func run(ctx context.Context, out io.Writer, ask model) error {
	fsys, err := project()
	if err != nil {
		return err
	}
	env := atskills.Env{Project: fsys} // an agent has fsx.OS(dir), fsx.UserCache() and a transport
	block, err := atskills.Residency(ctx, env)
	if err != nil {
		return err
	}
	tools := atskills.NewTools(env, block.Rows, atskills.Renderer{Format: atskills.RenderXML})
	messages := []message{{Role: "user", Text: "Ship version 1.4."}}
	show(out, messages[0])
	for range maxTurns {
		answer := ask(block.Text, tools.Definitions(), messages)
		messages = append(messages, answer)
		show(out, answer)
		if answer.Call == nil {
			return nil
		}
		text, err := tools.Call(ctx, answer.Call.Tool, answer.Call.Arguments)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			text = err.Error() // it says what to do instead, and the model may try that
		}
		messages = append(messages, message{Role: "tool", Text: text})
		show(out, messages[len(messages)-1])
	}
	return fmt.Errorf("no end after %d turns", maxTurns)
}

func show(out io.Writer, m message) {
	if m.Call != nil {
		fmt.Fprintf(out, "%s calls %s %s\n", m.Role, m.Call.Tool, m.Call.Arguments)
		return
	}
	fmt.Fprintf(out, "%s: %s\n", m.Role, m.Text)
}

// scripted is a model that knows what it wants. It is wrong once, and helped by the answer.
func scripted(_ string, tools []atskills.ToolDefinition, messages []message) message {
	if len(tools) == 0 {
		return message{Role: "assistant", Text: "I have no skill for that."}
	}
	wishes := []call{
		{atskills.ActivateTool, json.RawMessage(`{"name":"ship"}`)},
		{atskills.ActivateTool, json.RawMessage(`{"name":"deploy"}`)},
		{atskills.ReadFileTool, json.RawMessage(`{"name":"deploy","path":"references/rollback.md"}`)},
	}
	if done := len(messages) / 2; done < len(wishes) {
		return message{Role: "assistant", Call: &wishes[done]}
	}
	return message{Role: "assistant", Text: "Version 1.4 is out, and I know how to go back."}
}

// project has one resident skill, in memory.
func project() (fsys billy.Filesystem, err error) {
	fsys = fsx.Locked(memfs.New())
	for name, text := range map[string]string{
		"deploy/SKILL.md":               "---\nname: deploy\ndescription: Ships a build. Use when a release is due.\n---\nRead references/rollback.md, then tag.\n",
		"deploy/references/rollback.md": "Tag the version before, and tell the others.\n",
		atskills.TriggerFile:            "deploy\n",
	} {
		err = errors.Join(err, fsx.WriteFile(fsys, atskills.Dir+"/"+name, []byte(text), 0o644))
	}
	return fsys, err
}
