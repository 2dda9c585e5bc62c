//! Makes namespaces, and in them the guard and the command (see `namespaces`). For a forked child (see `child`).
#![expect(unsafe_code, reason = "clone has no safe form")]

use std::ffi::{c_int, c_void};

use crate::after_fork::descriptors::HOST_PIPE;
use crate::after_fork::failure::StartStage;
use crate::after_fork::syscall::{self, SyscallError};
use crate::mounts::apply;
use crate::namespaces::command_namespaces::CommandNamespaces;
use crate::namespaces::init_process::start_init;
use crate::namespaces::spec::NamespaceSpec;
use crate::spawn::child;
use crate::spawn::fork::ChildContext;

/// Makes everything and ends the calling process.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn set_up(
    context: &ChildContext<'_>,
    namespaces: &NamespaceSpec,
    place: &CommandNamespaces,
) -> ! {
    let mut part = 0;
    // SAFETY: as this function; the stacks are nobody else's.
    unsafe {
        if build(context, namespaces, place, &mut part).is_err() {
            context
                .setup
                .report
                .note_failure(part, child::failed(StartStage::Confine));
            libc::_exit(127);
        }
        libc::_exit(0)
    }
}

/// # Safety
/// As `found`.
unsafe fn build(
    context: &ChildContext<'_>,
    namespaces: &NamespaceSpec,
    place: &CommandNamespaces,
    part: &mut usize,
) -> Result<(), SyscallError> {
    // SAFETY: as `found`.
    unsafe {
        place.enter()?;
        child::arrange_descriptors(context.image, &context.pointers, Some(context.setup.life))
            .map_err(|()| SyscallError)?;
        // Before anybody else is there: it says whose they are.
        child::command_tag(context.image);
        *part += 1;
        syscall::check(libc::unshare(place.still_to_make()).into())?;
        *part += 1;
        let mut detached = 0;
        for step in &namespaces.steps {
            apply::apply_step(step, &namespaces.detached, &mut detached)?;
            *part += 1;
        }
        start_processes(context)
    }
}

/// Starts the guard, which has to be the first if nobody is there yet, and then the command.
///
/// # Safety
/// As `found`.
unsafe fn start_processes(context: &ChildContext<'_>) -> Result<(), SyscallError> {
    let beside = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD;
    // Whoever waits at a gate lives in a copy of our memory, where nobody else needs to stand still.
    let wait = match context.image.hold {
        Some(_) => 0,
        None => libc::CLONE_VFORK,
    };
    let context_pointer = (&raw const *context).cast_mut().cast::<c_void>();
    // SAFETY: each runs on a stack of its own. The guard uses nothing but its stack; the other keeps to the rules of
    // a child, and what it needs of `context` stays in place until it is another program.
    unsafe {
        if !context.setup.init_stack.is_null() {
            let guard = start_init(context.setup.init_stack, HOST_PIPE)?;
            context.setup.report.record_init(guard);
        }
        let leader = libc::clone(
            run_leader,
            context.setup.leader_stack,
            beside | wait,
            context_pointer,
        );
        if leader == -1 {
            return Err(SyscallError);
        }
        context.setup.report.record_leader(leader);
        Ok(())
    }
}

extern "C" fn run_leader(context: *mut c_void) -> c_int {
    // SAFETY: it is the `ChildContext` passed above, in memory that we share with whoever passed it.
    let context = unsafe { &*context.cast::<ChildContext<'_>>() };
    // SAFETY: we are in a child, and the pointers point into the image.
    unsafe {
        let failure = child::become_inside(context.image, &context.pointers);
        if context.image.hold.is_some() {
            child::tell(failure);
        }
        context.failure.set(Some(failure));
        libc::_exit(127)
    }
}
