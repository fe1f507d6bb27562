package git

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	gogit "github.com/go-git/go-git/v5/plumbing/transport"
	gogitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// dialTimeout bounds the connection that nothing else ends.
const dialTimeout = 30 * time.Second

// sshSession connects without ever asking anybody: keys come from the agent and from unencrypted files, hosts must be
// known. go-git's dial takes no context, so an abandoned one ends on its own, and is then closed.
func (t *Transport) sshSession(ctx context.Context, u *url.URL) (gogit.UploadPackSession, error) {
	auth, err := t.opts.Host.sshAuth(u)
	if err != nil {
		return nil, err
	}
	at := &gogit.Endpoint{Protocol: "ssh", User: auth.config.User, Host: u.Hostname(), Path: u.Path}
	if u.Port() != "" {
		if at.Port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, err
		}
	}
	type dialled struct {
		session gogit.UploadPackSession
		err     error
	}
	done := make(chan dialled, 1)
	go func() {
		defer auth.close()
		s, err := gogitssh.DefaultClient.NewUploadPackSession(at, auth)
		done <- dialled{s, err}
	}()
	select {
	case d := <-done:
		return d.session, d.err
	case <-ctx.Done():
		go func() {
			if d := <-done; d.session != nil {
				_ = d.session.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// sshAuth is go-git's AuthMethod for the keys and known hosts of a [Host].
type sshAuth struct {
	config ssh.ClientConfig
	agent  net.Conn // nil without one
}

// Name returns the method's name.
func (a *sshAuth) Name() string { return gogitssh.PublicKeysName }

// String returns the method's name.
func (a *sshAuth) String() string { return a.Name() }

// ClientConfig returns the configuration of a connection.
func (a *sshAuth) ClientConfig() (*ssh.ClientConfig, error) { return &a.config, nil }

func (a *sshAuth) close() {
	if a.agent != nil {
		_ = a.agent.Close()
	}
}

// sshAuth gathers what a connection to u needs. Hosts that the user does not know are refused, as ssh itself would.
func (h Host) sshAuth(u *url.URL) (*sshAuth, error) {
	if h.Home == "" {
		return nil, &sshError{"ssh needs a home directory to find known hosts and keys in"}
	}
	known, err := gogitssh.NewKnownHostsDb(h.inHome(".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts")
	if err != nil {
		return nil, &sshError{"no known_hosts file; connect once with ssh to check and accept the host's key"}
	}
	a := &sshAuth{}
	signers := h.keyFiles()
	if socket := h.getenv("SSH_AUTH_SOCK"); socket != "" {
		if a.agent, err = net.Dial("unix", socket); err == nil {
			// Keys of the agent first: that is where a person puts the ones to use.
			held, _ := agent.NewClient(a.agent).Signers()
			signers = append(held, signers...)
		}
	}
	if len(signers) == 0 {
		a.close()
		return nil, &sshError{"no ssh key: the agent holds none, and ~/.ssh has none without a passphrase"}
	}
	user := u.User.Username()
	if user == "" {
		user = gogitssh.DefaultUsername
	}
	a.config = ssh.ClientConfig{
		User:              user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyCallback:   known.HostKeyCallback(),
		HostKeyAlgorithms: known.HostKeyAlgorithms(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "22"))),
		Timeout:           dialTimeout,
	}
	return a, nil
}

// sshError says what is missing to log in.
type sshError struct{ text string }

func (e *sshError) Error() string { return e.text }

// isSSHAuth reports whether a log-in failed, or could not be tried.
func isSSHAuth(err error) bool {
	var missing *sshError
	// The ssh library gives this failure no type.
	return errors.As(err, &missing) || strings.Contains(err.Error(), "ssh: unable to authenticate")
}

// keyFiles returns the keys of the user's home that have the names ssh looks for and no passphrase.
func (h Host) keyFiles() []ssh.Signer {
	var signers []ssh.Signer
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		b, err := readSettings(h.inHome(".ssh", name))
		if err != nil {
			continue
		}
		if s, err := ssh.ParsePrivateKey(b); err == nil {
			signers = append(signers, s)
		}
	}
	return signers
}
