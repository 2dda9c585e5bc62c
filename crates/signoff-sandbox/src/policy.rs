//! What a command may touch, as data. How it is enforced depends on the level.

pub(crate) mod level;

use std::path::PathBuf;

/// The only devices that a confined command may use. No disks, because root owns them even without capabilities. No
/// terminals except the one of its own session, because the user's terminals cannot be told from the command's.
pub(crate) const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// What a command may touch. It can read everything that is not hidden, and write nothing that is not named.
///
/// Paths are absolute. If one lies in another, the inner one counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files and directories that the command may change, such as its workspace and its private home. They exist.
    pub writable: Vec<PathBuf>,
    /// A directory that the command finds at `/tmp` and `/var/tmp`. Without one, both are read-only. At a level without
    /// mounts the directory is writable at its own path, and `/tmp` is read-only.
    pub temp: Option<PathBuf>,
    /// Read-only paths inside of writable ones. They exist and are not symbolic links. This does not prevent a hard link
    /// to a file, or a new file in its place after a directory above was renamed: hash the file, or keep it directly
    /// below a writable path.
    pub read_only: Vec<PathBuf>,
    /// Paths that the command finds empty. A path that does not exist is ignored.
    pub hidden: Vec<PathBuf>,
    /// Files and directories that the command finds at another path.
    pub binds: Vec<Bind>,
    /// Directories made of layers. They need the level `Namespaces`; at other levels they are an error.
    pub overlays: Vec<Overlay>,
    /// What it may reach over the network.
    pub network: Network,
    /// Whether it may build sandboxes of its own.
    pub nesting: Nesting,
    /// Whether it may trace.
    pub tracing: Tracing,
    /// Bytes that each of its processes may allocate. Where a control group can be made (see `memory_scope`), all of
    /// them together may not use more either; that limit is at least 16 MiB.
    pub memory: Option<u64>,
    /// Processes and threads that it may have at once.
    pub processes: Option<u32>,
    /// Whether its environment has no marker, where its processes are found without one: a program that is judged
    /// should not know that it is.
    pub unmarked: bool,
}

/// One file or directory that the command finds at another path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// Where it is. It exists.
    pub from: PathBuf,
    /// Where the command finds it. A file or directory of the same kind exists there, unless the path lies in a hidden
    /// or temporary directory.
    pub to: PathBuf,
    /// Whether the command may change it.
    pub writable: bool,
}

/// A directory that is made of layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Where the command finds it: a directory, which may be one of its own layers, or a path below a hidden directory.
    /// Other paths of the policy inside of it (`read_only`, `hidden`, `Bind::to`) are looked up in its layers.
    pub at: PathBuf,
    /// Layers that are only read, the topmost first: 1 to 12. They exist, they do not change meanwhile, and nothing is
    /// mounted inside of them.
    pub lower: Vec<PathBuf>,
    /// Receives every change. It exists, and does not lie in an overlay itself. If a bind needs a directory that no
    /// layer has, it is made here.
    pub upper: PathBuf,
    /// An empty directory for the kernel, on the same file system as `upper`: a new one for each command. The kernel
    /// leaves `work/incompat/volatile` in it, directories of mode 000.
    pub work: PathBuf,
}

/// What a command may reach over the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Only itself, over a loopback interface of its own.
    #[default]
    Off,
    /// Everything.
    On,
}

/// Whether a command may make user namespaces, as agents with a sandbox of their own do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nesting {
    #[default]
    Denied,
    Allowed,
}

/// Whether a command may trace processes of its own that did not ask for it. It can never reach other processes. A
/// program that starts what it traces, as `strace` and `gdb` do, needs no permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tracing {
    /// Code under test must not rewrite the shell that judges it.
    #[default]
    Denied,
    Allowed,
}
