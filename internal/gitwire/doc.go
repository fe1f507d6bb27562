// Package gitwire reads and writes git's wire protocol, version 2, and the packs it carries, from bytes that may be
// hostile (F6).
//
// It touches no network and no repository: requests are built as bytes, answers are read from an io.Reader. What it
// holds is bounded by the [Bound]s a caller passes, checked before memory is taken, and what it hands out has been
// hashed: an object is found by the SHA-1 of its own content or not at all. Errors of the other side are of type
// [*RemoteError]; a stream that ends early matches io.ErrUnexpectedEOF.
package gitwire
