package skill_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/skill"
)

// G5: every way to paste one address lands on one id, and keeps its branch.
func TestParseRefAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://github.com/o/r":                                "gh:o/r",
		"HTTPS://GitHub.COM/O/r":                                "gh:O/r",
		"http://www.github.com/o/r":                             "gh:o/r",
		"http://github.com:80/o/r":                              "gh:o/r",
		"https://github.com:443/o/r":                            "gh:o/r",
		"github.com/o/r":                                        "gh:o/r",
		"www.github.com/o/r":                                    "gh:o/r",
		"gh:github.com/o/r":                                     "gh:o/r",
		"gh:https://github.com/o/r":                             "gh:o/r",
		"gh/www.github.com/o/r":                                 "gh:o/r",
		"@skills:https://github.com/o/r/tree/main/x:save":       "gh:o/r/x +save @main",
		"@skills:gh:https://github.com/o/r:install":             "gh:o/r +install",
		"https://github.com/o/r/":                               "gh:o/r +dir",
		"https://github.com/o/r/?tab=readme-ov-file#usage":      "gh:o/r +dir",
		"https://github.com/o/r?tab=readme":                     "gh:o/r",
		"https://github.com/o/r#usage":                          "gh:o/r",
		"https://github.com/o/r.git":                            "gh:o/r",
		"https://github.com/o/r.git/":                           "gh:o/r +dir",
		"https://github.com/o/r.git#dev":                        "gh:o/r @dev",
		"https://github.com/o/r/tree/main":                      "gh:o/r @main",
		"https://github.com/o/r/tree/main/skills/pdf":           "gh:o/r/skills/pdf @main",
		"https://github.com/o/r/tree/main/skills/pdf/":          "gh:o/r/skills/pdf +dir @main",
		"https://github.com/o/r/blob/main/skills/pdf/SKILL.md":  "gh:o/r/skills/pdf @main",
		"https://github.com/o/r/blob/main/SKILL.md?plain=1#L3":  "gh:o/r @main",
		"https://github.com/o/r/raw/refs/heads/main/x/SKILL.md": "gh:o/r/x @main",
		"https://github.com/o/r/blame/v1.2/x/SKILL.md":          "gh:o/r/x @v1.2",
		"https://github.com/o/r/tree/refs/tags/v1/x":            "gh:o/r/x @v1",
		"https://github.com/o/r/tree/main/API%20Gateway":        "gh:o/r/API Gateway @main",
		"https://github.com/o/r/tree/main/a@b":                  "gh:o/r/a@b @main",
		"https://github.com/o/r/tree/feature%2Fx/skills/a":      "gh:o/r/skills/a @feature/x",
		"https://github.com/o/r/tree/feature/x?ref_type=heads":  "gh:o/r/x @feature",
		"https://github.com/o/r/commit/0123456789abcdef":        "gh:o/r @0123456789abcdef",
		"https://github.com/o/r/tree/0123456789abcdef/x":        "gh:o/r/x @0123456789abcdef",
		"https://github.com/o/r/skills/pdf":                     "gh:o/r/skills/pdf",
		"https://github.com/o/r/tree/main/issues/12":            "gh:o/r/issues/12 @main",
		"git@github.com:o/r.git":                                "gh:o/r",
		"git@github.com:o/r":                                    "gh:o/r",
		"git@github.com:o/r.git#feature/x":                      "gh:o/r @feature/x",
		"gh:git@github.com:o/r.git":                             "gh:o/r",
		"github.com:o/r.git":                                    "gh:o/r",
		"ssh://git@github.com/o/r":                              "gh:o/r",
		"ssh://git@github.com:22/o/r.git":                       "gh:o/r",
		"ssh://github.com/o/r.git:save":                         "gh:o/r +save",
	} {
		r, err := skill.ParseRef(in)
		if err != nil || parsed(r) != want {
			t.Errorf("ParseRef(%q) = %q, %v, want %q", in, parsed(r), err, want)
			continue
		}
		checkRef(t, r)
	}
}

// G5: the host must be github.com, and the error says which it was.
func TestParseRefHost(t *testing.T) {
	t.Parallel()
	for in, host := range map[string]string{
		"https://evil-github.com/o/r":                 "evil-github.com",
		"https://notgithub.com/o/r":                   "notgithub.com",
		"https://github.com.attacker.net/o/r":         "github.com.attacker.net",
		"https://github.com./o/r":                     "github.com.",
		"https://xn--gthub-n4a.com/o/r":               "xn--gthub-n4a.com",
		"https://gıthub.com/o/r":                      "gıthub.com",
		"https://github%2Ecom/o/r":                    "github%2Ecom",
		"https://github.com%2F@evil.net/o/r":          "evil.net",
		"https://github.com@evil.net/":                "evil.net",
		"https://github.com:443@evil.net/o/r":         "evil.net",
		"https://github.com:8443/o/r":                 "github.com:8443",
		"ssh://git@www.github.com/o/r":                "www.github.com",
		"https://gist.github.com/o/r":                 "gist.github.com",
		"https://gitlab.com/o/r":                      "gitlab.com",
		"https://medium.com/@user/post":               "medium.com",
		"gh:https://gitlab.com/o/r":                   "gitlab.com",
		"@skills:http://localhost:3000/o/r":           "localhost:3000",
		"evil-github.com/o/r":                         "evil-github.com",
		"github.com.attacker.net/o/r":                 "github.com.attacker.net",
		"gh:evil-github.com/o/r":                      "evil-github.com",
		"gh:github.com@evil.net/o/r":                  "evil.net",
		"github.com:8080/o/r":                         "github.com:8080",
		"https:///o/r":                                "",
		`https://github.com\@evil.net/o/r`:            "evil.net",
		`https://github.com\.evil.net/o/r`:            `github.com\.evil.net`,
		"https://evil.net/https://github.com/o/r":     "evil.net",
		"https://evil.net?x=https://github.com/o/r":   "evil.net",
		"https://evil.net#https://github.com/o/r":     "evil.net",
		"//github.com/o/r":                            "-", // no host is to blame
		"ftp://github.com/o/r":                        "-",
		"git+ssh://git@github.com/o/r":                "-",
		"gh+1://o/r":                                  "-",
		"gh://o/r":                                    "-",
		"https://raw.githubusercontent.com/o/r/m/x/y": "raw.githubusercontent.com",
	} {
		r, err := skill.ParseRef(in)
		if err == nil {
			t.Errorf("ParseRef(%q) = %q, want an error", in, parsed(r))
			continue
		}
		var wrong *skill.HostError
		if host == "-" {
			continue
		}
		if !errors.As(err, &wrong) || wrong.Host != host || !strings.Contains(err.Error(), "only github.com is read") {
			t.Errorf("ParseRef(%q) = %v, want a HostError for %q", in, err, host)
		}
	}
}

// The file behind a raw address has a page, whose address works.
func TestParseRefRawHost(t *testing.T) {
	t.Parallel()
	_, err := skill.ParseRef("https://raw.githubusercontent.com/o/r/main/skills/pdf/SKILL.md?token=SECRET")
	var wrong *skill.HostError
	if !errors.As(err, &wrong) {
		t.Fatalf("ParseRef = %v, want a HostError", err)
	}
	r, err := skill.ParseRef(wrong.Try)
	if got, want := parsed(r), "gh:o/r/skills/pdf @main"; err != nil || got != want {
		t.Errorf("ParseRef(%q) = %q, %v, want %q", wrong.Try, got, err, want)
	}
}

// G5: pages that show no folder.
func TestParseRefPage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://github.com/o/r/issues/12":            "a folder of that name is gh:o/r/issues/12",
		"https://github.com/o/r/pull/3/files?w=1":     "a folder of that name is gh:o/r/pull/3/files",
		"https://github.com/o/r/releases/tag/v1":      "not a folder",
		"https://github.com/o/r/wiki":                 "not a folder",
		"https://github.com/o/r/tree":                 "not a folder",
		"https://github.com/o/r/commits/":             "not a folder",
		"https://github.com/orgs/o/repositories":      "not a repository",
		"https://github.com/topics/agent-skills":      "not a repository",
		"https://github.com/o":                        "names an owner only",
		"https://github.com/":                         "names no repository",
		"https://github.com":                          "names no repository",
		"github.com?tab=x":                            "names no repository",
		"git@github.com:":                             "names no repository",
		"https://github.com/o/r/tree/main/a%2Fb":      "holds a slash",
		"https://github.com/o/r/tree/..%2Fx/y":        "branch in the address",
		"https://github.com/o/r/tree//x":              "branch in the address",
		"https://github.com/o/r/tree/main/../../../x": `".." is not a name`,
		"https://github.com//o/r":                     "empty path segment",
		"https://github.com/o/r.git#a%0Ab":            "branch in the address",
	} {
		r, err := skill.ParseRef(in)
		var syntax *skill.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRef(%q) = %q, %v, want a SyntaxError that says %q", in, parsed(r), err, want)
		}
	}
}

// X5: a secret in an address is refused and not repeated, neither by the error nor by its fields.
func TestParseRefSecret(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"https://ghp_SECRET@github.com/o/r",
		"https://user:SECRET@github.com/o/r",
		"https://git:SECRET@github.com/o/r",
		"https://SECRET:x-oauth-basic@github.com/o/r.git",
		"@skills:gh:https://user:SECRET@github.com/o/r:save",
		"ssh://git:SECRET@github.com/o/r",
		"ssh://SECRET@github.com/o/r",
		"user:SECRET@github.com/o/r",
		"gh:user:SECRET@github.com/o/r",
		"SECRET@github.com:o/r",
		"user:SECRET@gitlab.com/o/r",
		"gh:user:SECRET@gitlab.com/o/r",
		"hub:user:SECRET@x/y",
		"hub:https://user:SECRET@hub.test/x",
		"https://user:a/SECRET@github.com/o/r",
		"https://user:SECRET/b@github.com/o/r",
		"https://user:a?SECRET@github.com/o/r",
		"https://user:a#SECRET@github.com/o/r",
		"https://user:a@SECRET/b@github.com/o/r",
		"https://SECRET/x@github.com/o/r",
		"https://user:SECRET@evil.net/o/r",
		"https://user:SECRET@evil.net/o/r@x",
		"ftp://user:SECRET@github.com/o/r",
		"https://github.com/o/r/issues?token=SECRET",
		"https://github.com/o/r/wiki#SECRET",
		"https://evil.net/o/r?token=SECRET",
		"https://evil.net/o/r?token=a@SECRET",
		"https://user:SECRET@github.com/o/r/" + strings.Repeat("x", 5000),
	} {
		r, err := skill.ParseRef(in)
		if err == nil {
			t.Errorf("ParseRef(%q) = %q, want an error", in, parsed(r))
			continue
		}
		var syntax *skill.SyntaxError
		if !errors.As(err, &syntax) || strings.Contains(err.Error()+syntax.Input, "SECRET") {
			t.Errorf("ParseRef(%q) = %v, which repeats the secret", in, err)
		}
	}
	for _, in := range []string{
		"//u:SECRET@github.com/o/r",
		"//SECRET@github.com/o/r",
		"<https://u:SECRET@github.com/o/r>",
		"<https://SECRET@github.com/o/r>",
		"<https://SECRET@github.com>",
		"<https://u:SECRET/x@github.com/o/r>",
		"<https://u:x/SECRET@evil.net/o/r>",
		"<https://u:x/SECRET/@evil.net/o/r>",
		"git clone https://u:SECRET@github.com/o/r",
		"git clone https://SECRET@github.com/o/r",
		"git clone\tssh://SECRET@github.com/o/r //",
		"git clone u:SECRET@github.com:o/r //",
		"https:/u:SECRET@github.com/o/r",
		"https:/SECRET@github.com/o/r",
		"https:u:SECRET@github.com/o//r",
		"x//u:SECRET@y/..",
		"x/u:SECRET@y/..",
		"x/u:SECRET@y\x01",
		"x/u:a@b/u:SECRET@y/u:c@d/..",
		"@skills:gh:o/r/https:/u:SECRET@github.com/..",
		"gh:o/r/u:SECRET\x01@github.com",
		"hub:a/b/u:SECRET@github.com",
		"https://github.com/o/r/https://u:SECRET@github.com/..",
		"https://github.com/o/r/tree/u:SECRET@x/..",
	} {
		r, err := skill.ParseRef(in)
		if err == nil {
			t.Errorf("ParseRef(%q) = %q, want an error", in, parsed(r))
			continue
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), "SECRET") {
				t.Errorf("ParseRef(%q) = %v, in which %T repeats the secret", in, err, e)
			}
		}
	}
	// What is no secret is still said, so that the mistake can be found.
	for _, in := range []string{"gh:@o/..", "@skills:a@b//c", "git@github.com:o/r/..", "x y@z/..", "<https://medium.com/@user/x>"} {
		if _, err := skill.ParseRef(in); err == nil || !strings.Contains(err.Error(), in) {
			t.Errorf("ParseRef(%q) = %v, want an error that repeats it", in, err)
		}
	}
	for _, in := range []string{"https://user:pw@github.com/o/r", "pw@github.com/o/r", "a:b@c/d"} {
		if _, err := skill.ParseRef(in); !errors.Is(err, skill.ErrUserinfo) {
			t.Errorf("ParseRef(%q) = %v, want ErrUserinfo", in, err)
		}
	}
}
