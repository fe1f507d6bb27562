package skill

import (
	"fmt"
	"slices"
	"strings"
)

const githubHost = "github.com"

// isAddress reports whether path, what follows the marker if there is one, is an address and not a path of segments:
// it has a scheme, or its first segment reads as github.com or as something meant to look like it (G5).
func isAddress(path string) bool {
	return hasScheme(path) || readsAsHost(firstSegment(path))
}

// setAddress reads an address copied from a browser or a terminal (G5).
func (r *Ref) setAddress(s string) error {
	a, err := parseAddress(s)
	if err != nil {
		return err
	}
	var path string
	path, r.Dir = strings.CutSuffix(a.path, "/")
	if path == "" {
		return fmt.Errorf("the address names no repository; a repository is https://%s/<owner>/<repo>", githubHost)
	}
	segs := dropSkillFile(strings.Split(path, "/"), 2)
	if slices.Contains(sitePages, segs[0]) {
		return fmt.Errorf("%s/%s is a page of the site, not a repository", githubHost, path)
	}
	if a.isClone(segs) {
		return r.setClone(segs, a.fragment)
	}
	if len(segs) > 3 && slices.Contains(refPages, segs[2]) {
		return r.setBranch(segs)
	}
	if len(segs) > 2 && (slices.Contains(repoPages, segs[2]) || slices.Contains(refPages, segs[2])) {
		return fmt.Errorf("%s/%s is a page of the repository, not a folder; a folder of that name is gh:%s",
			githubHost, path, path)
	}
	return r.setRepository(segs)
}

// setClone reads the address a repository is cloned from. Tools write a branch behind it as a fragment, where a
// page's fragment is a heading.
func (r *Ref) setClone(segs []string, fragment string) error {
	if fragment != "" {
		if err := r.takeBranch(fragment); err != nil {
			return err
		}
	}
	return r.setRepository(segs)
}

// Pages of a repository that show a folder or file at a branch, tag or commit.
var refPages = []string{"tree", "blob", "raw", "blame", "edit", "commit", "commits"}

// Pages of a repository that show no folder. What is in neither list is taken for a path someone wrote by hand.
var repoPages = []string{
	"actions", "activity", "archive", "branches", "compare", "contributors", "deployments", "discussions", "find",
	"forks", "graphs", "issues", "labels", "milestone", "milestones", "network", "packages", "projects", "pull",
	"pulls", "pulse", "releases", "search", "security", "settings", "stargazers", "tags", "watchers", "wiki",
}

// Names GitHub keeps for itself where an owner stands.
var sitePages = []string{
	"apps", "collections", "enterprise", "explore", "features", "login", "marketplace", "notifications", "orgs",
	"pricing", "search", "settings", "sponsors", "topics", "trending", "users",
}

// address is an address of github.com, taken apart but not decoded.
type address struct {
	ssh      bool // the ssh:// or host:path form, which only clones
	path     string
	fragment string
}

// isClone reports whether the address is one to clone from and names no folder.
func (a address) isClone(segs []string) bool {
	return len(segs) == 2 && (a.ssh || strings.HasSuffix(segs[1], ".git"))
}

// parseAddress takes s apart and refuses every host but github.com, and every userinfo but the "git@" of ssh.
func parseAddress(s string) (address, error) {
	scheme, rest := cutScheme(s)
	if !slices.Contains([]string{"", "http", "https", "ssh"}, scheme) {
		return address{}, fmt.Errorf("addresses of the form %s:// are not read; write gh:<owner>/<repo>/<path>", scheme)
	}
	authority, path := cutPath(rest)
	user, host, port, err := cutAuthority(scheme, authority, path)
	if err != nil {
		return address{}, err
	}
	a := address{ssh: scheme == "ssh" || user != "", path: strings.TrimPrefix(path, "/")}
	if scheme == "" && port != "" && !isNumber(port) {
		// host:owner/repo, the short form of ssh.
		a.ssh, a.path, port = true, port+path, ""
	}
	if !knownHost(host, scheme) || !knownPort(port, scheme) {
		return address{}, hostError(host, port, a.path)
	}
	a.path, a.fragment = cutQuery(a.path)
	return a, nil
}

// cutAuthority splits user@host:port and refuses what may be a secret (X5). path is what follows.
func cutAuthority(scheme, authority, path string) (user, host, port string, err error) {
	i := strings.LastIndexByte(authority, '@')
	host = authority[i+1:]
	if i >= 0 {
		user = authority[:i]
	}
	host, port, _ = strings.Cut(host, ":")
	// A password with a slash in it ends the authority early, and what reads as the host is part of the secret.
	odd := i >= 0 || !isNumber(port) || strings.Contains(strings.ToLower(path), "@"+githubHost)
	if odd && strings.Contains(path, "@") && !knownHost(host, scheme) {
		return "", "", "", ErrUserinfo
	}
	if i < 0 || user == "git" && (scheme == "" || scheme == "ssh") {
		return user, host, port, nil
	}
	if !knownHost(host, scheme) {
		return "", "", "", &HostError{Host: shorten(host)}
	}
	return "", "", "", ErrUserinfo
}

// knownHost reports whether host is GitHub's. Comparing the whole name is what makes look-alikes other hosts.
func knownHost(host, scheme string) bool {
	if scheme != "ssh" && len(host) > 4 && strings.EqualFold(host[:4], "www.") {
		host = host[4:]
	}
	return strings.EqualFold(host, githubHost)
}

// knownPort reports whether port is the usual one of scheme.
func knownPort(port, scheme string) bool {
	switch port {
	case "":
		return true
	case "443":
		return scheme == "https" || scheme == ""
	case "80":
		return scheme == "http"
	case "22":
		return scheme == "ssh"
	}
	return false
}

// hostError names the host and, for the host of raw files, the page that shows the same file.
func hostError(host, port, path string) error {
	e := &HostError{Host: shorten(host)}
	if port != "" && isNumber(port) {
		e.Host += ":" + port
	}
	path, _ = cutQuery(path)
	segs := strings.SplitN(path, "/", 3)
	if strings.EqualFold(host, "raw.githubusercontent.com") && len(segs) == 3 {
		e.Try = fmt.Sprintf("https://%s/%s/%s/blob/%s", githubHost, segs[0], segs[1], segs[2])
	}
	return e
}

// cutPath splits what follows a scheme into the authority and the rest.
func cutPath(s string) (authority, path string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutQuery removes query and fragment, and returns the fragment.
func cutQuery(path string) (rest, fragment string) {
	path, fragment, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return path, fragment
}

// hasScheme reports whether s begins with a scheme and "://".
func hasScheme(s string) bool {
	scheme, _ := cutScheme(s)
	return scheme != ""
}

// cutScheme splits "scheme://rest", the scheme in lower case; without one it returns "" and s.
func cutScheme(s string) (scheme, rest string) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme == "" {
		return "", s
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		if ('a' > c || c > 'z') && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(scheme[i]))) {
			return "", s
		}
	}
	return strings.ToLower(scheme), rest
}

// readsAsHost reports whether seg, the first segment of something without a scheme, holds github.com where a person
// would read a host: alone, or before or behind something that makes it another host or an account. A folder called
// github.common-lisp is none of these.
func readsAsHost(seg string) bool {
	return hostEnd(seg) > 0
}

// hostEnd returns the offset behind the first github.com in seg that reads as a host, or -1.
func hostEnd(seg string) int {
	for i := range len(seg) - len(githubHost) + 1 {
		end := i + len(githubHost)
		if !strings.EqualFold(seg[i:end], githubHost) {
			continue
		}
		if end == len(seg) || strings.IndexByte(`.:@?#\`, seg[end]) >= 0 {
			return end
		}
	}
	return -1
}

// hideHost escapes the dot of every github.com in the encoded segment seg that reads as a host.
func hideHost(seg string) string {
	for end := hostEnd(seg); end > 0; end = hostEnd(seg) {
		dot := end - len(".com")
		seg = seg[:dot] + escape(".") + seg[dot+1:]
	}
	return seg
}

// lacksSlash reports whether path begins like an address with userinfo, less one slash of its scheme: https:/me@host.
func lacksSlash(path string) bool {
	first, rest, _ := strings.Cut(path, "/")
	user, _, ok := cutLast(firstSegment(rest), "@")
	return strings.HasSuffix(first, ":") && ok && user != ""
}

// hasPassword reports whether seg has the form user:password@host.
func hasPassword(seg string) bool {
	user, _, ok := cutLast(seg, "@")
	return ok && strings.Contains(user, ":")
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
