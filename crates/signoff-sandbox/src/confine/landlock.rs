//! Rules of Landlock. They are made here; a child only submits to them.
#![expect(unsafe_code, reason = "Landlock has no safe form here")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use crate::after_fork::descriptors;
use crate::after_fork::syscall::{SyscallError, check};
use crate::mounts::paths::resolve_existing;
use crate::policy::{Network, Policy};

const VERSION_ONLY: u32 = 1;
const PATH_BENEATH: u32 = 1;

/// Execute, read a file, list a directory.
const READ: u64 = 0b1101;
const LIST: u64 = 0b1000;
/// Rights that make sense for a file: execute, write, read, truncate, device control.
const OF_FILES: u64 = 0b1100_0000_0000_0111;
const WRITE_FILE: u64 = 0b10;
const TRUNCATE: u64 = 1 << 14;
const CONTROL_DEVICE: u64 = 1 << 15;
const BIND_AND_CONNECT: u64 = 0b11;
/// Sockets without a path, and signals, to the outside.
const SCOPES: u64 = 0b11;
const ABSTRACT_SOCKETS: u64 = 0b01;

/// The devices that a command may use. No disks, which root owns whatever its capabilities are; and no terminals,
/// because those of the person cannot be told from its own, but for the one of its own session.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

#[repr(C)]
#[derive(Default)]
struct Handled {
    files: u64,
    network: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: RawFd,
}

/// Returns which version of Landlock there is; 0 if there is none.
pub(crate) fn version() -> u32 {
    static VERSION: OnceLock<u32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        // SAFETY: with this flag the call only answers.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                std::ptr::null::<Handled>(),
                0_usize,
                VERSION_ONLY,
            )
        };
        u32::try_from(answer).unwrap_or(0)
    })
}

/// Returns rules that keep a command from sockets without a path outside, where they are known: a command that shares
/// the network reaches those of the desktop otherwise. They do not get in the way of mounts.
pub(crate) fn socket_scope() -> Option<Arc<OwnedFd>> {
    static SCOPE: OnceLock<Option<Arc<OwnedFd>>> = OnceLock::new();
    SCOPE
        .get_or_init(|| {
            if version() < 6 {
                return None;
            }
            let handled = Handled {
                scoped: ABSTRACT_SOCKETS,
                ..Handled::default()
            };
            create(&handled).ok().map(Arc::new)
        })
        .clone()
}

/// Returns the rules of a policy, as far as Landlock can express it.
pub(crate) fn rules(policy: &Policy) -> io::Result<OwnedFd> {
    let version = version();
    let files = match version {
        0 => return Err(io::Error::from(io::ErrorKind::Unsupported)),
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        _ => (1 << 16) - 1,
    };
    let handled = Handled {
        files,
        network: if version >= 4 && policy.network == Network::Off {
            BIND_AND_CONNECT
        } else {
            0
        },
        scoped: if version >= 6 { SCOPES } else { 0 },
    };
    let rules = create(&handled)?;
    allow(&rules, Path::new("/"), LIST)?;
    for path in readable()? {
        // What went away meanwhile need not be read.
        allow(&rules, &path, READ).or_else(pass_over_missing)?;
    }
    for path in writable(policy) {
        allow(&rules, &path, files)?;
    }
    for device in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        let rights = READ | WRITE_FILE | TRUNCATE | CONTROL_DEVICE;
        allow(&rules, device, rights & files)?;
    }
    Ok(rules)
}

/// Everything but devices. Rules only add rights, so what is left out cannot lie in what is named; and a link could
/// lead there.
fn readable() -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/")? {
        let entry = entry?;
        let path = entry.path();
        if path != Path::new("/dev") && !entry.file_type()?.is_symlink() {
            found.push(path);
        }
    }
    Ok(found)
}

fn pass_over_missing(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    }
}

fn writable(policy: &Policy) -> Vec<PathBuf> {
    let bound = policy.binds.iter().filter(|bind| bind.writable);
    let own = policy.writable.iter().chain(&policy.temp);
    let memory = Path::new("/dev/shm").is_dir().then(|| "/dev/shm".into());
    own.chain(bound.map(|bind| &bind.from))
        .map(|path| resolve_existing(path))
        .chain(memory)
        .collect()
}

fn create(handled: &Handled) -> io::Result<OwnedFd> {
    let size = match version() {
        0..4 => size_of::<u64>(),
        4 | 5 => 2 * size_of::<u64>(),
        _ => size_of::<Handled>(),
    };
    // SAFETY: the structure is at least as long as the size says; a descriptor that is returned is ours.
    unsafe {
        let fd = libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::from_ref(handled),
            size,
            0_u32,
        );
        match RawFd::try_from(fd) {
            Ok(fd) if fd >= 0 => descriptors::raise_above_reserved(OwnedFd::from_raw_fd(fd)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn allow(rules: &OwnedFd, path: &Path, rights: u64) -> io::Result<()> {
    let parent = fs::File::options()
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_CLOEXEC)
        .open(path)?;
    let is_directory = parent.metadata()?.is_dir();
    let rule = Beneath {
        allowed: if is_directory {
            rights
        } else {
            rights & OF_FILES
        },
        parent: parent.as_raw_fd(),
    };
    // SAFETY: the structure is of the kind named.
    let added = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            rules.as_raw_fd(),
            PATH_BENEATH,
            &raw const rule,
            0_u32,
        )
    };
    if added == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Submits to rules.
///
/// # Safety
/// To be called in a forked child only, which can gain no privileges any more.
pub(crate) unsafe fn restrict_self(rules: RawFd) -> Result<(), SyscallError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0_u32) })
}
