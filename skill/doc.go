// Package skill knows addresses and the form of a skill, and touches nothing outside memory: no file system, no
// network, no clock. Everything in it is a function of its arguments and may be called from any number of goroutines.
//
// # Addresses
//
// A skill is a folder that holds [SkillFile]; a collection is a folder without one that has skills below it. Both are
// addressed by path, and three kinds of path exist, told apart by a marker (G2):
//
//	gh:owner/repo/sub...   a repository on GitHub, or a folder in it
//	hub:owner/name         an entry of the hub
//	team/deploy            a folder of the project, which never reaches the network
//
// An [ID] is the canonical form: one address, one id, whatever spelling led there. Every id has three spellings, and a
// function that reads each back:
//
//	ID.String     gh:o/r/API Gateway     [ParseID]        metadata and stamps: decoded, exact
//	ID.Reference  gh:o/r/API%20Gateway   [ParseRef]       sentences and menus: no white space, no second meaning
//	ID.DiskPath   gh/o/r/API Gateway     [ParseDiskPath]  below .atskills/ and the cache root; injective
//
// A [Ref] is what a person wrote: an id, suffixes, a trailing slash, and the branch when the text was an address copied
// from a browser. [ParseRef] reads all of these as gh:anthropics/skills/skills/pdf:
//
//	@skills:gh:anthropics/skills/skills/pdf:save
//	GH:anthropics/skills/skills/pdf/
//	gh/anthropics/skills/skills/pdf/SKILL.md
//	https://github.com/anthropics/skills/tree/main/skills/pdf?tab=readme#usage
//	@skills:github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md
//
// Upper and lower case count behind gh:. They do not in hub: paths, which are lower-cased, and a bare path stands for
// the folder of its exact spelling before the lower-cased one; [Ref.IDs] lists both (G3). Unicode is taken as given and
// never normalised, as git does. Ids that differ in case or normalisation alone share a folder on file systems that do
// not tell them apart.
//
// A segment is refused only when it cannot be a folder's name on any system (G7). What only some system cannot store,
// such as a colon on Windows, is for the code that stores it to report. No id leaves the folder it is joined to.
//
// # The leaf rule
//
// [Walk] finds the skills below a folder through a function that lists one folder at a time; [Leaves] finds them in an
// upstream's listing. Both are the same walk (W5), so that what is counted before a fetch is what is found after it.
//
// # Messages
//
// [Mentions] finds the references in what a person wrote, with their places, code left out (G10).
//
// # The file
//
// [Parse] reads SKILL.md: one reading for hosts, which repairs and reports, and in [Document.Strict] the one an author's
// checks run.
//
// [Compose] writes a new one.
//
// # Catalogs
//
// A host that shows every skill to its model puts those it found into a [Registry], which decides between equal names,
// and shows its [Catalog] as XML, JSON or a list. [Activations] hands out a skill that the model asked for.
//
// # Bounds
//
// Input is hostile. A reference has at most [MaxReference] bytes and [MaxSegments] segments; a walk goes
// [MaxWalkDepth] folders deep and reads [MaxWalkNodes] entries. Errors say what to write instead, and never repeat a
// password that stood in an address (X5).
package skill
