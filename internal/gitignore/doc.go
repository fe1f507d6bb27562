// Package gitignore decides which paths a list of gitignore lines ignores, exactly as git does: plain lines of
// .autotrigger mean what git means (T3, T4), so `git check-ignore --no-index` with core.ignorecase=false is the judge of
// every sentence below.
//
// # Lines
//
// A line is given without its line end, its byte order mark and, where the file has CRLF, its carriage return: those are
// the caller's. What is left is read as bytes; nothing is decoded or folded, so letters differ by case and a character of
// several bytes is several bytes.
//
//   - A line ends at its first NUL byte. Spaces at the end are dropped unless a backslash stands before them; tabs and
//     every other byte stay.
//   - An empty line and a line whose very first byte is "#" match nothing. White space at the beginning is part of the
//     pattern, so "  #x" is a pattern.
//   - One leading "!" makes the line a negation: what it matches is taken back. A second one is an ordinary byte.
//   - One trailing "/" is dropped and makes the line match directories only.
//   - A line that still holds a "/", be it in a class or escaped, is matched against the whole path; one leading "/" is
//     dropped first. Any other line is matched against the last name of the path, at every depth.
//
// # Patterns
//
//   - "?" matches one byte and "*" any number of bytes, none included; neither matches "/".
//   - "\" makes the next byte an ordinary one. A line that ends in a lone backslash matches nothing.
//   - "[...]" matches one byte that is not "/". "!" or "^" right after the bracket negates. A "]" that comes first is an
//     ordinary byte; a class that is never closed makes the line match nothing. "a-c" is a range of bytes, and its first
//     byte belongs to the class even when the range runs backwards; "-" is ordinary at either end of the class and right
//     after a range or a named class. A backslash escapes, also at the ends of a range.
//   - "[:alpha:]" and its eleven siblings name ASCII bytes within a class; space is blank, tab, line feed and carriage
//     return alone. An unknown name makes the line match nothing. "[:" is a name only where the next "]" follows a ":".
//   - Two or more stars in a row that are a whole component are a gap. "**/" matches any number of components with their
//     slashes, none included; "**\/" at least one; "**" at the end matches whatever is left. Anywhere else they are one
//     star.
//   - The bytes before the first of "*", "?", "[" and "\" are compared as they are, and what follows is matched on its own
//     against the rest of the path. So a gap right after them counts as a whole component: "foo**/bar" matches "foobar",
//     "foo/bar", "fool/bar" and "fool/x/bar".
//
// # Verdicts
//
// For one path the last line that matches decides. Ancestors are asked first, from the top, as directories; the first
// that is ignored decides for everything below it, and no later line takes that back. An ancestor that is taken back
// decides nothing about what is below it.
//
// # Cost
//
// Matching allocates nothing. A line costs at most a small constant times the product of its length and the path's, for
// every line and path: stars and gaps are left for good once a later one is reached.
package gitignore
