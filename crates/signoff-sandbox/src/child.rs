//! The few steps between fork and exec.
//!
//! After the fork the child is a copy of one thread of a process with many: any lock may be held for ever. So it
//! makes system calls only, on memory that was prepared before. A level of confinement adds its steps here.
#![expect(
    unsafe_code,
    reason = "fork, exec and the calls between them have no safe form"
)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::{io, ptr};

use crate::brand::Brand;
use crate::failure::{Failure, Stage};

/// Where the child keeps the pipe that tells us why exec failed, and the gate.
const STATUS: RawFd = 3;
const GATE: RawFd = 4;

#[cfg(target_os = "linux")]
const LAST_SIGNAL: c_int = 64;
#[cfg(not(target_os = "linux"))]
const LAST_SIGNAL: c_int = 31;

/// What the child becomes. Its descriptors are numbered above those the child fills (`stdio::lift`).
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) program: CString,
    pub(crate) argv: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) status: OwnedFd,
    /// The child waits for one byte before it becomes the command; end of file ends it.
    pub(crate) gate: Option<OwnedFd>,
    pub(crate) brand: Option<Brand>,
}

/// Starts the child and returns its number. Our copies of its descriptors are closed.
///
/// The child dies with the calling thread, which therefore has to outlive it; and it begins with the signals blocked
/// that are blocked here.
pub(crate) fn fork(image: Image) -> io::Result<i32> {
    let pointers = Pointers::to(&image);
    // SAFETY: no arguments.
    let parent = unsafe { libc::getpid() };
    // SAFETY: the child runs `become_command` only, which keeps to what is allowed after a fork of many threads.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: we are in the child, and `pointers` point into `image`, which this copy of the memory keeps.
        0 => unsafe { become_command(&image, &pointers, parent) },
        pid => Ok(pid),
    }
}

/// Blocks every signal in the calling thread.
///
/// A handler of the host must not run in a child: it would write into what both share.
pub(crate) fn block_signals() {
    // SAFETY: the set is filled before it is used, and only this thread is concerned.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut());
    }
}

/// Says whether exited children vanish unseen because `SIGCHLD` is ignored.
pub(crate) fn children_vanish() -> bool {
    // SAFETY: with a null action the call only fills `current`.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, ptr::null(), &raw mut current);
        current.sa_sigaction == libc::SIG_IGN || current.sa_flags & libc::SA_NOCLDWAIT != 0
    }
}

/// Null-terminated tables, made before the fork.
struct Pointers {
    argv: Vec<*const c_char>,
    /// For a script without `#!`, as shells and `execvp` do it.
    shell_argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    open_max: c_int,
}

const SHELL: &CStr = c"/bin/sh";

impl Pointers {
    fn to(image: &Image) -> Self {
        let table = |strings: &[CString]| -> Vec<*const c_char> {
            let pointers = strings.iter().map(|string| string.as_ptr());
            pointers.chain([ptr::null()]).collect()
        };
        let argv = table(&image.argv);
        let mut shell_argv = vec![SHELL.as_ptr(), image.program.as_ptr()];
        shell_argv.extend(argv.iter().skip(1));
        Self {
            argv,
            shell_argv,
            env: table(&image.env),
            open_max: open_max(),
        }
    }
}

fn open_max() -> c_int {
    // SAFETY: a plain question.
    let limit = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) };
    c_int::try_from(limit)
        .unwrap_or(c_int::MAX)
        .clamp(256, 65536)
}

/// # Safety
/// To be called in a forked child only, with pointers into `image`.
unsafe fn become_command(image: &Image, pointers: &Pointers, parent: c_int) -> ! {
    // SAFETY: system calls only, on descriptors and memory that `image` and `pointers` keep.
    unsafe {
        let failure = match prepare(image, pointers, parent) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        };
        let message = failure.to_bytes();
        libc::write(STATUS, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// As `become_command`.
unsafe fn prepare(image: &Image, pointers: &Pointers, parent: c_int) -> Result<(), Failure> {
    // SAFETY: as `become_command`.
    unsafe {
        arrange_descriptors(image, pointers).map_err(|()| failed(Stage::Prepare))?;
        if libc::setsid() == -1 {
            return Err(failed(Stage::Prepare));
        }
        die_with_parent(parent);
        limit(image);
        if libc::chdir(image.cwd.as_ptr()) == -1 {
            return Err(failed(Stage::EnterDirectory));
        }
        restore_signals();
        if image.gate.is_some() {
            wait_at_gate();
        }
        Ok(())
    }
}

/// Puts each descriptor at its place and closes every other, also those that the host forgot to mark.
///
/// # Safety
/// As `become_command`.
unsafe fn arrange_descriptors(image: &Image, pointers: &Pointers) -> Result<(), ()> {
    // SAFETY: as `become_command`; all sources lie above all places, so none is overwritten before its turn.
    unsafe {
        // First, so that a failure of the others can be told; without it, silence: 3 may be a file of the host.
        if place(&image.status, STATUS).is_err() {
            libc::_exit(127);
        }
        libc::fcntl(STATUS, libc::F_SETFD, libc::FD_CLOEXEC);
        for (fd, place_at) in image.stdio.iter().zip(0..) {
            place(fd, place_at)?;
        }
        let mut first_closed = GATE;
        if let Some(gate) = &image.gate {
            place(gate, GATE)?;
            libc::fcntl(GATE, libc::F_SETFD, libc::FD_CLOEXEC);
            first_closed = GATE + 1;
        }
        close_from(first_closed, pointers.open_max);
        Ok(())
    }
}

/// # Safety
/// As `become_command`.
unsafe fn place(fd: &OwnedFd, at: RawFd) -> Result<(), ()> {
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
        #[cfg(target_os = "linux")]
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
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the signal was asked for.
        if libc::getppid() != parent {
            libc::_exit(127);
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn limit(image: &Image) {
    // SAFETY: plain system calls.
    unsafe {
        set_limit(libc::RLIMIT_CORE, 0);
        #[cfg(target_os = "linux")]
        if let Some(brand) = image.brand {
            set_limit(libc::RLIMIT_LOCKS, brand.limit());
        }
        #[cfg(not(target_os = "linux"))]
        let _ = image.brand;
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
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

/// Gives the command the signals a fresh login would: nothing ignored, nothing blocked.
///
/// # Safety
/// As `become_command`.
unsafe fn restore_signals() {
    // SAFETY: the set is emptied before it is used.
    unsafe {
        for signal in 1..=LAST_SIGNAL {
            restore_signal(signal);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// # Safety
/// As `become_command`.
#[cfg(target_os = "linux")]
unsafe fn restore_signal(signal: c_int) {
    // Past the C library, which keeps two signals to itself and so leaves them ignored if we were started that way.
    let default = [0_u64; 8];
    let set_size = size_of::<u64>();
    // SAFETY: all zero is the default action, whatever the order of the fields; the kernel reads less than this.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            ptr::null_mut::<u64>(),
            set_size,
        );
    }
}

/// # Safety
/// As `become_command`.
#[cfg(not(target_os = "linux"))]
unsafe fn restore_signal(signal: c_int) {
    // SAFETY: the default action holds no pointer.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
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

fn failed(stage: Stage) -> Failure {
    Failure {
        stage,
        errno: errno(),
    }
}

// Reads a thread-local number; it allocates nothing.
fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
