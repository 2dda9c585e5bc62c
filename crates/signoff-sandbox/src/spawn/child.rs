//! The few steps between fork and exec.
//!
//! After the fork the child is a copy of one thread of a process with many, or it runs in that process's own memory:
//! any lock may be held for ever. So it makes system calls only, on memory that was prepared before, and writes to
//! its stack only. A level of confinement adds its steps here.
#![expect(unsafe_code, reason = "exec and the calls before it have no safe form")]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use crate::after_fork::descriptors::{FILTER, FREE, GATE, GROUP, HOST_PIPE, RULES, STATUS};
use crate::after_fork::failure::{ChildFailure, StartStage};
use crate::after_fork::signals;
use crate::spawn::image::{ExecPointers, ProcessImage, SHELL};

/// Turns the calling process into the command, or returns why that failed.
///
/// # Safety
/// To be called in a forked child only, with pointers into `image`.
pub(crate) unsafe fn become_command(
    image: &ProcessImage,
    pointers: &ExecPointers,
    parent: c_int,
) -> ChildFailure {
    // SAFETY: system calls only, on descriptors and memory that `image` and `pointers` keep.
    unsafe {
        match prepare(image, pointers, parent) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        }
    }
}

/// The same in the namespaces of a founder, who has arranged the descriptors.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn become_inside(image: &ProcessImage, pointers: &ExecPointers) -> ChildFailure {
    // SAFETY: as `become_command`.
    unsafe {
        // The guard dies with the host as well, and then so does everybody in there; this is quicker.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        match settle(image) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        }
    }
}

/// Ends a child that waited, which has nothing but its pipe to say why.
///
/// # Safety
/// To be called in a forked child only, after `become_command`.
pub(crate) unsafe fn tell(failure: ChildFailure) -> ! {
    let message = failure.to_bytes();
    // SAFETY: the message lives through the call; whoever waits was given this descriptor.
    unsafe {
        libc::write(STATUS, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// As `become_command`.
unsafe fn prepare(
    image: &ProcessImage,
    pointers: &ExecPointers,
    parent: c_int,
) -> Result<(), ChildFailure> {
    // SAFETY: as `become_command`.
    unsafe {
        arrange_descriptors(image, pointers, None).map_err(|()| failed(StartStage::Prepare))?;
        die_with_parent(parent);
        command_tag(image);
        settle(image)
    }
}

/// What is the same wherever the command runs.
///
/// # Safety
/// As `become_command`.
unsafe fn settle(image: &ProcessImage) -> Result<(), ChildFailure> {
    // SAFETY: as `become_command`.
    unsafe {
        if libc::setsid() == -1 {
            return Err(failed(StartStage::Prepare));
        }
        set_limit(libc::RLIMIT_CORE, 0);
        confined(image).map_err(|_| failed(StartStage::Confine))?;
        if libc::chdir(image.cwd.as_ptr()) == -1 {
            return Err(failed(StartStage::EnterDirectory));
        }
        signals::restore_defaults();
        submit(image).map_err(|_| failed(StartStage::Confine))?;
        if image.hold.is_some() {
            wait_at_gate();
        }
        Ok(())
    }
}

/// What a policy adds before the command's directory is entered.
///
/// # Safety
/// As `become_command`.
unsafe fn confined(image: &ProcessImage) -> Result<(), crate::after_fork::syscall::SyscallError> {
    // SAFETY: as `become_command`.
    unsafe {
        if image.group_entry.is_some() {
            // Not earlier: a guard shares our memory, and if the kernel ended it for lack of some, it would end us.
            let joined = libc::write(GROUP, c"0".as_ptr().cast(), 1);
            if joined == -1 {
                return Err(crate::after_fork::syscall::SyscallError);
            }
        }
        if let Some(memory) = image.memory {
            set_limit(libc::RLIMIT_DATA, memory);
        }
        let Some(namespaces) = &image.namespaces else {
            return Ok(());
        };
        if let Some(processes) = image.processes {
            // Counted per user namespace, so it is the command's own.
            set_limit(libc::RLIMIT_NPROC, processes.into());
        }
        crate::confine::privileges::leave_session_keyring();
        match namespaces.kept {
            Some(_) => Ok(()),
            None => crate::namespaces::process_table::mount(&namespaces.table),
        }
    }
}

/// Gives up what the command must not have. Nothing that needs a right may follow.
///
/// # Safety
/// As `become_command`.
unsafe fn submit(image: &ProcessImage) -> Result<(), crate::after_fork::syscall::SyscallError> {
    // SAFETY: as `become_command`.
    unsafe {
        if image.drops_privileges {
            crate::confine::privileges::drop_capabilities()?;
        }
        if image.rules.is_some() {
            crate::confine::privileges::set_no_new_privileges()?;
            crate::confine::landlock::restrict_self(RULES)?;
        }
        match image.filter {
            Some(filter) => crate::confine::seccomp::install(filter),
            None => Ok(()),
        }
    }
}

/// Puts each descriptor at its place and closes every other, also those that the host forgot to mark.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn arrange_descriptors(
    image: &ProcessImage,
    pointers: &ExecPointers,
    life: Option<BorrowedFd<'_>>,
) -> Result<(), ()> {
    // SAFETY: as `become_command`; all sources lie above all places, so none is overwritten before its turn.
    unsafe {
        let hold = image.hold.as_ref();
        // First, so that a failure of the others can be told; without it, silence: 3 may be a file of the host.
        keep(hold.map(|hold| hold.status.as_fd()), STATUS).unwrap_or_else(|()| libc::_exit(127));
        keep(hold.map(|hold| hold.gate.as_fd()), GATE)?;
        keep(life, HOST_PIPE)?;
        keep(image.rules.as_ref().map(|rules| rules.as_fd()), RULES)?;
        keep(image.group_entry.as_ref().map(|entry| entry.as_fd()), GROUP)?;
        match &image.filter_file {
            Some(file) => place(file.as_fd(), FILTER)?,
            None => {
                libc::close(FILTER);
            }
        }
        for (fd, place_at) in image.stdio.iter().zip(0..) {
            place(fd.as_fd(), place_at)?;
        }
        close_from(FREE, pointers.open_max);
        Ok(())
    }
}

/// Puts a descriptor at a place until exec, or makes sure that nothing is there.
///
/// # Safety
/// As `become_command`.
unsafe fn keep(fd: Option<BorrowedFd<'_>>, at: RawFd) -> Result<(), ()> {
    // SAFETY: plain numbers.
    unsafe {
        match fd {
            Some(fd) => {
                place(fd, at)?;
                libc::fcntl(at, libc::F_SETFD, libc::FD_CLOEXEC);
            }
            None => {
                libc::close(at);
            }
        }
        Ok(())
    }
}

/// # Safety
/// As `become_command`.
unsafe fn place(fd: BorrowedFd<'_>, at: RawFd) -> Result<(), ()> {
    // SAFETY: both are plain numbers to the system.
    match unsafe { libc::dup2(fd.as_raw_fd(), at) } {
        -1 => Err(()),
        _ => Ok(()),
    }
}

/// # Safety
/// As `become_command`.
unsafe fn close_from(first: RawFd, open_max: c_int) {
    // SAFETY: nothing above `first` is used by the child any more.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, c_int::MAX, 0) == 0 {
            return;
        }
        for fd in first..open_max {
            libc::close(fd);
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn die_with_parent(parent: c_int) {
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the signal was asked for.
        if libc::getppid() != parent {
            libc::_exit(127);
        }
    }
}

/// Marks the process and whatever it starts.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn command_tag(image: &ProcessImage) {
    if let Some(command_tag) = image.command_tag {
        // SAFETY: a plain system call.
        unsafe { set_limit(libc::RLIMIT_LOCKS, command_tag.limit()) };
    }
    if let Some(tag) = image.run_tag {
        // SAFETY: a plain system call.
        unsafe { set_limit(libc::RLIMIT_RSS, tag.limit()) };
    }
}

#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = c_int;

/// # Safety
/// As `become_command`.
unsafe fn set_limit(resource: Resource, value: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the structure lives through the call. A refusal leaves the limit as it is.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// # Safety
/// As `become_command`.
unsafe fn wait_at_gate() {
    let mut byte = 0_u8;
    // SAFETY: one byte is read into one byte.
    unsafe {
        loop {
            match libc::read(GATE, (&raw mut byte).cast(), 1) {
                1 => return,
                -1 if errno() == libc::EINTR => {}
                _ => libc::_exit(127),
            }
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn exec(image: &ProcessImage, pointers: &ExecPointers) -> ChildFailure {
    // SAFETY: the tables end with null and point to strings that end with zero.
    unsafe {
        libc::execve(
            image.program.as_ptr(),
            pointers.argv.as_ptr(),
            pointers.env.as_ptr(),
        );
        if errno() == libc::ENOEXEC {
            libc::execve(
                SHELL.as_ptr(),
                pointers.shell_argv.as_ptr(),
                pointers.env.as_ptr(),
            );
        }
    }
    failed(StartStage::Execute)
}

pub(crate) fn failed(stage: StartStage) -> ChildFailure {
    ChildFailure {
        stage,
        errno: errno(),
    }
}

// Reads a thread-local number; it allocates nothing.
fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
