package git_test

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// sshServer serves the repositories below root to the holder of one key.
type sshServer struct {
	t      testing.TB
	addr   string
	root   string
	host   ssh.Signer
	client ed25519.PrivateKey
}

func newSSHServer(t testing.TB) *sshServer {
	t.Helper()
	gittest.Git(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	s := &sshServer{t: t, addr: l.Addr().String(), root: t.TempDir(), host: host}
	s.client = ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", 32)))
	allowed, err := ssh.NewPublicKey(s.client.Public())
	if err != nil {
		t.Fatal(err)
	}
	cfg := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() != "git" || string(key.Marshal()) != string(allowed.Marshal()) {
			return nil, errors.New("no")
		}
		return nil, nil
	}}
	cfg.AddHostKey(host)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c, cfg)
		}
	}()
	return s
}

func (s *sshServer) serve(c net.Conn, cfg *ssh.ServerConfig) {
	defer c.Close()
	_, channels, requests, err := ssh.NewServerConn(c, cfg)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for ch := range channels {
		channel, requests, err := ch.Accept()
		if err != nil {
			return
		}
		for r := range requests {
			if r.Type == "exec" {
				_ = r.Reply(true, nil)
				s.run(channel, string(r.Payload[4:]))
				break
			}
			_ = r.Reply(false, nil)
		}
	}
}

// run runs the one command there is, git-upload-pack '<path>'.
func (s *sshServer) run(ch ssh.Channel, command string) {
	defer ch.Close()
	path, ok := strings.CutPrefix(command, "git-upload-pack ")
	if !ok {
		return
	}
	cmd := exec.Command("git", "upload-pack", filepath.Join(s.root, strings.Trim(path, "'")))
	cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	go func() { _, _ = io.Copy(stdin, ch); _ = stdin.Close() }()
	_ = cmd.Run()
	_, _ = ch.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
}

// home returns a host that knows the server, if known, and has its key, if keyed.
func (s *sshServer) home(known, keyed bool) git.Host {
	s.t.Helper()
	home := s.t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	line := knownhosts.Line([]string{"elsewhere.example"}, s.host.PublicKey())
	if known {
		line = knownhosts.Line([]string{s.addr}, s.host.PublicKey())
	}
	write(s.t, filepath.Join(home, ".ssh", "known_hosts"), line+"\n")
	key := s.client
	if !keyed {
		key = ed25519.NewKeyFromSeed(make([]byte, 32))
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		s.t.Fatal(err)
	}
	write(s.t, filepath.Join(home, ".ssh", "id_ed25519"), string(pem.EncodeToMemory(block)))
	return git.Host{Home: home}
}

// F4: ssh:// works through go-git, with the keys and known hosts of the home directory and nothing to ask; an insteadOf
// rule may lead there.
func TestSSH(t *testing.T) {
	t.Parallel()
	s := newSSHServer(t)
	repo := gittest.NewRepo(t, s.root, "o/r")
	repo.Commit("main", oneSkill)
	base := fmt.Sprintf("ssh://git@%s", s.addr)
	tr := git.New(git.Options{BaseURL: base, Host: s.home(true, true)})
	if diff := cmp.Diff(oneSkillBodies, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	h := s.home(true, true)
	write(t, filepath.Join(h.Home, ".gitconfig"), "[url \""+base+"/\"]\n\tinsteadOf = https://github.com/\n")
	if diff := cmp.Diff(oneSkillBodies, resolve(t, git.New(git.Options{Host: h}), "gh:o/r/skills/a")); diff != "" {
		t.Errorf("insteadOf: bodies (-want +got):\n%s", diff)
	}
	if _, err := tr.Head(t.Context(), id(t, "gh:o/none")); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("Head of a missing repository = %v, want ErrNotFound", err)
	}
	for name, tt := range map[string]struct {
		host git.Host
		kind error
	}{
		"unknown host": {s.home(false, true), transport.ErrUnreachable},
		"wrong key":    {s.home(true, false), transport.ErrNoAccess},
		"no home":      {git.Host{}, transport.ErrNoAccess},
		"no keys":      {hostWithConfig(t, ""), transport.ErrNoAccess},
	} {
		_, err := git.New(git.Options{BaseURL: base, Host: tt.host}).Head(t.Context(), id(t, "gh:o/r"))
		if !errors.Is(err, tt.kind) {
			t.Errorf("%s: Head = %v, want %v", name, err, tt.kind)
		}
	}
}
