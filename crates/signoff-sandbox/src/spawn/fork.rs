//! Forks a child: by a copy of our memory if it waits at a gate, otherwise in our own memory.
#![expect(unsafe_code, reason = "fork and clone have no safe form")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::BorrowedFd;

use rustix::process::Pid;

use crate::after_fork::failure::ChildFailure;
use crate::after_fork::stack::ChildStack;
use crate::namespaces::command_namespaces::CommandNamespaces;
use crate::namespaces::init_process::InitProcess;
use crate::namespaces::pid_namespace::PidNamespace;
use crate::namespaces::spec::NamespaceSpec;
use crate::process_tree::children::reap_unregistered;
use crate::process_tree::spawning_thread::SpawningThread;
use crate::spawn::image::{ExecPointers, ProcessImage};
use crate::spawn::setup_report::SetupReport;
use crate::spawn::{child, setup};

/// What a child needs to know.
pub(crate) struct ChildContext<'a> {
    pub(crate) image: &'a ProcessImage,
    pub(crate) pointers: ExecPointers,
    parent: c_int,
    /// Set by a child in our memory that could not become the command.
    pub(crate) failure: Cell<Option<ChildFailure>>,
    pub(crate) setup: SetupContext<'a>,
}

/// What a setup process needs to know beyond that.
pub(crate) struct SetupContext<'a> {
    pub(crate) report: &'a SetupReport,
    /// Reads end of file when this process is gone.
    pub(crate) host_pipe: BorrowedFd<'a>,
    pub(crate) leader_stack: *mut c_void,
    /// Null where the PID namespace has its init process already.
    pub(crate) init_stack: *mut c_void,
    namespaces: Option<&'a CommandNamespaces>,
}

/// What all children of the spawning thread share.
#[derive(Debug)]
pub(crate) struct SpawnContext<'a> {
    pub(crate) report: &'a SetupReport,
    /// Reads end of file when this process is gone.
    pub(crate) host_pipe: BorrowedFd<'a>,
    pub(crate) thread: &'a SpawningThread,
    pub(crate) setup_stack: ChildStack,
    pub(crate) leader_stack: ChildStack,
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct ForkedChild {
    pub(crate) pid: Pid,
    /// The PID namespace it lives in, if that is not ours.
    pub(crate) pid_namespace: Option<PidNamespace>,
    /// Why it did not become the command, if that is known already.
    pub(crate) failure: Option<ChildFailure>,
}

/// Starts the child and closes our copies of its descriptors.
///
/// The child dies with the calling thread, which therefore has to outlive it. It starts with the signals blocked that
/// the calling thread blocks.
pub(crate) fn start(image: ProcessImage, spawn: &mut SpawnContext<'_>) -> io::Result<ForkedChild> {
    if let Some(spec) = &image.namespaces {
        let namespaces = CommandNamespaces::for_command(spec, &mut spawn.setup_stack)?;
        return start_in_namespaces(&image, spec, namespaces, spawn);
    }
    let context = ChildContext::new(&image, spawn);
    let pid = fork_child(&context, spawn)?;
    Ok(ForkedChild {
        pid: known_pid(pid)?,
        pid_namespace: None,
        failure: context.failure.get(),
    })
}

impl<'a> ChildContext<'a> {
    fn new<'c: 'a>(image: &'a ProcessImage, spawn: &mut SpawnContext<'c>) -> Self {
        Self {
            image,
            pointers: ExecPointers::new(image),
            // SAFETY: no arguments.
            parent: unsafe { libc::getpid() },
            failure: Cell::new(None),
            setup: SetupContext {
                report: spawn.report,
                host_pipe: spawn.host_pipe,
                leader_stack: spawn.leader_stack.top(),
                init_stack: std::ptr::null_mut(),
                namespaces: None,
            },
        }
    }
}

fn fork_child(context: &ChildContext<'_>, spawn: &mut SpawnContext<'_>) -> io::Result<c_int> {
    let pid = match context.image.gate {
        Some(_) => fork_copy(context),
        None => clone_sharing_memory(context, &mut spawn.setup_stack, spawn.thread),
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Has a setup process start the child, and an init process where there is none; then reaps the setup process.
fn start_in_namespaces(
    image: &ProcessImage,
    spec: &NamespaceSpec,
    namespaces: CommandNamespaces,
    spawn: &mut SpawnContext<'_>,
) -> io::Result<ForkedChild> {
    let mut init_stack = ChildStack::small();
    let mut context = ChildContext::new(image, spawn);
    if matches!(namespaces, CommandNamespaces::New(_)) {
        context.setup.init_stack = init_stack.top();
    }
    context.setup.namespaces = Some(&namespaces);
    spawn.report.clear();
    reap_unregistered(fork_child(&context, spawn)?);
    let failure = context.failure.get();
    let init = spawn.report.init();
    let init = init.and_then(|pid| InitProcess::new(pid, init_stack));
    let (pid, pid_namespace) = match (spawn.report.leader(), init, namespaces) {
        (Some(pid), Some(init), CommandNamespaces::New(namespaces)) => {
            (pid, PidNamespace::Own { init, namespaces })
        }
        (Some(pid), None, CommandNamespaces::Kept(mounts)) => (pid, PidNamespace::Kept(mounts)),
        (_, init, _) => {
            if let Some(init) = init {
                init.kill_namespace();
                init.reap();
            }
            return Err(setup_error(spawn.report, spec));
        }
    };
    Ok(ForkedChild {
        pid: known_pid(pid)?,
        pid_namespace: Some(pid_namespace),
        failure,
    })
}

fn known_pid(pid: c_int) -> io::Result<Pid> {
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave a child no process number"))
}

fn setup_error(report: &SetupReport, spec: &NamespaceSpec) -> io::Error {
    let Some(failed) = report.failure() else {
        return io::Error::other("cannot confine the process: its setup process was killed");
    };
    let error = io::Error::from_raw_os_error(failed.failure.errno);
    let step = spec.step_name(failed.steps_done);
    io::Error::new(
        error.kind(),
        format!("cannot confine the process: {error} ({step})"),
    )
}

/// Forks a child with a copy of our memory: it waits at its gate while we go on.
fn fork_copy(context: &ChildContext<'_>) -> c_int {
    // SAFETY: the child runs `run_child` only, which keeps to what is allowed after a fork of many threads.
    match unsafe { libc::fork() } {
        // SAFETY: we are in the child, and the pointers point into the image, which this copy of the memory keeps.
        0 => unsafe { child::report_and_exit(run_child(context)) },
        pid => pid,
    }
}

/// # Safety
/// To be called in a child only.
unsafe fn run_child(context: &ChildContext<'_>) -> ChildFailure {
    // SAFETY: the pointers point into the image.
    unsafe {
        if let (Some(spec), Some(namespaces)) =
            (&context.image.namespaces, context.setup.namespaces)
        {
            setup::set_up(context, spec, namespaces);
        }
        child::become_command(context.image, &context.pointers, context.parent)
    }
}

/// Starts a child in our own memory, and waits until it has become the command.
///
/// A copy costs about a millisecond for every ten megabytes we occupy; this costs the same however large we are.
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
        // SAFETY: ends this process only, and runs none of the host's exit handlers.
        unsafe { libc::_exit(127) }
    }

    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT_SETTID | libc::SIGCHLD;
    // SAFETY: this thread does not run until the child has left our memory by exec or exit, so only the child uses
    // `context`, the stack and even `errno`; it writes to nothing else. Stacks grow down from an aligned top. The
    // kernel writes the child's number to the slot, which lives through the call, before the child runs.
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
