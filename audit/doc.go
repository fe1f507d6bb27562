// Package audit checks skills the way an author's continuous integration does: [Validate] one folder, [Tree] every
// skill below one, and [Fix] repairs what can be repaired without judgement.
//
// It is the strict reading of package skill, which knows the text of SKILL.md, and beside it what only the folder
// shows: the files that are referenced, links, names that not every system can hold, scripts, and size. The findings
// about the text are those of skill.Document.Strict, unchanged. Those about the folder are warnings where something may
// not work elsewhere and advice where it is a matter of taste, so that by default the text alone decides what fails;
// [Options.Severity] moves any code.
//
// Nothing is written and nothing outside of the file system given is read; calls are as safe for concurrent use as
// that file system. What is read is bounded: skill.MaxFile bytes of a SKILL.md, 20,000 entries of a folder, and of every
// other file that is looked into at most 64 KiB.
package audit
