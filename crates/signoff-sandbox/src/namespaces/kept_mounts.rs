//! Mounts that are made once and found by one command after the other, with a process namespace to go with them.
//!
//! To make a command's mounts costs more than to start it. Whoever knows that a command left its directories as they
//! were hands the same mounts to the next one. What else it could leave is looked at here: processes, shared memory
//! and terminals. The empty directories in place of hidden ones cannot be written to.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io, ptr};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::{self, SyscallError};
use crate::mounts::apply;
use crate::mounts::steps::{self, MountStep};
use crate::namespaces::init_process::{InitProcess, start_init};
use crate::namespaces::pool::{NamespaceKind, PooledNamespaces};
use crate::namespaces::process_table::{self, ProcessTable};
use crate::namespaces::spec::{empty_slots, part_name};
use crate::policy::Policy;
use crate::process_tree::children::{lock_children, reap_unregistered};

/// Mounts for commands of one and the same policy, which run one after the other.
///
/// They are gone when the last copy of this is dropped and no command is left.
#[derive(Debug, Clone)]
pub struct KeptMounts(Arc<Made>);

/// Namespaces with everything mounted.
#[derive(Debug)]
struct Made {
    /// Always there until they are given back.
    ground: Option<PooledNamespaces>,
    first: Option<InitProcess>,
    mounts: OwnedFd,
    processes: OwnedFd,
    process_namespace: u64,
    /// Shared memory and terminals, and how they looked before anybody used them.
    devices: Vec<(fs::File, Device)>,
    is_unusable: AtomicBool,
}

impl Drop for Made {
    fn drop(&mut self) {
        let Some(first) = self.first.take() else {
            return;
        };
        first.end();
        if first.reap()
            && let Some(ground) = self.ground.take()
        {
            ground.give_back();
        }
    }
}

impl KeptMounts {
    /// Has nobody left anything in shared memory or terminals, nor stayed? Of other directories the caller knows.
    pub fn are_as_new(&self) -> bool {
        let is_same = |(file, look): &(fs::File, Device)| {
            Device::look_at(file).is_ok_and(|found| found == *look)
        };
        !self.is_unusable() && self.0.devices.iter().all(is_same)
    }

    /// Moves the calling process there, or its children where that is all that can be moved.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> Result<(), SyscallError> {
        let (mounts, processes) = (self.0.mounts.as_raw_fd(), self.0.processes.as_raw_fd());
        // SAFETY: plain system calls.
        unsafe {
            self.0.ground.as_ref().ok_or(SyscallError)?.enter()?;
            syscall::check(libc::setns(mounts, libc::CLONE_NEWNS).into())?;
            syscall::check(libc::setns(processes, libc::CLONE_NEWPID).into())
        }
    }

    pub(crate) fn first(&self) -> Option<&InitProcess> {
        self.0.first.as_ref()
    }

    pub(crate) fn process_namespace(&self) -> u64 {
        self.0.process_namespace
    }

    /// Ends everybody in there. No command can be started there any more.
    pub(crate) fn give_up(&self) {
        self.0.is_unusable.store(true, Ordering::Release);
        if let Some(first) = &self.0.first {
            first.end();
        }
    }

    pub(crate) fn is_unusable(&self) -> bool {
        self.0.is_unusable.load(Ordering::Acquire)
    }
}

/// How a device or a directory of devices looks, but for its times.
#[derive(Debug, PartialEq, Eq)]
struct Device {
    mode: u32,
    owner: (u32, u32),
    names: usize,
    has_attributes: bool,
}

impl Device {
    fn look_at(file: &fs::File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = file.metadata()?;
        let (mut names, mut has_attributes) = (0, false);
        if found.is_dir() {
            names = rustix::fs::Dir::read_from(file)?.count();
            let mut listed = [0_u8; 1];
            has_attributes = match rustix::fs::flistxattr(file, &mut listed) {
                Ok(length) => length > 0,
                Err(rustix::io::Errno::NOTSUP) => false,
                Err(error) => return Err(error.into()),
            };
        }
        Ok(Self {
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            names,
            has_attributes,
        })
    }
}

/// Mounts that are to be made, laid out so that a child need not allocate.
#[derive(Debug)]
pub(crate) struct KeptMountsSpec {
    kind: NamespaceKind,
    steps: Vec<MountStep>,
    detached: Vec<Cell<RawFd>>,
    table: ProcessTable,
}

/// What a child opens for us, in this order.
const OPENED: [(&CStr, c_int); 5] = [
    (c"/proc/self/ns/mnt", 0),
    // Named only when somebody is in it.
    (c"/proc/self/ns/pid_for_children", 0),
    (c"/dev/shm", libc::O_DIRECTORY),
    (c"/dev/pts", libc::O_DIRECTORY),
    (c"/dev/ptmx", libc::O_PATH),
];

impl KeptMountsSpec {
    /// `None` if a command with this policy has to have mounts of its own.
    pub(crate) fn new(policy: &Policy) -> io::Result<Option<Self>> {
        let as_root = rustix::process::geteuid().is_root();
        let Some(steps) = steps::reusable_mount_steps(policy, as_root)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            kind: NamespaceKind::of(policy),
            detached: empty_slots(&steps),
            steps,
            table: ProcessTable::of(policy)?,
        }))
    }

    /// Has a child make them that shares our memory and our descriptors, so that those it opens are ours. `life` ends
    /// when we do.
    pub(crate) fn make(
        self,
        stack: &mut ChildStack,
        life: BorrowedFd<'_>,
    ) -> io::Result<KeptMounts> {
        let ground = PooledNamespaces::take(self.kind, stack)?;
        let (mut init_stack, mut table_stack) = (ChildStack::small(), ChildStack::small());
        let order = Order {
            wanted: &self,
            ground: &ground,
            life: life.as_raw_fd(),
            init_stack: init_stack.top(),
            table_stack: table_stack.top(),
            guard: Cell::new(0),
            opened: Default::default(),
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
        reap_unregistered(child);
        close_all(&self.detached);
        let first = InitProcess::new(order.guard.get(), init_stack);
        if let Some(first) = &first {
            lock_children().register(first.pid());
        }
        let opened = order.take_opened();
        if order.errno.get() != 0 {
            if let Some(first) = first {
                first.end();
                first.reap();
            }
            return Err(self.unmade(&order));
        }
        KeptMounts::new(ground, first, opened)
    }

    fn unmade(&self, order: &Order<'_>) -> io::Error {
        let error = io::Error::from_raw_os_error(order.errno.get());
        let part = part_name(&self.steps, order.part.get(), "keep its mounts");
        let text = format!("cannot confine the process: {error} ({part})");
        io::Error::new(error.kind(), text)
    }
}

impl KeptMounts {
    fn new(
        ground: PooledNamespaces,
        first: Option<InitProcess>,
        opened: Vec<OwnedFd>,
    ) -> io::Result<Self> {
        let mut opened = opened.into_iter();
        let (Some(mounts), Some(processes)) = (opened.next(), opened.next()) else {
            return Err(io::Error::other(
                "cannot confine the process: its mounts are gone",
            ));
        };
        let look = |fd: OwnedFd| {
            let file = fs::File::from(fd);
            let look = Device::look_at(&file)?;
            Ok((file, look))
        };
        // From here on the first process is ended with it.
        let mut made = Made {
            ground: Some(ground),
            first,
            process_namespace: 0,
            mounts,
            processes,
            devices: Vec::new(),
            is_unusable: AtomicBool::new(false),
        };
        made.process_namespace = rustix::fs::fstat(&made.processes)?.st_ino;
        made.devices = opened.map(look).collect::<io::Result<_>>()?;
        Ok(Self(Arc::new(made)))
    }
}

/// Closes what a child opened and is mounted by now.
fn close_all(detached: &[Cell<RawFd>]) {
    for fd in detached.iter().map(|fd| fd.replace(-1)) {
        if fd != -1 {
            // SAFETY: the child opened it, and nobody else knows of it.
            drop(unsafe { OwnedFd::from_raw_fd(fd) });
        }
    }
}

/// What is handed to the child that makes them; it writes back what it did.
struct Order<'a> {
    wanted: &'a KeptMountsSpec,
    ground: &'a PooledNamespaces,
    life: RawFd,
    init_stack: *mut c_void,
    table_stack: *mut c_void,
    guard: Cell<c_int>,
    /// Counted from one.
    opened: [Cell<RawFd>; OPENED.len()],
    /// How far it came, and why no further.
    part: Cell<usize>,
    errno: Cell<c_int>,
}

impl Order<'_> {
    fn note_failure(&self) {
        let errno = io::Error::last_os_error().raw_os_error();
        self.errno.set(errno.unwrap_or(libc::EIO));
    }

    fn take_opened(&self) -> Vec<OwnedFd> {
        let opened = self.opened.iter().map(|fd| fd.replace(0));
        let opened = opened.filter(|fd| *fd != 0);
        // SAFETY: the child opened it for us, and nobody else knows of it.
        opened
            .map(|fd| unsafe { OwnedFd::from_raw_fd(fd - 1) })
            .collect()
    }
}

extern "C" fn carry_out(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while its thread waits for us.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    // SAFETY: we are in a child.
    unsafe {
        if mount_all(order).is_err() {
            order.note_failure();
        }
        libc::_exit(0)
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn mount_all(order: &Order<'_>) -> Result<(), SyscallError> {
    let next = || order.part.set(order.part.get() + 1);
    // SAFETY: system calls on memory that the order keeps.
    unsafe {
        order.ground.enter()?;
        next();
        syscall::check(libc::unshare(libc::CLONE_NEWNS | libc::CLONE_NEWPID).into())?;
        next();
        let mut detached = 0;
        for step in &order.wanted.steps {
            apply::apply_step(step, &order.wanted.detached, &mut detached)?;
            next();
        }
        order.guard.set(start_init(order.init_stack, order.life)?);
        for ((path, flags), to) in OPENED.iter().zip(&order.opened) {
            let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC | flags);
            to.set(syscall::check_descriptor(fd.into())? + 1);
        }
        // Last: it covers the one that shows us to ourselves.
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = (&raw const *order).cast_mut().cast();
        let child = libc::clone(show_processes, order.table_stack, flags, argument);
        syscall::check(child.into())?;
        libc::waitpid(child, ptr::null_mut(), 0);
        Ok(())
    }
}

/// Mounts the table of the processes that it is one of.
extern "C" fn show_processes(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while its thread waits for us.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    // SAFETY: we are in a child.
    unsafe {
        if process_table::mount(&order.wanted.table).is_err() {
            order.note_failure();
        }
        libc::_exit(0)
    }
}
