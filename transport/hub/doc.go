// Package hub is the transport of hub: ids, and a mirror that serves them.
//
// A hub finds, hosts and shares skills and is never required (H1): gh: ids and the project's own skills do not touch it.
// It is a set of plain GETs that any web server can answer (H2), below one base address:
//
//	<base>/<owner>/<name>          the SKILL.md, as it stands
//	<base>/<owner>/<name>?files    JSON array of {path, size, mode, sha256}: the bundle, SKILL.md included
//	<base>/<owner>/<name>/<path>   a bundled file
//	<base>?prefix=<owner>/<name>/  JSON array of {path, name, description}: a playlist
//
// The revision is the strong ETag of the first or the last of these, which changes with every file of the skill, else the
// SHA-256 of what was served (H3): of SKILL.md, or of the list of the files where there is one, since of SKILL.md alone a
// change beside it would never show. A request with "?rev=<ETag>" asks for that revision and no other; a hub without
// history may ignore it, and the client notices. A hub whose ETag is another with each answer has no revision that could be
// read. A revision is spelled as its ETag without the quotes, which it keeps when it begins with "sha256:", as digests do.
//
// A hub without listings may ignore "?files", or answer 404 or 400: its skills are SKILL.md alone. One that has them says so
// with the SKILL.md, by the header "Atskills-Files: <n>", the number of files in the list: 1 saves the client the question,
// and with more, as of a hub that listed any skill before, no listing or one of another length is a hub between two states
// and never a skill of one file. A menu of more than 128 rows may be refused with 413 and the JSON object {count}, the
// number of its rows: a [*transport.TooManyError].
//
// # Client
//
// [New] returns a [Hub], the transport of hub: ids. A probe is one GET, conditional where the caller has a copy; of a hub
// without validators it is two, with the question for the list, and one when that is announced as a single file. A playlist
// takes one more, since its id is asked for as a skill first. What a probe brought is kept in a small memory, so that a skill
// read for the first time costs a GET for SKILL.md, one for the listing and one for each bundled file. Nothing is written.
// Bodies are checked against the digests of the listing before their last byte is handed on.
//
// Answers are hostile until checked: everything read has a limit (see [transport.Limits], AnswerBytes above all), names
// go through the grammar, references in a playlist too (H5), and a web page in place of a skill is an error that says who
// answered. A token comes from a function that is called for each request, goes to the host of the base address and to
// no other, never over plain http unless to this machine (H6), and appears in no error (X5).
//
// # Mirror
//
// The handler of this package serves the same GETs from a tree of skill folders and playlists, so that a team can run a
// hub of its own. It keeps no state: any number of them may stand behind a caching proxy.
package hub
