// Package atskills makes agent skills usable by path: the @skills protocol as pure functions over file systems and a
// transport.
//
// A skill is a folder that holds SKILL.md; a collection is a folder without one that has skills below it. A reference
// addresses either: @skills:deploy is the project's own, @skills:gh:owner/repo/path is on GitHub, @skills:hub:owner/name
// on a hub. Three decisions are kept apart:
//
//   - reading ([Resolve], [ResolveAll]) puts a skill's text where it is used and leaves nothing behind but a cache;
//   - saving ([Save], [Remove], [Diff], [Verify], [Origin]) copies it into the project's .atskills/ tree, to adapt and own;
//   - triggering ([Install], [Uninstall], [Toggle], [ReadTree], [Lint]) is one line in .atskills/.autotrigger, and only
//     what such lines select costs resident prompt: the string that [Residency] computes.
//
// There is no manifest, lockfile or registration.
//
// # In a host
//
// An agent needs three calls. [Expand] takes a person's message and gives back the message with the skills it refers to;
// its suffixes :save and :install are acted on. [Residency] gives the string to append to the system prompt. Around a
// session, [transport.Memo] makes both ask each repository once:
//
//	env.Transport = transport.Memo(env.Transport)       // a session begins
//	block, err := atskills.Residency(ctx, env)          // system += block.Text
//	turn := atskills.Expand(ctx, env, message, atskills.ExpandOptions{}) // user = turn.Message
//
// For more there are [Renderer] (other frames, a ceiling), [NewTools] (tools for a model without file access),
// [NeedsApproval] and [Approve] (scripts of cloud skills), [NewIndex] (completion), [References], and the Logger and
// Events of [Env]. The page docs/integration.md has the whole.
//
// Numbers such as R4 in this documentation are rules of the protocol; docs/protocol.md lists them.
//
// # What is read and written
//
// Every call takes an [Env]: the project's file system, the cache's, a [Transport], a clock, and functions that listen.
// Nothing else is touched; there are no globals, no environment variables and no printing, so each call is a function of
// those and runs the same over an in-memory file system. Save and Remove write to the project's .atskills/ folder,
// Install, Uninstall and Toggle to .atskills/.autotrigger, and Expand to both where suffixes ask for it; what reads does so
// only to undo a save that was interrupted.
// All of them write to the cache, whose layout other clients of the protocol on the same machine share:
//
//	<root>/gh/owner/repo/path/...   content
//	<root>/.meta/<hash>.json        id, revision, fetchedAt, and what this package adds
//
// An entry answers for the site alone that it was read from, a hub or a GitHub of one's own: see [transport.Sited].
// Everything in the cache may be deleted at any time. What is lost with it besides time: the confirmations of scripts, and
// what [Block.Drift] compares with.
//
// # How upstream is asked
//
// The project's folder at an id's own path always answers first, without a request. Otherwise each use of a marked id
// asks its repository once for its revision; an unchanged one is served from the cache, a changed one is listed without
// bodies, counted against the cap of [MaxSkills], and then only the bodies that are nowhere on disk move. When upstream
// does not answer, a cached copy does, marked stale; [Resolution.Served] and [Resolution.Warnings] say so.
//
// # Errors
//
// A failure is an error with a type or a sentinel, never a shorter result: see [Resolve]. What is served although
// something was wrong on the way is a result with warnings, or notes where there are many results in one.
//
// # Concurrency
//
// All functions may be called from several goroutines and processes at once, over one cache, when the file systems
// allow it: the operating system's do; wrap an in-memory one with fsx.Locked.
package atskills
