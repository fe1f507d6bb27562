package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/hub"
)

// env is what the library may touch on this machine. Progress goes to bar, nowhere when it is nil.
func (h host) env(bar *progress) atskills.Env {
	opts := git.Options{BaseURL: h.getenv("ATSKILLS_GITHUB"), Host: h.git}
	if bar != nil {
		opts.Progress = bar.update
	}
	upstream := transport.Mux{GitHub: git.New(opts), Hub: h.hub(bar)}
	return atskills.Env{Project: fsx.OS(h.project()), Cache: h.cache, Transport: upstream}
}

// project is the nearest directory at or above the working directory that holds .atskills/, else the working directory.
func (h host) project() string {
	for dir := h.dir; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, atskills.Dir)); err == nil && info.IsDir() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return h.dir
		}
	}
}

// hub is the transport of hub: ids, nil when no hub is configured. The token is read anew for each request.
func (h host) hub(bar *progress) transport.Transport {
	base := h.getenv("ATSKILLS_HUB")
	if base == "" {
		return nil
	}
	opts := hub.Options{Token: func(context.Context) (string, error) { return h.getenv("ATSKILLS_HUB_TOKEN"), nil }}
	if bar != nil {
		opts.Progress = bar.files
	}
	t, err := hub.New(base, opts)
	if err != nil {
		return badHub{err}
	}
	return t
}

// badHub stands where the setting for a hub is no address: only hub: ids fail for it, not every command.
type badHub struct{ err error }

func (b badHub) Head(_ context.Context, id skill.ID) (transport.Head, error) {
	return transport.Head{}, b.refuse("probe", id)
}

func (b badHub) Open(_ context.Context, _ transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	return nil, b.refuse("list", ids[0])
}

func (b badHub) refuse(op string, id skill.ID) error {
	return &transport.Error{
		Op: op, URL: id.String(), Kind: transport.ErrNotConfigured, Err: b.err,
		Hint: "correct ATSKILLS_HUB, or use the skill's gh: id",
	}
}
