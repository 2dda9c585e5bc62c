//! The few steps between fork and exec.
//!
//! After the fork the child is a copy of one thread of a process with many, or it runs in that process's own memory:
//! any lock may be held for ever. So it makes system calls only, on memory that was prepared before, and writes to
//! its stack only. A level of confinement adds its steps here.
#![expect(unsafe_code, reason = "exec and the calls before it have no safe form")]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use crate::failure::{Failure, Stage};
use crate::image::{Image, Pointers, SHELL};
use crate::signals;

/// Where the child keeps the pipe that tells us why exec failed, and the gate.
const STATUS: RawFd = 3;
const GATE: RawFd = 4;
/// Where a founder keeps the pipe that ends when the host does.
pub(crate) const LIFE: RawFd = 5;
/// Where it keeps the rules that it will submit to.
const RULES: RawFd = 6;
/// Where a wrapper finds the filter that it is to install.
pub(crate) const FILTER: RawFd = 7;
/// Where it keeps what it joins a group by.
const GROUP: RawFd = 8;
/// Above all of these.
pub(crate) const FREE: RawFd = 9;

/// Turns the calling process into the command, or returns why that failed.
///
/// # Safety
/// To be called in a forked child only, with pointers into `image`.
pub(crate) unsafe fn become_command(image: &Image, pointers: &Pointers, parent: c_int) -> Failure {
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
pub(crate) unsafe fn become_inside(image: &Image, pointers: &Pointers) -> Failure {
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
pub(crate) unsafe fn tell(failure: Failure) -> ! {
    let message = failure.to_bytes();
    // SAFETY: the message lives through the call; whoever waits was given this descriptor.
    unsafe {
        libc::write(STATUS, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// As `become_command`.
unsafe fn prepare(image: &Image, pointers: &Pointers, parent: c_int) -> Result<(), Failure> {
    // SAFETY: as `become_command`.
    unsafe {
        arrange_descriptors(image, pointers, None).map_err(|()| failed(Stage::Prepare))?;
        die_with_parent(parent);
        brand(image);
        settle(image)
    }
}

/// What is the same wherever the command runs.
///
/// # Safety
/// As `become_command`.
unsafe fn settle(image: &Image) -> Result<(), Failure> {
    // SAFETY: as `become_command`.
    unsafe {
        if libc::setsid() == -1 {
            return Err(failed(Stage::Prepare));
        }
        set_limit(libc::RLIMIT_CORE, 0);
        confined(image).map_err(|_| failed(Stage::Confine))?;
        if libc::chdir(image.cwd.as_ptr()) == -1 {
            return Err(failed(Stage::EnterDirectory));
        }
        signals::restore();
        submit(image).map_err(|_| failed(Stage::Confine))?;
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
unsafe fn confined(image: &Image) -> Result<(), crate::confine::Failed> {
    // SAFETY: as `become_command`.
    unsafe {
        if image.group_entry.is_some() {
            // Not earlier: a guard shares our memory, and if the kernel ended it for lack of some, it would end us.
            let joined = libc::write(GROUP, c"0".as_ptr().cast(), 1);
            if joined == -1 {
                return Err(crate::confine::Failed);
            }
        }
        if let Some(memory) = image.memory {
            set_limit(libc::RLIMIT_DATA, memory);
        }
        let Some(enclosure) = &image.enclosure else {
            return Ok(());
        };
        if let Some(processes) = image.processes {
            // Counted per user namespace, so it is the command's own.
            set_limit(libc::RLIMIT_NPROC, processes.into());
        }
        crate::privileges::leave_keys();
        match enclosure.kept {
            Some(_) => Ok(()),
            None => crate::process_table::mount(&enclosure.table),
        }
    }
}

/// Gives up what the command must not have. Nothing that needs a right may follow.
///
/// # Safety
/// As `become_command`.
unsafe fn submit(image: &Image) -> Result<(), crate::confine::Failed> {
    // SAFETY: as `become_command`.
    unsafe {
        if image.gives_up {
            crate::privileges::give_up()?;
        }
        if image.rules.is_some() {
            crate::privileges::gain_nothing()?;
            crate::landlock::submit(RULES)?;
        }
        match image.filter {
            Some(filter) => crate::seccomp::submit(filter),
            None => Ok(()),
        }
    }
}

/// Puts each descriptor at its place and closes every other, also those that the host forgot to mark.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn arrange_descriptors(
    image: &Image,
    pointers: &Pointers,
    life: Option<BorrowedFd<'_>>,
) -> Result<(), ()> {
    // SAFETY: as `become_command`; all sources lie above all places, so none is overwritten before its turn.
    unsafe {
        let hold = image.hold.as_ref();
        // First, so that a failure of the others can be told; without it, silence: 3 may be a file of the host.
        keep(hold.map(|hold| hold.status.as_fd()), STATUS).unwrap_or_else(|()| libc::_exit(127));
        keep(hold.map(|hold| hold.gate.as_fd()), GATE)?;
        keep(life, LIFE)?;
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
pub(crate) unsafe fn brand(image: &Image) {
    if let Some(brand) = image.brand {
        // SAFETY: a plain system call.
        unsafe { set_limit(libc::RLIMIT_LOCKS, brand.limit()) };
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
unsafe fn exec(image: &Image, pointers: &Pointers) -> Failure {
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
    failed(Stage::Execute)
}

pub(crate) fn failed(stage: Stage) -> Failure {
    Failure {
        stage,
        errno: errno(),
    }
}

// Reads a thread-local number; it allocates nothing.
fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
