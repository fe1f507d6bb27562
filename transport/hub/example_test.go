package hub_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// A team serves its skills, and an agent reads one of them. What the board owns exists for who has its token alone.
func Example() {
	tree := fsx.Locked(memfs.New()) // fsx.OS(dir) serves a folder
	for name, text := range map[string]string{
		"acme/notes/SKILL.md": "---\nname: notes\ndescription: Takes notes.\n---\nWrite down what was decided.\n",
		"board/plan/SKILL.md": "---\nname: plan\ndescription: Plans the year.\n---\nFor the board alone.\n",
	} {
		if err := fsx.WriteFile(tree, name, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	handler, err := hub.Handler(tree, hub.HandlerOptions{Private: map[string][]string{"board": {"the-token"}}})
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(handler) // hub.NewServer has the time limits of a real one
	defer server.Close()

	for _, token := range []string{"", "the-token"} {
		client, err := hub.New(server.URL, hub.Options{
			Token: func(context.Context) (string, error) { return token, nil },
		})
		if err != nil {
			panic(err)
		}
		env := atskills.Env{Cache: fsx.Locked(memfs.New()), Transport: transport.Mux{Hub: client}}
		for _, o := range atskills.ResolveAll(context.Background(), env, []string{"hub:acme/notes", "hub:board/plan"}) {
			if o.Err != nil {
				fmt.Println(o.Ref, "is missing or private")
				continue
			}
			fmt.Println(o.Ref, o.Resolution.Description)
		}
	}
	// Output:
	// hub:acme/notes Takes notes.
	// hub:board/plan is missing or private
	// hub:acme/notes Takes notes.
	// hub:board/plan Plans the year.
}
