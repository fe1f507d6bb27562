package main

import "strings"

// commands are the commands by name, in the order of the overview.
var commands = strings.Fields(`get save diff remove approve install uninstall skills toggle triggers prompt lint paths validate
	catalog audit new skill help version`)

// helpTexts holds the help on each command, and the overview under "".
var helpTexts = map[string]string{
	"": `atskills reads agent skills by reference.

Usage: atskills <command> [flags] [arguments]

Commands:
  get <ref>...        print skills and menus
  save <ref>...       copy skills into the project, to adapt and own
  diff <ref>          show what changed in a saved copy, and upstream since
  remove <ref>...     delete a saved copy
  approve <ref> <script>
                      tell whether a person has to agree before a script runs; --yes records it
  install <ref>...    make skills fire on their own, by a line in .atskills/.autotrigger
  uninstall <ref>...  end that
  skills              show the project's skills as a tree; -i to turn them on and off with keys
  toggle <row>...     turn a row of the tree on or off, and nothing else
  triggers            show what each line of .autotrigger brings, and what it costs
  prompt              print the resident block, for a system prompt
  lint                tell what is wrong with .autotrigger
  paths               check references, one a line on standard input
  validate <dir>      check a skill, or the skills below a folder, and repair what can be
  catalog [dir]       print the names, descriptions and locations of skills, for a system prompt
  audit [dir]         sum up the skills below a folder
  new <path>          write a skill that validates into the project
  skill               print the page that tells an agent how to use this program
  help [command]      show this, or the help on a command
  version             show the version

References:
  deploy                     the project's own skill in .atskills/deploy; no network
  gh:owner/repo/path         a skill, or a menu of the skills below a folder, on GitHub
  https://github.com/o/r/... the same, as copied from a browser
  hub:owner/name             an entry of a hub
  A leading @skills: is optional.

The project is the nearest directory at or above the working directory that holds .atskills/, else the working
directory itself.

Environment:
  ATSKILLS_CACHE      the cache's directory; default $XDG_CACHE_HOME/atskills, else ~/.cache/atskills
  ATSKILLS_GITHUB     the base address for gh:, for GitHub Enterprise; default https://github.com
  ATSKILLS_HUB        the base address for hub:; without it, hub: references fail and nothing else does
  ATSKILLS_HUB_TOKEN  the token for that hub; sent to its host alone, over https or to this machine
  NO_COLOR            respected: nothing is coloured

Exit codes: 0 done; 1 something asked for could not be had or done, a reference that is none included; 2 wrong usage.
2 is also a line of paths that is no reference, and a file or folder to check that is not there.
`,
	"get": `Usage: atskills get [--json|--prompt] [--upstream] <ref>...

Prints what each reference addresses: a skill's text, or a menu of the skills below a folder or in a playlist, one row
each, "id: description". Everything else goes to standard error: what was read, from where, how the cache answered, how
many lines, the bundled files, the page to review it, warnings. The text is not changed, but for control characters,
which are left out on a terminal.

Several references are read together and printed in the order given, each in a frame whose last line does not occur in
its content. One failure does not stop the others; the exit code is then 1.

  --json      print one object a reference, one on each line, in the order given
  --prompt    print the frame for a single reference too: the form for a model's context
  --upstream  skip the project's own copies of gh: and hub: references, to see what upstream has now

The object: id, kind (skill|menu), name, description, source (local|github|hub), served (local|fresh|cached|stale),
revision, fetchedAt, path, dir, content, files, entries [{id, name, description, path, bundle, whole}], playlist,
visibility (public|private), reviewURL, warnings [{code, message}]. A playlist is a menu whose rows stand elsewhere: in
its own order, without path and bundle; whole says that a row means a whole directory. Arrays are never null; what is
unknown is "". The id at the top is the canonical one;
those of entries and suggestions are in reference spelling, ready to be used. The two differ only where a name holds
white space or punctuation.

A failure: {"error": {code, message, ref, ...}}, exit code 1; the message goes to standard error too. The codes, and
what they add:
  invalid_reference
  not_found       looked, there, near, hint; cause when it is the whole repository
  too_large       count, limit, bytes (when known), suggestions [{id, count}]; a playlist counts rows, and count is 0
                  for a suggestion of one
  no_access       cause, hint
  unreachable     cause (dns|tls|refused|timeout|network|server|throttle|redirect), hint
  not_configured  hint
  no_revision     cause, hint
  protocol        cause, hint
  limit           what, max, field
  cache_in_tree, locked, cancelled, internal
`,
	"paths": `Usage: atskills paths

Reads references from standard input, one a line, and prints one JSON object for each, in order:

  {"path": "the line", "ok": true, "id": "its canonical id", "error": ""}

Blank lines are skipped. A line may hold white space inside; a line of more than 1 MiB is an error of its own. Only the
grammar is checked: no file and no network is touched. The exit code is 2 when any line is no reference.
`,
	"save":      saveHelp,
	"diff":      diffHelp,
	"remove":    removeHelp,
	"approve":   approveHelp,
	"install":   installHelp,
	"uninstall": uninstallHelp,
	"toggle":    toggleHelp,
	"skills":    skillsHelp,
	"triggers":  triggersHelp,
	"prompt":    promptHelp,
	"lint":      lintHelp,
	"validate":  validateHelp,
	"catalog":   catalogHelp,
	"audit":     auditHelp,
	"new":       newHelp,
	"skill": `Usage: atskills skill

Prints SKILLS.md, one page that makes an agent with a shell and files a client of the protocol: put it into the agent's
instructions.
`,
	"help": `Usage: atskills help [command]

Shows the help on a command, or the overview.
`,
	"version": `Usage: atskills version

Shows the version of the program, of Go, and the platform.
`,
}

// usage tells a command's usage, the overview's when name is "", on standard error.
func (o *output) usage(name string) {
	o.say("usage: %s", usageLine(name))
	if name == "" {
		o.say("commands: %s; \"atskills help\" says more", strings.Join(commands, ", "))
		return
	}
	o.say("\"atskills help %s\" says more", name)
}

// usageLine is what the help on a command says about its usage, which may take several lines there.
func usageLine(name string) string {
	_, text, _ := strings.Cut(helpTexts[name], "Usage: ")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(text), " ")
}
