//! The moment of fork.
#![expect(unsafe_code, reason = "fork and clone have no safe form")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::AtomicI32;

use crate::births::Births;
use crate::child;
use crate::enclosure::Enclosure;
use crate::failure::Failure;
use crate::guard::{First, Guard};
use crate::image::{Image, Pointers};
use crate::place::Place;

/// What is handed to the child.
pub(crate) struct Birth<'a> {
    pub(crate) image: &'a Image,
    pub(crate) pointers: Pointers,
    parent: c_int,
    /// Filled by a child in our memory that could not become the command.
    pub(crate) failure: Cell<Option<Failure>>,
    pub(crate) inside: Inside<'a>,
}

/// What a founder is handed beyond that.
pub(crate) struct Inside<'a> {
    pub(crate) births: &'a Births,
    /// Ends when we do.
    pub(crate) life: BorrowedFd<'a>,
    pub(crate) leader_stack: *mut c_void,
    pub(crate) guard_stack: *mut c_void,
    place: Option<&'a Place>,
}

/// What the children of one thread have in common.
#[derive(Debug)]
pub(crate) struct Cradle<'a> {
    pub(crate) births: &'a Births,
    /// Ends when we do.
    pub(crate) life: BorrowedFd<'a>,
    /// The child that borrows our memory; 0 if none does.
    pub(crate) unborn: &'a AtomicI32,
    pub(crate) founder_stack: Stack,
    pub(crate) leader_stack: Stack,
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct Born {
    pub(crate) pid: i32,
    /// The first process of its namespace, if it has one.
    pub(crate) guard: Option<Guard>,
    /// Why it did not become the command, if that is known by then.
    pub(crate) failure: Option<Failure>,
}

/// Starts the child. Our copies of its descriptors are closed.
///
/// The child dies with the calling thread, which therefore has to outlive it; and it begins with the signals blocked
/// that are blocked here.
pub(crate) fn start(image: Image, cradle: &mut Cradle<'_>) -> io::Result<Born> {
    if let Some(enclosure) = &image.enclosure {
        let place = Place::for_command(enclosure, &mut cradle.founder_stack)?;
        return start_inside(&image, enclosure, place, cradle);
    }
    let birth = Birth::of(&image, cradle);
    let pid = give_birth(&birth, cradle)?;
    Ok(Born {
        pid,
        guard: None,
        failure: birth.failure.get(),
    })
}

impl<'a> Birth<'a> {
    fn of<'c: 'a>(image: &'a Image, cradle: &mut Cradle<'c>) -> Self {
        Self {
            image,
            pointers: Pointers::to(image),
            // SAFETY: no arguments.
            parent: unsafe { libc::getpid() },
            failure: Cell::new(None),
            inside: Inside {
                births: cradle.births,
                life: cradle.life,
                leader_stack: cradle.leader_stack.top(),
                guard_stack: std::ptr::null_mut(),
                place: None,
            },
        }
    }
}

fn give_birth(birth: &Birth<'_>, cradle: &mut Cradle<'_>) -> io::Result<i32> {
    let pid = match birth.image.hold {
        Some(_) => copy(birth),
        None => borrow(birth, &mut cradle.founder_stack, cradle.unborn),
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Has a founder start the child and its guard, takes leave of the founder, and returns whom it left.
fn start_inside(
    image: &Image,
    enclosure: &Enclosure,
    place: Place,
    cradle: &mut Cradle<'_>,
) -> io::Result<Born> {
    let mut stack = Stack::small();
    let mut birth = Birth::of(image, cradle);
    if matches!(place, Place::Bare(_)) {
        birth.inside.guard_stack = stack.top();
    }
    birth.inside.place = Some(&place);
    cradle.births.clear();
    reap(give_birth(&birth, cradle)?);
    let failure = birth.failure.get();
    let guard = cradle.births.guard();
    let guard = guard.and_then(|pid| First::new(pid, stack));
    match (cradle.births.leader(), guard, place) {
        (Some(pid), Some(first), Place::Bare(ground)) => Ok(Born {
            pid,
            guard: Some(Guard::Own(first, ground)),
            failure,
        }),
        (Some(pid), None, Place::Furnished(mounts)) => Ok(Born {
            pid,
            guard: Some(Guard::Kept(mounts)),
            failure,
        }),
        (_, guard, _) => {
            if let Some(guard) = guard {
                guard.end();
                guard.reap();
            }
            Err(unfounded(cradle.births, enclosure))
        }
    }
}

fn unfounded(births: &Births, enclosure: &Enclosure) -> io::Error {
    let Some((part, failure)) = births.failure() else {
        return io::Error::other("cannot confine the process: whoever was to do it was killed");
    };
    let error = io::Error::from_raw_os_error(failure.errno);
    let part = enclosure.part(part);
    io::Error::new(
        error.kind(),
        format!("cannot confine the process: {error} ({part})"),
    )
}

/// Waits for the end of a child that is nobody else's.
pub(crate) fn reap(child: i32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
    let Some(pid) = Pid::from_raw(child) else {
        return;
    };
    // Looks first, because whoever lists children must not be kept waiting.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid), look).err() == Some(rustix::io::Errno::INTR) {}
    let _lock = crate::tree::lock_children();
    waitpid(Some(pid), WaitOptions::empty()).ok();
}

/// Starts a child with a copy of our memory, for it will wait at a gate while we go on.
fn copy(birth: &Birth<'_>) -> c_int {
    // SAFETY: the child runs `live` only, which keeps to what is allowed after a fork of many threads.
    match unsafe { libc::fork() } {
        // SAFETY: we are in the child, and the pointers point into the image, which this copy of the memory keeps.
        0 => unsafe { child::tell(live(birth)) },
        pid => pid,
    }
}

/// # Safety
/// To be called in a child only.
unsafe fn live(birth: &Birth<'_>) -> Failure {
    // SAFETY: the pointers point into the image.
    unsafe {
        if let (Some(enclosure), Some(place)) = (&birth.image.enclosure, birth.inside.place) {
            crate::founder::found(birth, enclosure, place);
        }
        child::become_command(birth.image, &birth.pointers, birth.parent)
    }
}

/// Memory for a child to run on before it becomes the command.
#[derive(Debug)]
pub(crate) struct Stack(Vec<u128>);

/// Enough for a process that makes a few system calls.
const GUARD_STACK: usize = 16 * 1024;

impl Stack {
    pub(crate) fn new() -> Self {
        Self::of(128 * 1024)
    }

    /// For a few system calls.
    pub(crate) fn small() -> Self {
        Self::of(GUARD_STACK)
    }

    fn of(bytes: usize) -> Self {
        Self(vec![0; bytes / size_of::<u128>()])
    }

    /// Stacks grow down from here.
    pub(crate) fn top(&mut self) -> *mut c_void {
        self.0.as_mut_ptr_range().end.cast()
    }
}

/// Starts a child in our own memory while this thread waits until it has become the command.
///
/// A copy costs about a millisecond per ten megabytes we occupy; this costs the same however large we are.
fn borrow(birth: &Birth<'_>, stack: &mut Stack, unborn: &AtomicI32) -> c_int {
    extern "C" fn enter(birth: *mut c_void) -> c_int {
        // SAFETY: it is the `Birth` passed below, which lives while its thread waits for us.
        let birth = unsafe { &*birth.cast::<Birth<'_>>() };
        // SAFETY: we are in the child, and the pointers point into the image.
        let failure = unsafe { live(birth) };
        birth.failure.set(Some(failure));
        // SAFETY: ends this process only, and runs nothing of the host's on the way.
        unsafe { libc::_exit(127) }
    }

    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT_SETTID | libc::SIGCHLD;
    // SAFETY: until the child has left our memory by exec or exit this thread stands still, so `birth`, the stack and
    // even `errno` are the child's alone; it writes to nothing else. Stacks grow down from an aligned top. The kernel
    // writes the child's number to `unborn`, which lives through the call, before the child runs.
    unsafe {
        libc::clone(
            enter,
            stack.top(),
            flags,
            (&raw const *birth).cast_mut().cast(),
            unborn.as_ptr(),
        )
    }
}
