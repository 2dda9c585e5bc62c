//! Makes mounts that one command after the other uses.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::{io, ptr};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::{self, SyscallResult};
use crate::mounts::apply::apply_step;
use crate::mounts::step::MountStep;
use crate::mounts::steps::reusable_mount_steps;
use crate::namespaces::init_process::{InitProcess, start_init};
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::{NamespaceKind, PooledNamespaces};
use crate::namespaces::process_table::{self, ProcessTable};
use crate::namespaces::spec::{detached_slots, step_name};
use crate::policy::Policy;
use crate::process_tree::children::{lock_children, reap_unregistered};

/// Mounts to be made, described so that a child need not allocate.
#[derive(Debug)]
pub(crate) struct KeptMountsSpec {
    kind: NamespaceKind,
    steps: Vec<MountStep>,
    /// Mounts that steps open, for later steps to attach.
    detached: Vec<Cell<RawFd>>,
    table: ProcessTable,
}

/// What a child opens for us, in this order, with these flags.
const OPENED: [(&CStr, c_int); 5] = [
    (c"/proc/self/ns/mnt", 0),
    // It can be opened only when a process is in it.
    (c"/proc/self/ns/pid_for_children", 0),
    (c"/dev/shm", libc::O_DIRECTORY),
    (c"/dev/pts", libc::O_DIRECTORY),
    (c"/dev/ptmx", libc::O_PATH),
];

impl KeptMountsSpec {
    /// `None` if each command with this policy needs mounts of its own.
    pub(crate) fn new(policy: &Policy) -> io::Result<Option<Self>> {
        let as_root = rustix::process::geteuid().is_root();
        let Some(steps) = reusable_mount_steps(policy, as_root)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            kind: NamespaceKind::of(policy),
            detached: detached_slots(&steps),
            steps,
            table: ProcessTable::of(policy)?,
        }))
    }

    /// Has a child make them. It shares our memory and our descriptors, so that what it opens is ours. `host_pipe`
    /// reads end of file when we are gone.
    pub(crate) fn make(
        self,
        stack: &mut ChildStack,
        host_pipe: BorrowedFd<'_>,
    ) -> io::Result<KeptMounts> {
        let namespaces = PooledNamespaces::take(self.kind, stack)?;
        let (mut init_stack, mut table_stack) = (ChildStack::small(), ChildStack::small());
        let context = MountContext {
            spec: &self,
            namespaces: &namespaces,
            host_pipe: host_pipe.as_raw_fd(),
            init_stack: init_stack.top(),
            table_stack: table_stack.top(),
            init: Cell::new(0),
            opened: Default::default(),
            steps_done: Cell::new(0),
            errno: Cell::new(0),
        };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
        let argument = (&raw const context).cast_mut().cast();
        // SAFETY: this thread waits until the child is gone, so only the child uses the context and the stack; all
        // signals are blocked, so that no handler of the host runs in it.
        let child = unsafe { libc::clone(run_child, stack.top(), flags, argument) };
        if child == -1 {
            return Err(io::Error::last_os_error());
        }
        reap_unregistered(child);
        close_all(&self.detached);
        let init = InitProcess::new(context.init.get(), init_stack);
        if let Some(init) = &init {
            lock_children().register(init.pid());
        }
        let opened = context.take_opened();
        if context.errno.get() != 0 {
            if let Some(init) = init {
                init.kill_namespace();
                init.reap();
            }
            return Err(self.make_error(&context));
        }
        KeptMounts::new(namespaces, init, opened)
    }

    fn make_error(&self, context: &MountContext<'_>) -> io::Error {
        let error = io::Error::from_raw_os_error(context.errno.get());
        let step = step_name(&self.steps, context.steps_done.get(), "keep its mounts");
        let text = format!("cannot confine the process: {error} ({step})");
        io::Error::new(error.kind(), text)
    }
}

/// Closes the mounts that a child opened, which are attached by now.
fn close_all(detached: &[Cell<RawFd>]) {
    for fd in detached.iter().map(|fd| fd.replace(-1)) {
        if fd != -1 {
            // SAFETY: the child opened it, and nothing else owns it.
            drop(unsafe { OwnedFd::from_raw_fd(fd) });
        }
    }
}

/// What the child needs to know, and what it reports.
struct MountContext<'a> {
    spec: &'a KeptMountsSpec,
    namespaces: &'a PooledNamespaces,
    host_pipe: RawFd,
    init_stack: *mut c_void,
    table_stack: *mut c_void,
    init: Cell<c_int>,
    /// Each descriptor plus one; 0 if it is not open.
    opened: [Cell<RawFd>; OPENED.len()],
    steps_done: Cell<usize>,
    /// Why no more steps are done; 0 if all are.
    errno: Cell<c_int>,
}

impl MountContext<'_> {
    fn record_failure(&self) {
        let errno = io::Error::last_os_error().raw_os_error();
        self.errno.set(errno.unwrap_or(libc::EIO));
    }

    fn take_opened(&self) -> Vec<OwnedFd> {
        let opened = self.opened.iter().map(|fd| fd.replace(0));
        let opened = opened.filter(|fd| *fd != 0);
        // SAFETY: the child opened it for us, and nothing else owns it.
        opened
            .map(|fd| unsafe { OwnedFd::from_raw_fd(fd - 1) })
            .collect()
    }
}

extern "C" fn run_child(context: *mut c_void) -> c_int {
    // SAFETY: it is the context passed above, which lives while its thread waits for us.
    let context = unsafe { &*context.cast::<MountContext<'_>>() };
    // SAFETY: we are in a child.
    unsafe {
        if mount_all(context).is_err() {
            context.record_failure();
        }
        libc::_exit(0)
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn mount_all(context: &MountContext<'_>) -> SyscallResult {
    let finish_step = || context.steps_done.set(context.steps_done.get() + 1);
    // SAFETY: system calls on memory that the context keeps.
    unsafe {
        context.namespaces.enter()?;
        finish_step();
        syscall::check(libc::unshare(libc::CLONE_NEWNS | libc::CLONE_NEWPID).into())?;
        finish_step();
        let mut opened = 0;
        for step in &context.spec.steps {
            apply_step(step, &context.spec.detached, &mut opened)?;
            finish_step();
        }
        let init = start_init(context.init_stack, context.host_pipe)?;
        context.init.set(init);
        for ((path, flags), to) in OPENED.iter().zip(&context.opened) {
            let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC | flags);
            to.set(syscall::check_descriptor(fd.into())? + 1);
        }
        // Last: it covers the `/proc` that shows this process itself.
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = (&raw const *context).cast_mut().cast();
        let child = libc::clone(mount_process_table, context.table_stack, flags, argument);
        syscall::check(child.into())?;
        libc::waitpid(child, ptr::null_mut(), 0);
        Ok(())
    }
}

/// Mounts `/proc` from inside the PID namespace that it shows.
extern "C" fn mount_process_table(context: *mut c_void) -> c_int {
    // SAFETY: it is the context passed above, which lives while its thread waits for us.
    let context = unsafe { &*context.cast::<MountContext<'_>>() };
    // SAFETY: we are in a child.
    unsafe {
        if process_table::mount(&context.spec.table).is_err() {
            context.record_failure();
        }
        libc::_exit(0)
    }
}
