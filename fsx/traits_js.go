package fsx

import "github.com/go-git/go-billy/v5"

// osTraits recognises nothing: billy has no disk on js.
func osTraits(billy.Basic, *traits) {}
