//! The setup process: enters and makes namespaces, mounts, and starts the processes that live there.
//!
//! It runs in a forked child and keeps to the rules of `child`.
#![expect(unsafe_code, reason = "clone has no safe form")]

use std::ffi::{c_int, c_void};

use crate::after_fork::descriptors::HOST_PIPE;
use crate::after_fork::failure::{ChildFailure, StartStage};
use crate::after_fork::syscall::{self, SyscallError, SyscallResult};
use crate::mounts::apply::apply_step;
use crate::namespaces::command_namespaces::CommandNamespaces;
use crate::namespaces::init_process::start_init;
use crate::namespaces::spec::NamespaceSpec;
use crate::spawn::child;
use crate::spawn::child_descriptors::arrange_descriptors;
use crate::spawn::fork::ChildContext;

/// Sets everything up and ends the calling process.
///
/// # Safety
/// To be called in a forked child only.
pub(crate) unsafe fn set_up(
    context: &ChildContext<'_>,
    spec: &NamespaceSpec,
    namespaces: &CommandNamespaces,
) -> ! {
    let mut steps_done = 0;
    // SAFETY: as this function; no other process uses the stacks.
    unsafe {
        if take_steps(context, spec, namespaces, &mut steps_done).is_err() {
            let failure = ChildFailure::at(StartStage::Confine);
            context.setup.report.record_failure(steps_done, failure);
            libc::_exit(127);
        }
        libc::_exit(0)
    }
}

/// # Safety
/// As `set_up`.
unsafe fn take_steps(
    context: &ChildContext<'_>,
    spec: &NamespaceSpec,
    namespaces: &CommandNamespaces,
    steps_done: &mut usize,
) -> SyscallResult {
    // SAFETY: as `set_up`.
    unsafe {
        namespaces.enter()?;
        let host_pipe = Some(context.setup.host_pipe);
        arrange_descriptors(context.image, &context.pointers, host_pipe)?;
        // Before any other process exists here: all of them inherit the tags.
        child::set_tags(context.image);
        *steps_done += 1;
        syscall::check(libc::unshare(namespaces.still_to_make()).into())?;
        *steps_done += 1;
        let mut opened = 0;
        for step in &spec.steps {
            apply_step(step, &spec.detached, &mut opened)?;
            *steps_done += 1;
        }
        start_processes(context)
    }
}

/// Starts the init process where there is none, because it has to be the first; then the leader.
///
/// # Safety
/// As `set_up`.
unsafe fn start_processes(context: &ChildContext<'_>) -> SyscallResult {
    let as_sibling = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD;
    // A leader with a gate lives in a copy of the host's memory, so the host's thread need not wait for it.
    let wait = match context.image.gate {
        Some(_) => 0,
        None => libc::CLONE_VFORK,
    };
    let context_pointer = (&raw const *context).cast_mut().cast::<c_void>();
    // SAFETY: each runs on a stack of its own. The init process uses nothing but its stack; the leader keeps to the
    // rules of a child, and what it needs of `context` stays in place until it executes another program.
    unsafe {
        if !context.setup.init_stack.is_null() {
            let init = start_init(context.setup.init_stack, HOST_PIPE)?;
            context.setup.report.record_init(init);
        }
        let leader = libc::clone(
            run_leader,
            context.setup.leader_stack,
            as_sibling | wait,
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
    // SAFETY: it is the `ChildContext` passed above, in memory that we share with the process that passed it.
    let context = unsafe { &*context.cast::<ChildContext<'_>>() };
    // SAFETY: we are in a child, and the pointers point into the image.
    unsafe {
        let failure = child::become_command_in_namespaces(context.image, &context.pointers);
        if context.image.gate.is_some() {
            child::report_and_exit(failure);
        }
        context.failure.set(Some(failure));
        libc::_exit(127)
    }
}
