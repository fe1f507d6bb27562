// Package fsx reads and writes files over [github.com/go-git/go-billy/v5.Filesystem] so that the same promises hold on
// every one of them: in memory (memfs), on a disk (osfs, both kinds, and [OS] of this package), and on a host's own.
// It knows files and directories and nothing about skills.
//
// # Reading
//
// [ReadFile] and [ReadHead] read no more than they are allowed. A [View] looks at a tree under the one policy for
// links (W3): in a project's own tree a link is followed while its whole way stays inside; in a tree from
// upstream none is. What is refused is reported beside its siblings (W6). Names compare exactly, also on disks that fold
// case, and listings come in byte order.
//
// # Writing
//
// [WriteFile] replaces a file and [Replace] a directory; both leave the old or the new, never something between, and
// never destroy (S8). A new tree is put together in a directory from [Stage], with [CopyFrom], beside the place it is
// for, never in the system's temporary directory. [Recover] undoes what a crash interrupted and [Sweep] cleans up after
// it; temporary names are those [IsTemp] knows (S9), and no View shows them. [Lock] keeps writers apart, in one process
// or several.
//
// Directories get mode 0755 and files the mode asked for, each less the umask. Every call checks its names with
// [CheckPath] and resolves the links on the way to them with [Resolve], so that nothing is written through a
// link that leaves the file system.
//
// # Errors
//
// A missing file matches [io/fs.ErrNotExist] on every file system. Errors hold a [*io/fs.PathError] with a name relative
// to the file system's root, never the machine's path, or a [*LinkError], [*SizeError] or [*LockedError].
//
// # Concurrency
//
// Nothing here keeps state; calls are as safe for concurrent use as the file system. memfs is not: see [Locked].
package fsx
