//go:build !js

package fsx

import (
	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
)

// osTraits recognises billy's own disk file systems.
func osTraits(fsys billy.Basic, t *traits) {
	switch fsys.(type) {
	case *osfs.BoundOS:
		t.renamesDirs, t.concurrent, t.keepsLinks = true, true, true
	case *osfs.ChrootOS: //lint:ignore SA1019 it is still what osfs.New returns
		t.renamesDirs, t.concurrent = true, true
	}
}
