//! Makes namespaces, and in them the guard and the command (see `enclosure`). For a forked child (see `child`).
#![expect(unsafe_code, reason = "clone has no safe form")]

use std::ffi::{c_int, c_void};

use crate::after_fork::descriptors::HOST_PIPE;
use crate::after_fork::failure::StartStage;
use crate::after_fork::syscall::{self, SyscallError};
use crate::mounts::apply;
use crate::namespaces::command_namespaces::Place;
use crate::namespaces::init_process::start_guard;
use crate::namespaces::spec::Enclosure;
use crate::spawn::child;
use crate::spawn::fork::Birth;

/// Makes everything and ends the calling process.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn found(birth: &Birth<'_>, enclosure: &Enclosure, place: &Place) -> ! {
    let mut part = 0;
    // SAFETY: as this function; the stacks are nobody else's.
    unsafe {
        if build(birth, enclosure, place, &mut part).is_err() {
            birth
                .inside
                .births
                .note_failure(part, child::failed(StartStage::Confine));
            libc::_exit(127);
        }
        libc::_exit(0)
    }
}

/// # Safety
/// As `found`.
unsafe fn build(
    birth: &Birth<'_>,
    enclosure: &Enclosure,
    place: &Place,
    part: &mut usize,
) -> Result<(), SyscallError> {
    // SAFETY: as `found`.
    unsafe {
        place.enter()?;
        child::arrange_descriptors(birth.image, &birth.pointers, Some(birth.inside.life))
            .map_err(|()| SyscallError)?;
        // Before anybody else is there: it says whose they are.
        child::command_tag(birth.image);
        *part += 1;
        syscall::check(libc::unshare(place.still_to_make()).into())?;
        *part += 1;
        let mut detached = 0;
        for step in &enclosure.steps {
            apply::apply_step(step, &enclosure.detached, &mut detached)?;
            *part += 1;
        }
        start(birth)
    }
}

/// Starts the guard, which has to be the first if nobody is there yet, and then the command.
///
/// # Safety
/// As `found`.
unsafe fn start(birth: &Birth<'_>) -> Result<(), SyscallError> {
    let beside = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD;
    // Whoever waits at a gate lives in a copy of our memory, where nobody else needs to stand still.
    let wait = match birth.image.hold {
        Some(_) => 0,
        None => libc::CLONE_VFORK,
    };
    let birth_pointer = (&raw const *birth).cast_mut().cast::<c_void>();
    // SAFETY: each runs on a stack of its own. The guard uses nothing but its stack; the other keeps to the rules of
    // a child, and what it needs of `birth` stays in place until it is another program.
    unsafe {
        if !birth.inside.guard_stack.is_null() {
            let guard = start_guard(birth.inside.guard_stack, HOST_PIPE)?;
            birth.inside.births.note_guard(guard);
        }
        let leader = libc::clone(
            lead,
            birth.inside.leader_stack,
            beside | wait,
            birth_pointer,
        );
        if leader == -1 {
            return Err(SyscallError);
        }
        birth.inside.births.note_leader(leader);
        Ok(())
    }
}

extern "C" fn lead(birth: *mut c_void) -> c_int {
    // SAFETY: it is the `Birth` passed above, in memory that we share with whoever passed it.
    let birth = unsafe { &*birth.cast::<Birth<'_>>() };
    // SAFETY: we are in a child, and the pointers point into the image.
    unsafe {
        let failure = child::become_inside(birth.image, &birth.pointers);
        if birth.image.hold.is_some() {
            child::tell(failure);
        }
        birth.failure.set(Some(failure));
        libc::_exit(127)
    }
}
