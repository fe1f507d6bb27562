package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/atskills-go/atskills/transport"
)

// WithoutURL drops the address that net/http puts in front of its errors: ours says it already, and that one may
// carry a query. sending says that there was one: no answer came.
func WithoutURL(err error) (reason error, sending bool) {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err, true
	}
	return err, false
}

// NetworkCause tells the failures of a connection apart (C4); "" is none of them.
func NetworkCause(err error) transport.Cause {
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &dns):
		return transport.CauseDNS
	case isTLS(err):
		return transport.CauseTLS
	case isRefused(err):
		return transport.CauseRefused
	case errors.As(err, &netErr) && netErr.Timeout():
		return transport.CauseTimeout
	case errors.As(err, &netErr):
		return transport.CauseNetwork
	}
	return ""
}

// NetworkHint says what a person can do about a server that did not answer.
func NetworkHint(cause transport.Cause) string {
	switch cause {
	case transport.CauseDNS:
		return "check the network and the host's name"
	case transport.CauseTLS:
		return "check this machine's certificates and clock, or the proxy on the way"
	}
	return "check the network and the proxy settings, then try again"
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &authority) ||
		errors.As(err, &host) || errors.As(err, &invalid) || errors.Is(err, http.ErrSchemeMismatch)
}
