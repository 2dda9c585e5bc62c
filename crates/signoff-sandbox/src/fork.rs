//! The moment of fork.
#![expect(unsafe_code, reason = "fork and clone have no safe form")]

use std::cell::Cell;
use std::ffi::c_int;
use std::io;
use std::sync::atomic::AtomicI32;

use crate::child;
use crate::failure::Failure;
use crate::image::{Image, Pointers};

/// What is handed to the child.
struct Birth<'a> {
    image: &'a Image,
    pointers: Pointers,
    parent: c_int,
    /// Filled by a child in our memory that could not become the command.
    failure: Cell<Option<Failure>>,
}

/// Starts the child and returns its number, and why it failed if that is known by then. Our copies of its descriptors
/// are closed. While a child borrows our memory its number is in `unborn`.
///
/// The child dies with the calling thread, which therefore has to outlive it; and it begins with the signals blocked
/// that are blocked here.
pub(crate) fn start(
    image: Image,
    stack: &mut Stack,
    unborn: &AtomicI32,
) -> io::Result<(i32, Option<Failure>)> {
    let birth = Birth {
        image: &image,
        pointers: Pointers::to(&image),
        // SAFETY: no arguments.
        parent: unsafe { libc::getpid() },
        failure: Cell::new(None),
    };
    let pid = match image.hold {
        Some(_) => copy(&birth),
        None => borrow(&birth, stack, unborn),
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok((pid, birth.failure.get())),
    }
}

/// Starts a child with a copy of our memory, for it will wait at a gate while we go on.
fn copy(birth: &Birth<'_>) -> c_int {
    // SAFETY: the child runs `become_command` only, which keeps to what is allowed after a fork of many threads.
    match unsafe { libc::fork() } {
        // SAFETY: we are in the child, and the pointers point into the image, which this copy of the memory keeps.
        0 => unsafe {
            let failure = child::become_command(birth.image, &birth.pointers, birth.parent);
            child::tell(failure)
        },
        pid => pid,
    }
}

/// Memory for a child to run on before it becomes the command.
#[derive(Debug)]
pub(crate) struct Stack(
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "children are copies")
    )]
    Vec<u128>,
);

impl Stack {
    pub(crate) fn new() -> Self {
        const BYTES: usize = 128 * 1024;
        Self(vec![0; BYTES / size_of::<u128>()])
    }
}

/// Starts a child in our own memory while this thread waits until it has become the command.
///
/// A copy costs about a millisecond per ten megabytes we occupy; this costs the same however large we are.
#[cfg(target_os = "linux")]
fn borrow(birth: &Birth<'_>, stack: &mut Stack, unborn: &AtomicI32) -> c_int {
    use std::ffi::c_void;

    extern "C" fn enter(birth: *mut c_void) -> c_int {
        // SAFETY: it is the `Birth` passed below, which lives while its thread waits for us.
        let birth = unsafe { &*birth.cast::<Birth<'_>>() };
        // SAFETY: we are in the child, and the pointers point into the image.
        let failure = unsafe { child::become_command(birth.image, &birth.pointers, birth.parent) };
        birth.failure.set(Some(failure));
        // SAFETY: ends this process only, and runs nothing of the host's on the way.
        unsafe { libc::_exit(127) }
    }

    let top = stack.0.as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT_SETTID | libc::SIGCHLD;
    // SAFETY: until the child has left our memory by exec or exit this thread stands still, so `birth`, the stack and
    // even `errno` are the child's alone; it writes to nothing else. Stacks grow down from an aligned top. The kernel
    // writes the child's number to `unborn`, which lives through the call, before the child runs.
    unsafe {
        libc::clone(
            enter,
            top.cast(),
            flags,
            (&raw const *birth).cast_mut().cast(),
            unborn.as_ptr(),
        )
    }
}

#[cfg(not(target_os = "linux"))]
fn borrow(birth: &Birth<'_>, _stack: &mut Stack, _unborn: &AtomicI32) -> c_int {
    copy(birth)
}
