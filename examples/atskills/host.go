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
)

// env is what the library may touch on this machine. Progress goes to bar, nowhere when it is nil.
func (h host) env(bar *progress) atskills.Env {
	opts := git.Options{BaseURL: h.getenv("ATSKILLS_GITHUB"), Host: h.git}
	if bar != nil {
		opts.Progress = bar.update
	}
	upstream := transport.Mux{GitHub: git.New(opts)}
	if h.getenv("ATSKILLS_HUB") != "" {
		upstream.Hub = unreadHub{}
	}
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

// unreadHub stands where a hub is configured: this program has no hub client, and says so instead of leaving the
// setting without effect. Nothing is sent to the hub, the token least of all.
type unreadHub struct{}

func (unreadHub) Head(_ context.Context, id skill.ID) (transport.Head, error) {
	return transport.Head{}, unread("probe", id)
}

func (unreadHub) Open(_ context.Context, _ transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	return nil, unread("list", ids[0])
}

func unread(op string, id skill.ID) error {
	return &transport.Error{
		Op: op, URL: id.String(), Kind: transport.ErrNotConfigured,
		Hint: "ATSKILLS_HUB is set, but this build of the program reads no hub; use the skill's gh: id",
	}
}
