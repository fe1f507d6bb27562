// Package intest is a harness in little, and agent_test.go beside it the unit test of one: the project and the cache are
// memory, upstream is made of text, and nothing needs a network. What is tested is the harness's own doing, when it reads
// what, and what it does when upstream is gone.
package intest

import (
	"context"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/transport"
)

// Agent is the part of a harness that deals with skills. It belongs to one session and one goroutine.
type Agent struct {
	env    atskills.Env
	system string
}

// NewAgent starts a session: what is asked of upstream once is not asked again before it ends (C12).
func NewAgent(ctx context.Context, env atskills.Env, system string) (*Agent, error) {
	if env.Transport != nil {
		env.Transport = transport.Memo(env.Transport)
	}
	a := &Agent{env: env, system: system}
	_, err := atskills.Residency(ctx, env)
	return a, err
}

// System is the system prompt of the next turn.
func (a *Agent) System(ctx context.Context) (string, error) {
	block, err := atskills.Residency(ctx, a.env)
	if err != nil || block.Text == "" {
		return a.system, err
	}
	return a.system + "\n\n" + block.Text, nil
}

// Turn is what a model gets for a person's message: the message, and behind the lines with references what they resolved
// to, or why they did not.
func (a *Agent) Turn(ctx context.Context, text string) string {
	return atskills.Expand(ctx, a.env, text, atskills.ExpandOptions{}).Message
}
