package transporttest_test

import (
	"context"
	"fmt"
	"io"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func Example() {
	upstream, err := transporttest.NewUpstream(`
-- acme/skills/deploy/SKILL.md --
Ships a build.
-- acme/skills/deploy/run.sh (executable) --
#!/bin/sh
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fake := transporttest.NewFake(upstream)
	counter := transporttest.NewCounter(fake)
	if err := list(counter); err != nil {
		fmt.Println(err)
	}
	fake.SetOffline(true)
	fmt.Println(list(counter))
	fmt.Printf("%+v\n", counter.Counts())
	// Output:
	// SKILL.md file: Ships a build.
	// run.sh executable file: #!/bin/sh
	// probe fake://gh/acme/skills: unreachable: the fake is offline
	// {Probes:2 Opens:1 Fetches:1 Bodies:2 BodyBytes:25 Branches:0 Searches:0}
}

// list prints every file of gh:acme/skills/deploy.
func list(t transport.Transport) error {
	ctx := context.Background()
	id, err := skill.ParseID("gh:acme/skills/deploy")
	if err != nil {
		return err
	}
	head, err := t.Head(ctx, id)
	if err != nil {
		return err
	}
	snapshot, err := t.Open(ctx, head.Revision, id)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	tree, err := snapshot.Tree(id)
	if err != nil {
		return err
	}
	return snapshot.Fetch(ctx, tree.Entries, func(e transport.Entry, body io.Reader) error {
		text, err := io.ReadAll(body)
		fmt.Printf("%s %s: %s", e.Path, e.Mode, text)
		return err
	})
}
