//! The moment of fork.
#![expect(unsafe_code, reason = "fork and clone have no safe form")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::BorrowedFd;

use crate::after_fork::failure::ChildFailure;
use crate::after_fork::stack::ChildStack;
use crate::namespaces::command_namespaces::CommandNamespaces;
use crate::namespaces::init_process::InitProcess;
use crate::namespaces::pid_namespace::PidNamespace;
use crate::namespaces::spec::NamespaceSpec;
use crate::process_tree::children::reap_unregistered;
use crate::process_tree::spawning_thread::SpawningThread;
use crate::spawn::child;
use crate::spawn::image::{ExecPointers, ProcessImage};
use crate::spawn::setup_report::SetupReport;

/// What is handed to the child.
pub(crate) struct ChildContext<'a> {
    pub(crate) image: &'a ProcessImage,
    pub(crate) pointers: ExecPointers,
    parent: c_int,
    /// Filled by a child in our memory that could not become the command.
    pub(crate) failure: Cell<Option<ChildFailure>>,
    pub(crate) setup: SetupContext<'a>,
}

/// What a founder is handed beyond that.
pub(crate) struct SetupContext<'a> {
    pub(crate) report: &'a SetupReport,
    /// Ends when we do.
    pub(crate) life: BorrowedFd<'a>,
    pub(crate) leader_stack: *mut c_void,
    pub(crate) init_stack: *mut c_void,
    place: Option<&'a CommandNamespaces>,
}

/// What the children of one thread have in common.
#[derive(Debug)]
pub(crate) struct SpawnContext<'a> {
    pub(crate) report: &'a SetupReport,
    /// Ends when we do.
    pub(crate) life: BorrowedFd<'a>,
    /// Knows the child that borrows our memory.
    pub(crate) thread: &'a SpawningThread,
    pub(crate) setup_stack: ChildStack,
    pub(crate) leader_stack: ChildStack,
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct ForkedChild {
    pub(crate) pid: i32,
    /// The first process of its namespace, if it has one.
    pub(crate) guard: Option<PidNamespace>,
    /// Why it did not become the command, if that is known by then.
    pub(crate) failure: Option<ChildFailure>,
}

/// Starts the child. Our copies of its descriptors are closed.
///
/// The child dies with the calling thread, which therefore has to outlive it; and it begins with the signals blocked
/// that are blocked here.
pub(crate) fn start(image: ProcessImage, spawn: &mut SpawnContext<'_>) -> io::Result<ForkedChild> {
    if let Some(namespaces) = &image.namespaces {
        let place = CommandNamespaces::for_command(namespaces, &mut spawn.setup_stack)?;
        return start_inside(&image, namespaces, place, spawn);
    }
    let context = ChildContext::of(&image, spawn);
    let pid = fork_child(&context, spawn)?;
    Ok(ForkedChild {
        pid,
        guard: None,
        failure: context.failure.get(),
    })
}

impl<'a> ChildContext<'a> {
    fn of<'c: 'a>(image: &'a ProcessImage, spawn: &mut SpawnContext<'c>) -> Self {
        Self {
            image,
            pointers: ExecPointers::to(image),
            // SAFETY: no arguments.
            parent: unsafe { libc::getpid() },
            failure: Cell::new(None),
            setup: SetupContext {
                report: spawn.report,
                life: spawn.life,
                leader_stack: spawn.leader_stack.top(),
                init_stack: std::ptr::null_mut(),
                place: None,
            },
        }
    }
}

fn fork_child(context: &ChildContext<'_>, spawn: &mut SpawnContext<'_>) -> io::Result<i32> {
    let pid = match context.image.hold {
        Some(_) => fork_copy(context),
        None => clone_sharing_memory(context, &mut spawn.setup_stack, spawn.thread),
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Has a founder start the child and its guard, takes leave of the founder, and returns whom it left.
fn start_inside(
    image: &ProcessImage,
    namespaces: &NamespaceSpec,
    place: CommandNamespaces,
    spawn: &mut SpawnContext<'_>,
) -> io::Result<ForkedChild> {
    let mut stack = ChildStack::small();
    let mut context = ChildContext::of(image, spawn);
    if matches!(place, CommandNamespaces::New(_)) {
        context.setup.init_stack = stack.top();
    }
    context.setup.place = Some(&place);
    spawn.report.clear();
    reap_unregistered(fork_child(&context, spawn)?);
    let failure = context.failure.get();
    let guard = spawn.report.guard();
    let guard = guard.and_then(|pid| InitProcess::new(pid, stack));
    match (spawn.report.leader(), guard, place) {
        (Some(pid), Some(first), CommandNamespaces::New(ground)) => Ok(ForkedChild {
            pid,
            guard: Some(PidNamespace::Own(first, ground)),
            failure,
        }),
        (Some(pid), None, CommandNamespaces::Kept(mounts)) => Ok(ForkedChild {
            pid,
            guard: Some(PidNamespace::Kept(mounts)),
            failure,
        }),
        (_, guard, _) => {
            if let Some(guard) = guard {
                guard.end();
                guard.reap();
            }
            Err(setup_error(spawn.report, namespaces))
        }
    }
}

fn setup_error(report: &SetupReport, namespaces: &NamespaceSpec) -> io::Error {
    let Some((part, failure)) = report.failure() else {
        return io::Error::other("cannot confine the process: whoever was to do it was killed");
    };
    let error = io::Error::from_raw_os_error(failure.errno);
    let part = namespaces.part(part);
    io::Error::new(
        error.kind(),
        format!("cannot confine the process: {error} ({part})"),
    )
}

/// Starts a child with a copy of our memory, for it will wait at a gate while we go on.
fn fork_copy(context: &ChildContext<'_>) -> c_int {
    // SAFETY: the child runs `live` only, which keeps to what is allowed after a fork of many threads.
    match unsafe { libc::fork() } {
        // SAFETY: we are in the child, and the pointers point into the image, which this copy of the memory keeps.
        0 => unsafe { child::tell(run_child(context)) },
        pid => pid,
    }
}

/// # Safety
/// To be called in a child only.
unsafe fn run_child(context: &ChildContext<'_>) -> ChildFailure {
    // SAFETY: the pointers point into the image.
    unsafe {
        if let (Some(namespaces), Some(place)) = (&context.image.namespaces, context.setup.place) {
            crate::spawn::setup::set_up(context, namespaces, place);
        }
        child::become_command(context.image, &context.pointers, context.parent)
    }
}

/// Starts a child in our own memory while this thread waits until it has become the command.
///
/// A copy costs about a millisecond per ten megabytes we occupy; this costs the same however large we are.
fn clone_sharing_memory(
    context: &ChildContext<'_>,
    stack: &mut ChildStack,
    thread: &SpawningThread,
) -> c_int {
    extern "C" fn enter(context: *mut c_void) -> c_int {
        // SAFETY: it is the `ChildContext` passed below, which lives while its thread waits for us.
        let context = unsafe { &*context.cast::<ChildContext<'_>>() };
        // SAFETY: we are in the child, and the pointers point into the image.
        let failure = unsafe { run_child(context) };
        context.failure.set(Some(failure));
        // SAFETY: ends this process only, and runs nothing of the host's on the way.
        unsafe { libc::_exit(127) }
    }

    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT_SETTID | libc::SIGCHLD;
    // SAFETY: until the child has left our memory by exec or exit this thread stands still, so `context`, the stack and
    // even `errno` are the child's alone; it writes to nothing else. Stacks grow down from an aligned top. The kernel
    // writes the child's number to the slot, which lives through the call, before the child runs.
    unsafe {
        libc::clone(
            enter,
            stack.top(),
            flags,
            (&raw const *context).cast_mut().cast(),
            thread.starting_slot(),
        )
    }
}
