//! What a command may touch, as data. How that is enforced is the business of a level.

pub(crate) mod level;

use std::path::PathBuf;

/// What a command may touch. Everything is readable that is not hidden, nothing is writable that is not named.
///
/// Paths are absolute. Of two that lie in each other the inner one counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files and directories the command may change: its tree, its private home. They exist.
    pub writable: Vec<PathBuf>,
    /// A directory that the command finds at `/tmp` and `/var/tmp`. Without one both are readable only. Where mounts
    /// are not enforced the directory is writable at its own path, and `/tmp` is not.
    pub temp: Option<PathBuf>,
    /// What stays as it is inside of something writable. It exists and is no symbolic link. A hard link to it, or a
    /// new file in its place after a directory above it was renamed, is not prevented: hash it, or keep it directly
    /// below a writable path.
    pub read_only: Vec<PathBuf>,
    /// What the command finds empty. What does not exist is passed over.
    pub hidden: Vec<PathBuf>,
    /// What the command finds at another place than it is.
    pub binds: Vec<Bind>,
    /// Directories made of layers. Only where namespaces of our own are made; elsewhere they are an error.
    pub overlays: Vec<Overlay>,
    /// Whom it may talk to.
    pub network: Network,
    /// Whether it may build sandboxes of its own.
    pub nesting: Nesting,
    /// Whether it may trace.
    pub tracing: Tracing,
    /// Bytes that each of its processes may allocate; and all of them together, where a control group can be made
    /// (`memory_scope` says whether), but not less than 16 MiB then.
    pub memory: Option<u64>,
    /// Processes and threads that it may have at once.
    pub processes: Option<u32>,
    /// Whether its environment does not say whose it is, where everything that it starts is found without: what is
    /// judged should not know that it is.
    pub unmarked: bool,
}

/// One file or directory that the command finds at another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// Where it is; it exists.
    pub from: PathBuf,
    /// Where the command finds it; something of the same kind exists there, unless a hidden or temporary directory
    /// lies above.
    pub to: PathBuf,
    /// Whether the command may change it.
    pub writable: bool,
}

/// A directory that the command finds made of layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Where the command finds it: a directory, also one of its own layers, or a path below a hidden directory. What
    /// else the policy names inside of it (`read_only`, `hidden`, where binds are found) is looked for in its layers.
    pub at: PathBuf,
    /// Layers that are only read, the topmost first: 1 to 12. They exist, nothing changes in them meanwhile, and
    /// nothing is mounted inside of them.
    pub lower: Vec<PathBuf>,
    /// Takes every change. It exists, and is not a directory of an overlay itself. Directories for binds that no layer
    /// has are made in it.
    pub upper: PathBuf,
    /// An empty directory for the kernel, on the same file system as `upper`: a new one for each command. The kernel
    /// leaves `work/incompat/volatile` in it, directories of mode 000.
    pub work: PathBuf,
}

/// Whom a command may talk to over the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Itself only: it has a loopback interface of its own.
    #[default]
    Off,
    /// Everybody.
    On,
}

/// Whether a command may make user namespaces, as agents with a sandbox of their own do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nesting {
    #[default]
    Denied,
    Allowed,
}

/// Whether a command may look into and change processes that did not ask to be traced. Its own only, in any case: others
/// are out of reach. A program that starts what it traces, as `strace` and `gdb` do, needs no permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tracing {
    /// Code under test must not rewrite the shell that judges it.
    #[default]
    Denied,
    Allowed,
}
