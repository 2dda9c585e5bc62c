//! Mounts that are made once and found by one command after the other.
//!
//! To make a command's mounts costs more than to start it. Whoever knows that a command left its directories as they
//! were hands the same mounts to the next one. Terminals, shared memory and the table of processes are made for every
//! command anew, and the empty directories in place of hidden ones cannot be written to.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use crate::confine::{self, Failed};
use crate::enclosure::{empty_slots, part_name};
use crate::fork::{Stack, reap};
use crate::ground::{Ground, Kind};
use crate::mounts::{self, Step};
use crate::policy::Policy;

/// Mounts for commands of one and the same policy, which run one after the other.
///
/// They are gone when the last copy of this is dropped and no command is left.
#[derive(Debug, Clone)]
pub struct KeptMounts(Arc<Made>);

/// Namespaces with everything mounted.
#[derive(Debug)]
struct Made {
    /// Always there until it is given back.
    ground: Option<Ground>,
    mounts: OwnedFd,
    /// What is left to do for each command.
    each: Vec<Step>,
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(ground) = self.ground.take() {
            ground.give_back();
        }
    }
}

impl KeptMounts {
    /// What is left to do for each command.
    pub(crate) fn left_to_do(&self) -> &[Step] {
        &self.0.each
    }

    /// Moves the calling process there.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> Result<(), Failed> {
        // SAFETY: plain system calls.
        unsafe {
            self.0.ground.as_ref().ok_or(Failed)?.enter()?;
            confine::done(libc::setns(self.0.mounts.as_raw_fd(), libc::CLONE_NEWNS).into())
        }
    }
}

/// Mounts that are to be made, laid out so that a child need not allocate.
#[derive(Debug)]
pub(crate) struct Wanted {
    kind: Kind,
    steps: Vec<Step>,
    each: Vec<Step>,
    taken: Vec<Cell<RawFd>>,
}

impl Wanted {
    /// `None` if a command with this policy has to have mounts of its own.
    pub(crate) fn new(policy: &Policy) -> io::Result<Option<Self>> {
        let user = rustix::process::geteuid().as_raw();
        let parted = mounts::part(mounts::plan(policy, user == 0)?);
        Ok(parted.map(|(steps, each)| Self {
            kind: Kind::of(policy),
            taken: empty_slots(&steps),
            steps,
            each,
        }))
    }

    /// Has a child make them that shares our memory and our descriptors, so that the one it opens is ours.
    pub(crate) fn make(self, stack: &mut Stack) -> io::Result<KeptMounts> {
        let ground = Ground::take(self.kind, stack)?;
        let order = Order {
            wanted: &self,
            ground: &ground,
            mounts: Cell::new(-1),
            part: Cell::new(0),
            errno: Cell::new(0),
        };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
        let argument = (&raw const order).cast_mut().cast();
        // SAFETY: this thread stands still until the child is gone, so the order and the stack are its alone; all
        // signals are blocked, so that no handler of the host's runs in it.
        let child = unsafe { libc::clone(carry_out, stack.top(), flags, argument) };
        if child == -1 {
            return Err(io::Error::last_os_error());
        }
        reap(child);
        self.close_taken();
        let (mounts, part, errno) = (order.mounts.get(), order.part.get(), order.errno.get());
        if mounts == -1 {
            let error = io::Error::from_raw_os_error(errno);
            let part = part_name(&self.steps, part, "keep its mounts");
            let text = format!("cannot confine the process: {error} ({part})");
            return Err(io::Error::new(error.kind(), text));
        }
        Ok(KeptMounts(Arc::new(Made {
            ground: Some(ground),
            // SAFETY: the child opened it for us, and nobody else knows of it.
            mounts: unsafe { OwnedFd::from_raw_fd(mounts) },
            each: self.each,
        })))
    }

    /// Closes what the child opened and is mounted by now.
    fn close_taken(&self) {
        for fd in self.taken.iter().map(|fd| fd.replace(-1)) {
            if fd != -1 {
                // SAFETY: the child opened it, and nobody else knows of it.
                drop(unsafe { OwnedFd::from_raw_fd(fd) });
            }
        }
    }
}

/// What is handed to the child that makes them; it writes back what it did.
struct Order<'a> {
    wanted: &'a Wanted,
    ground: &'a Ground,
    mounts: Cell<RawFd>,
    /// How far it came, and why no further.
    part: Cell<usize>,
    errno: Cell<c_int>,
}

extern "C" fn carry_out(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while its thread waits for us.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    // SAFETY: we are in a child.
    unsafe {
        if mount_all(order).is_err() {
            let errno = io::Error::last_os_error().raw_os_error();
            order.errno.set(errno.unwrap_or(0));
        }
        libc::_exit(0)
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn mount_all(order: &Order<'_>) -> Result<(), Failed> {
    let next = || order.part.set(order.part.get() + 1);
    // SAFETY: system calls on memory that the order keeps.
    unsafe {
        order.ground.enter()?;
        next();
        confine::done(libc::unshare(libc::CLONE_NEWNS).into())?;
        next();
        let mut taken = 0;
        for step in &order.wanted.steps {
            confine::take(step, &order.wanted.taken, &mut taken)?;
            next();
        }
        let path = c"/proc/self/ns/mnt".as_ptr();
        let fd = libc::open(path, libc::O_RDONLY | libc::O_CLOEXEC);
        order.mounts.set(confine::descriptor(fd.into())?);
        Ok(())
    }
}
