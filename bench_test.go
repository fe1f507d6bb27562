package atskills_test

import (
	"fmt"
	"testing"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// BenchmarkResolve reads a collection of n skills of two files each over git's protocol into a cache on disk: cold, and
// warm. It reports what crosses the wire beside the time.
func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{1, 16, 128} {
		archive := many("acme/kit", "skills", n)
		for i := range n {
			archive += fmt.Sprintf("-- acme/kit/skills/s%04d/ref.md --\nreference %d\n", i, i)
		}
		up, err := transporttest.NewUpstream(archive)
		if err != nil {
			b.Fatal(err)
		}
		server, err := transporttest.NewServer(up)
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		resolve := func(b *testing.B, env atskills.Env) {
			res, err := atskills.Resolve(b.Context(), env, "gh:acme/kit/skills")
			if err != nil || len(res.Entries) != n {
				b.Fatalf("Resolve = %+v, error %v", res, err)
			}
		}
		upstream := git.New(git.Options{BaseURL: server.URL()})
		b.Run(fmt.Sprintf("cold/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			server.ResetStats()
			for b.Loop() {
				b.StopTimer()
				env := atskills.Env{Cache: fsx.OS(b.TempDir()), Transport: upstream}
				b.StartTimer()
				resolve(b, env)
			}
			reportTraffic(b, server)
		})
		b.Run(fmt.Sprintf("warm/%d", n), func(b *testing.B) {
			env := atskills.Env{Cache: fsx.OS(b.TempDir()), Transport: upstream}
			resolve(b, env)
			b.ReportAllocs()
			server.ResetStats()
			for b.Loop() {
				resolve(b, env)
			}
			reportTraffic(b, server)
		})
	}
}

func reportTraffic(b *testing.B, server *transporttest.Server) {
	sum := server.Stats().Total()
	b.ReportMetric(float64(sum.Requests)/float64(b.N), "requests/op")
	b.ReportMetric(float64(sum.Sent)/float64(b.N), "wire-B/op")
}
