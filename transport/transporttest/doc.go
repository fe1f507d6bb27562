// Package transporttest has upstreams for tests and demonstrations: repositories made from text, served in memory or
// over HTTP on loopback, and the suite every transport runs.
//
// An [Upstream] is a set of repositories with dated commits. A [Fake] serves it as a transport without any protocol
// between; a [Server] speaks git's smart HTTP to real clients, ours and git's own. A [Counter] counts what a caller
// asks of any transport, and [Test] is the conformance suite. Nothing here needs a *testing.T but the suite.
//
// # Archive format
//
// [NewUpstream] reads a txtar archive. A file's name is its repository, two segments, and its path in there:
//
//	-- acme/skills/deploy/SKILL.md --
//	---
//	name: deploy
//	description: Ships a build.
//	---
//	-- acme/skills/deploy/run.sh (executable) --
//	#!/bin/sh
//	-- acme/skills/latest (symlink) --
//	deploy
//	-- acme/skills/vendored (submodule) --
//	0123456789012345678901234567890123456789
//	-- == acme/skills 2026-02-01T12:00:00Z --
//	the message of the second commit
//	-- acme/skills/deploy/run.sh (deleted) --
//	-- == acme/empty --
//	-- hub:acme/notes/SKILL.md --
//	...
//
// Files before the first header of their repository make its first commit, on branch main. A header, "== " and the
// repository, begins the next commit: files named after it are added or replaced, those marked (deleted) go, alone or as
// a whole folder. The header's date is optional; a commit without one is dated a day after the one before it, and the
// first 2026-01-01. A header with a date and no files is a commit that changes nothing; one without date and files only
// declares the repository, which stays empty. A symlink's or submodule's body is its one line without the line break.
//
// A repository whose name begins with "hub:" is a hub entry, which a [Server] does not serve. One whose only file is
// called .playlist is a playlist (H5):
//
//	-- hub:acme/starter/.playlist --
//	name: Starter
//	description: What everybody needs.
//
//	# a comment
//	gh:acme/skills/deploy Ships a build.
//	gh:acme/skills/team/
//	hub:acme/notes
//
// After the two optional header lines each line has a reference and what the list says of it. A reference that ends in a
// slash means the whole directory, and one without a marker is a hub id. Blank lines and comments do not count; a line
// that begins with no reference is told in the tree's Skipped.
//
// Author and dates are fixed, so the same archive has the same hashes on every machine, and a Fake's revisions are
// those of a Server.
package transporttest
