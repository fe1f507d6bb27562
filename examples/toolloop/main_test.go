package main

import (
	"os"
	"strings"
	"testing"

	"github.com/atskills-go/atskills"
)

// The conversation, word for word: a wrong name is answered with those that exist, a right one with the skill.
func TestConversation(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/conversation.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, scripted); err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("conversation:\n%s\nwant:\n%s", out.String(), want)
	}
}

// The model sees the block and both tools, with the resident names as the only choice.
func TestOffered(t *testing.T) {
	t.Parallel()
	var system string
	var tools []atskills.ToolDefinition
	end := func(s string, offered []atskills.ToolDefinition, _ []message) message {
		system, tools = s, offered
		return message{Role: "assistant", Text: "Done."}
	}
	if err := run(t.Context(), &strings.Builder{}, end); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(system, "\n- deploy: Ships a build.") || len(tools) != 2 ||
		tools[0].Name != atskills.ActivateTool || tools[1].Name != atskills.ReadFileTool {
		t.Errorf("offered %q and %v", system, tools)
	}
}

// A model that never ends is ended.
func TestEndless(t *testing.T) {
	t.Parallel()
	again := func(string, []atskills.ToolDefinition, []message) message {
		return message{Role: "assistant", Call: &call{Tool: "nothing", Arguments: []byte("{}")}}
	}
	if err := run(t.Context(), &strings.Builder{}, again); err == nil {
		t.Error("no error")
	}
}
