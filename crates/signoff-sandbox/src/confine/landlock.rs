//! Landlock rules. They are made before the fork; a child only applies them to itself.
#![expect(unsafe_code, reason = "Landlock has no safe form here")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use crate::after_fork::descriptors;
use crate::after_fork::syscall::{SyscallError, check};
use crate::mounts::paths::resolve_existing;
use crate::policy::{DEVICES, Network, Policy};

const VERSION_ONLY: u32 = 1;
const PATH_BENEATH: u32 = 1;

/// Execute, read a file, list a directory.
const READ: u64 = 0b1101;
const LIST: u64 = 0b1000;
/// Rights that apply to a file: execute, write, read, truncate, device control.
const FILE_RIGHTS: u64 = 0b1100_0000_0000_0111;
const WRITE_FILE: u64 = 0b10;
const TRUNCATE: u64 = 1 << 14;
const CONTROL_DEVICE: u64 = 1 << 15;
const BIND_AND_CONNECT: u64 = 0b11;
/// Abstract sockets and signals to processes outside.
const SCOPES: u64 = 0b11;
const ABSTRACT_SOCKETS: u64 = 0b01;

#[repr(C)]
#[derive(Default)]
struct HandledAccess {
    files: u64,
    network: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: RawFd,
}

/// Returns the version of Landlock; 0 if there is none.
pub(crate) fn version() -> u32 {
    static VERSION: OnceLock<u32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        // SAFETY: with this flag the call only returns the version.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                std::ptr::null::<HandledAccess>(),
                0_usize,
                VERSION_ONLY,
            )
        };
        u32::try_from(answer).unwrap_or(0)
    })
}

/// Returns rules that keep a command from abstract sockets outside, where Landlock has them. Otherwise a command that
/// shares the network could reach those of the desktop. These rules do not prevent mounts.
pub(crate) fn socket_scope() -> Option<Arc<OwnedFd>> {
    static SCOPE: OnceLock<Option<Arc<OwnedFd>>> = OnceLock::new();
    SCOPE
        .get_or_init(|| {
            if version() < 6 {
                return None;
            }
            let handled = HandledAccess {
                scoped: ABSTRACT_SOCKETS,
                ..HandledAccess::default()
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
    let handled = HandledAccess {
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
    for path in readable_paths()? {
        // A path that was removed meanwhile needs no rule.
        allow(&rules, &path, READ).or_else(ignore_missing)?;
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

/// Returns the top-level paths except devices. Rules only add rights, so `/` itself cannot be named; and a symbolic
/// link could lead to the devices.
fn readable_paths() -> io::Result<Vec<PathBuf>> {
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

fn ignore_missing(error: io::Error) -> io::Result<()> {
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

fn create(handled: &HandledAccess) -> io::Result<OwnedFd> {
    let size = match version() {
        0..4 => size_of::<u64>(),
        4 | 5 => 2 * size_of::<u64>(),
        _ => size_of::<HandledAccess>(),
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
    let rule = PathBeneath {
        allowed: if is_directory {
            rights
        } else {
            rights & FILE_RIGHTS
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

/// Applies rules to the calling process.
///
/// # Safety
/// To be called in a forked child only, which can gain no privileges any more.
pub(crate) unsafe fn restrict_self(rules: RawFd) -> Result<(), SyscallError> {
    // SAFETY: a plain system call.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0_u32) })
}
