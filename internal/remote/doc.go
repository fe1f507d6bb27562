// Package remote is what the transports share in dealing with servers that are slow, broken or hostile: the names and
// words that are taken from them, the failures told apart, the redirects followed, and the patience had.
package remote
