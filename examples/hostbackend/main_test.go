package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const want = `--- nothing is resident
You are a helpful agent.
--- deploy is on
You are a helpful agent.

Auto-triggered Skills (.atskills/.autotrigger):
- deploy: Ships a build. Use when a release is due. (.atskills/deploy/SKILL.md)
--- deploy is off
You are a helpful agent.
`

// B2: the block is pushed at each change, the empty one too.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("output:\n%s\nwant:\n%s", out.String(), want)
	}
}

// Only the agent on this machine writes the block.
func TestRefused(t *testing.T) {
	t.Parallel()
	b := &backend{base: "base"}
	for _, c := range []struct {
		name    string
		header  http.Header
		host    string
		body    string
		want    int
		changes bool
	}{
		{name: "agent", host: "127.0.0.1:8080", body: "block", want: http.StatusNoContent, changes: true},
		{name: "agent over IPv6", host: "[::1]:8080", body: "block", want: http.StatusNoContent, changes: true},
		{name: "page", host: "127.0.0.1:8080", header: http.Header{"Origin": {"https://attacker.net"}}, body: "x", want: http.StatusForbidden},
		{name: "sandboxed page", host: "127.0.0.1:8080", header: http.Header{"Origin": {"null"}}, body: "x", want: http.StatusForbidden},
		{name: "image", host: "127.0.0.1:8080", header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, body: "x", want: http.StatusForbidden},
		{name: "name that was made to lead here", host: "attacker.net:8080", body: "x", want: http.StatusForbidden},
		{name: "too long", host: "127.0.0.1:8080", body: strings.Repeat("x", maxBlock+1), want: http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.block = "before"
			r := httptest.NewRequest(http.MethodPut, "/block", strings.NewReader(c.body))
			r.Host, r.Header = c.host, c.header
			if r.Header == nil {
				r.Header = http.Header{}
			}
			w := httptest.NewRecorder()
			b.handler().ServeHTTP(w, r)
			if changed := b.block != "before"; w.Code != c.want || changed != c.changes {
				t.Errorf("status %d, changed %t, want %d, %t", w.Code, changed, c.want, c.changes)
			}
		})
	}
}
