//! Applies mount steps in a forked child: system calls only, on memory that was prepared before.
#![expect(unsafe_code, reason = "mounts have no safe form here")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_long, c_uint, c_ulong};
use std::os::fd::RawFd;
use std::ptr;

use crate::after_fork::syscall::{
    SyscallError, SyscallResult, check, check_descriptor, open_no_symlinks,
};
use crate::mounts::overlay;
use crate::mounts::step::MountStep;

/// `struct mount_attr` of the kernel.
#[repr(C)]
#[derive(Default)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 0x1;
const NO_DEVICES: u64 = 0x4;
const EMPTY_PATH: c_int = libc::AT_EMPTY_PATH;
const OPEN_TREE_CLONE: c_uint = 1;
const MOVE_FROM_DESCRIPTOR: c_uint = 0x4;
const MOVE_TO_DESCRIPTOR: c_uint = 0x40;

/// Takes one step. `next` is the slot for the next mount that a step opens.
///
/// # Safety
/// To be called in a forked child only, which has mounts of its own.
pub(crate) unsafe fn apply_step(
    step: &MountStep,
    detached: &[Cell<RawFd>],
    next: &mut usize,
) -> SyscallResult {
    // SAFETY: system calls on strings that the step keeps.
    unsafe {
        match step {
            MountStep::MakePrivate { devices } => make_private(*devices),
            MountStep::OpenTree { from, writable } => {
                let fd = open_tree(from)?;
                if !*writable {
                    set_flags(fd, c"", READ_ONLY)?;
                }
                store_mount(detached, next, fd)
            }
            MountStep::MakeOverlay {
                lower, upper, work, ..
            } => store_mount(detached, next, overlay::make_overlay(lower, upper, work)?),
            MountStep::MakeReadOnly => set_flags(libc::AT_FDCWD, c"/", READ_ONLY),
            MountStep::CoverDirectory { at } => {
                mount(c"tmpfs", at, 0, c"mode=0755,size=64k,nr_inodes=256")
            }
            MountStep::CoverFile { at } => copy_mount(c"/dev/null", at, |fd| {
                set_flags(fd, c"", READ_ONLY | NO_DEVICES)
            }),
            MountStep::MakeDirectory { at } => allow_existing(libc::mkdir(at.as_ptr(), 0o755)),
            MountStep::MakeFile { at } => {
                allow_existing(libc::mknod(at.as_ptr(), libc::S_IFREG | 0o644, 0))
            }
            MountStep::Attach { number, at } => {
                let target = open_no_symlinks(at)?;
                attach_on(detached.get(*number).ok_or(SyscallError)?.get(), target)?;
                libc::close(target);
                Ok(())
            }
            MountStep::BindReadOnly { at } => bind_read_only(at),
            MountStep::SealMount { at } => {
                let attributes = MountAttributes {
                    set: READ_ONLY,
                    ..MountAttributes::default()
                };
                set_attributes(libc::AT_FDCWD, at, &attributes, 0)
            }
            MountStep::AllowDevice { at } => copy_mount(at, at, |fd| allow_devices(fd)),
            MountStep::MountTerminals => mount_terminals(),
            MountStep::MountSharedMemory => mount(c"tmpfs", c"/dev/shm", 0, c"mode=1777"),
        }
    }
}

/// Stores an opened mount for the step that attaches it.
fn store_mount(detached: &[Cell<RawFd>], next: &mut usize, fd: RawFd) -> SyscallResult {
    detached.get(*next).ok_or(SyscallError)?.set(fd);
    *next += 1;
    Ok(())
}

/// # Safety
/// As `apply_step`.
unsafe fn make_private(devices: bool) -> SyscallResult {
    let attributes = MountAttributes {
        set: if devices { 0 } else { NO_DEVICES },
        propagation: libc::MS_PRIVATE,
        ..MountAttributes::default()
    };
    // SAFETY: as `apply_step`.
    unsafe { set_attributes(libc::AT_FDCWD, c"/", &attributes, libc::AT_RECURSIVE) }
}

/// # Safety
/// As `apply_step`.
unsafe fn set_flags(fd: RawFd, path: &CStr, flags: u64) -> SyscallResult {
    let attributes = MountAttributes {
        set: flags,
        ..MountAttributes::default()
    };
    // SAFETY: as `apply_step`.
    unsafe { set_attributes(fd, path, &attributes, libc::AT_RECURSIVE) }
}

/// # Safety
/// As `apply_step`.
unsafe fn allow_devices(fd: RawFd) -> SyscallResult {
    let attributes = MountAttributes {
        clear: NO_DEVICES,
        ..MountAttributes::default()
    };
    // SAFETY: as `apply_step`.
    unsafe { set_attributes(fd, c"", &attributes, 0) }
}

/// # Safety
/// As `apply_step`.
unsafe fn set_attributes(
    fd: RawFd,
    path: &CStr,
    attributes: &MountAttributes,
    flags: c_int,
) -> SyscallResult {
    let empty = if path.is_empty() { EMPTY_PATH } else { 0 };
    // SAFETY: the structure lives through the call and has the size given.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            fd,
            path.as_ptr(),
            flags | empty,
            ptr::from_ref(attributes),
            size_of::<MountAttributes>(),
        )
    })
}

/// # Safety
/// As `apply_step`.
unsafe fn open_tree(path: &CStr) -> Result<RawFd, SyscallError> {
    // These flags are small positive numbers.
    let flags = OPEN_TREE_CLONE | (libc::O_CLOEXEC | libc::AT_RECURSIVE).cast_unsigned();
    // SAFETY: a plain system call.
    check_descriptor(unsafe {
        libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags)
    })
}

/// # Safety
/// As `apply_step`.
unsafe fn attach_at(fd: RawFd, at: &CStr) -> SyscallResult {
    // SAFETY: a plain system call.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            fd,
            c"".as_ptr(),
            libc::AT_FDCWD,
            at.as_ptr(),
            MOVE_FROM_DESCRIPTOR,
        )
    })
}

/// Makes what is at a path read-only; fails if a symbolic link is on the way.
///
/// # Safety
/// As `apply_step`.
unsafe fn bind_read_only(at: &CStr) -> SyscallResult {
    // SAFETY: as `apply_step`.
    unsafe {
        let target = open_no_symlinks(at)?;
        let flags =
            OPEN_TREE_CLONE | (libc::O_CLOEXEC | libc::AT_RECURSIVE | EMPTY_PATH).cast_unsigned();
        let copy = libc::syscall(libc::SYS_open_tree, target, c"".as_ptr(), flags);
        let copy = check_descriptor(copy)?;
        set_flags(copy, c"", READ_ONLY)?;
        attach_on(copy, target)?;
        libc::close(copy);
        libc::close(target);
        Ok(())
    }
}

/// # Safety
/// As `apply_step`.
unsafe fn attach_on(fd: RawFd, target: RawFd) -> SyscallResult {
    // SAFETY: a plain system call.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            fd,
            c"".as_ptr(),
            target,
            c"".as_ptr(),
            MOVE_FROM_DESCRIPTOR | MOVE_TO_DESCRIPTOR,
        )
    })
}

/// Mounts a copy of what is at one path at another, after a change.
///
/// # Safety
/// As `apply_step`.
unsafe fn copy_mount(
    from: &CStr,
    at: &CStr,
    change: impl Fn(RawFd) -> SyscallResult,
) -> SyscallResult {
    // SAFETY: as `apply_step`.
    unsafe {
        let fd = open_tree(from)?;
        let placed = change(fd).and_then(|()| attach_at(fd, at));
        if placed.is_ok() {
            libc::close(fd);
        }
        placed
    }
}

/// Mounts new terminals, because those of the host belong to the same user.
///
/// # Safety
/// As `apply_step`.
unsafe fn mount_terminals() -> SyscallResult {
    // SAFETY: as `apply_step`.
    unsafe {
        mount(
            c"devpts",
            c"/dev/pts",
            0,
            c"newinstance,ptmxmode=0666,mode=620",
        )?;
        copy_mount(c"/dev/pts/ptmx", c"/dev/ptmx", |_| Ok(()))
    }
}

/// # Safety
/// As `apply_step`.
pub(crate) unsafe fn mount(kind: &CStr, at: &CStr, flags: c_ulong, data: &CStr) -> SyscallResult {
    let common = libc::MS_NOSUID | libc::MS_NOEXEC;
    // A terminal is a device, and shared memory may hold code.
    let common = match kind.to_bytes() {
        b"devpts" => common,
        _ => common & !libc::MS_NOEXEC | libc::MS_NODEV,
    };
    // SAFETY: all strings end with zero.
    check(c_long::from(unsafe {
        libc::mount(
            kind.as_ptr(),
            at.as_ptr(),
            kind.as_ptr(),
            common | flags,
            data.as_ptr().cast(),
        )
    }))
}

/// Makes a part of `/proc` read-only, which root owns even without capabilities.
///
/// # Safety
/// As `apply_step`.
pub(crate) unsafe fn remount_read_only_copy(at: &CStr) -> SyscallResult {
    // SAFETY: as `apply_step`.
    unsafe { copy_mount(at, at, |fd| set_flags(fd, c"", READ_ONLY)) }
}

/// # Safety
/// As `apply_step`.
pub(crate) unsafe fn make_read_only(at: &CStr) -> SyscallResult {
    // SAFETY: as `apply_step`.
    unsafe { set_flags(libc::AT_FDCWD, at, READ_ONLY) }
}

fn allow_existing(result: c_int) -> SyscallResult {
    if result == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST) {
        return Ok(());
    }
    Err(SyscallError)
}
