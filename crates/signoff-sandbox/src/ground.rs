//! User and network namespaces, made once and used by one command after the other.
//!
//! To make a network costs more than to start a command. Nothing of a command stays in either: it has no rights in
//! them, so it cannot change them, and its sockets are gone when all its processes are. What can outlast processes
//! (mounts, shared memory, the table of processes) is made for every command anew.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::confine::{self, Failed};
use crate::fork::Stack;
use crate::policy::{Nesting, Network};

/// How many are kept for later.
const KEPT: usize = 64;

static UNUSED: Mutex<Vec<Ground>> = Mutex::new(Vec::new());

/// Namespaces that one command at a time lives in.
#[derive(Debug)]
pub(crate) struct Ground {
    kind: Kind,
    user: OwnedFd,
    network: Option<OwnedFd>,
}

/// What a command may do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) network: Network,
    pub(crate) nesting: Nesting,
}

impl Ground {
    /// Returns one that nobody uses.
    pub(crate) fn take(kind: Kind, stack: &mut Stack) -> io::Result<Self> {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = unused.iter().position(|ground| ground.kind == kind) {
            return Ok(unused.swap_remove(index));
        }
        drop(unused);
        make(kind, stack)
    }

    /// Leaves it to the next one. Nobody is left in there.
    pub(crate) fn give_back(self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < KEPT {
            unused.push(self);
        }
    }

    /// Moves the calling process there, which gets all rights in it.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> Result<(), Failed> {
        // SAFETY: plain system calls.
        unsafe {
            confine::done(libc::setns(self.user.as_raw_fd(), libc::CLONE_NEWUSER).into())?;
            match &self.network {
                Some(network) => {
                    confine::done(libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET).into())
                }
                None => Ok(()),
            }
        }
    }
}

/// What is handed to the child that makes one; it writes back what it did.
struct Order {
    kind: Kind,
    user_map: CString,
    group_map: CString,
    user: AtomicI32,
    network: AtomicI32,
    /// How far it came, and why no further.
    done: AtomicUsize,
    errno: AtomicI32,
}

const PARTS: [&str; 5] = [
    "make a user namespace",
    "map its user",
    "deny namespaces inside of it",
    "bring up its network",
    "keep it",
];

/// Has a child make it, which shares our memory and our descriptors, so that those it opens are ours.
fn make(kind: Kind, stack: &mut Stack) -> io::Result<Ground> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    let order = Order {
        kind,
        user_map: CString::new(format!("{user} {user} 1"))?,
        group_map: CString::new(format!("{group} {group} 1"))?,
        user: AtomicI32::new(-1),
        network: AtomicI32::new(-1),
        done: AtomicUsize::new(0),
        errno: AtomicI32::new(0),
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: this thread stands still until the child is gone, so the order and the stack are the child's alone; all
    // signals are blocked, so that no handler of the host's runs in it.
    let child = unsafe {
        libc::clone(
            work,
            stack.top(),
            flags,
            (&raw const order).cast_mut().cast(),
        )
    };
    if child == -1 {
        return Err(io::Error::last_os_error());
    }
    crate::fork::reap(child);
    let opened = |fd: &AtomicI32| match fd.load(Ordering::Acquire) {
        -1 => None,
        // SAFETY: the child opened it for us, and nobody else knows of it.
        fd => Some(unsafe { OwnedFd::from_raw_fd(fd) }),
    };
    let (user, network) = (opened(&order.user), opened(&order.network));
    match (order.done.load(Ordering::Acquire), user) {
        (done, Some(user)) if done == PARTS.len() => Ok(Ground {
            kind,
            user,
            network,
        }),
        (done, _) => Err(unmade(done, order.errno.load(Ordering::Acquire))),
    }
}

fn unmade(done: usize, errno: i32) -> io::Error {
    let error = io::Error::from_raw_os_error(errno);
    let part = PARTS.get(done).copied().unwrap_or_default();
    io::Error::new(
        error.kind(),
        format!("cannot confine the process: {error} ({part})"),
    )
}

extern "C" fn work(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while its thread waits for us.
    let order = unsafe { &*order.cast::<Order>() };
    // SAFETY: we are in a child.
    unsafe {
        if carry_out(order).is_err() {
            let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
            order.errno.store(errno, Ordering::Release);
        }
        libc::_exit(0)
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn carry_out(order: &Order) -> Result<(), Failed> {
    let part_done = || order.done.fetch_add(1, Ordering::AcqRel);
    let off = order.kind.network == Network::Off;
    let network = if off { libc::CLONE_NEWNET } else { 0 };
    // SAFETY: system calls on memory that the order keeps.
    unsafe {
        confine::done(libc::unshare(libc::CLONE_NEWUSER | network).into())?;
        part_done();
        confine::write(c"/proc/self/setgroups", b"deny")?;
        confine::write(c"/proc/self/uid_map", order.user_map.as_bytes())?;
        confine::write(c"/proc/self/gid_map", order.group_map.as_bytes())?;
        part_done();
        if order.kind.nesting == Nesting::Denied {
            confine::write(c"/proc/sys/user/max_user_namespaces", b"0")?;
        }
        part_done();
        if off {
            loopback()?;
        }
        part_done();
        keep(c"/proc/self/ns/user", &order.user)?;
        if off {
            keep(c"/proc/self/ns/net", &order.network)?;
        }
        part_done();
        Ok(())
    }
}

/// # Safety
/// As `carry_out`.
unsafe fn keep(path: &CStr, to: &AtomicI32) -> Result<(), Failed> {
    // SAFETY: a plain system call.
    match unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) } {
        -1 => Err(Failed),
        fd => {
            to.store(fd, Ordering::Release);
            Ok(())
        }
    }
}

/// Lets the command talk to itself.
///
/// # Safety
/// As `carry_out`.
unsafe fn loopback() -> Result<(), Failed> {
    /// The interface is up.
    const UP: i16 = 1;
    // SAFETY: the request is all zero but for the fields set, and lives through the call.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket == -1 {
            return Err(Failed);
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = (*from).cast_signed();
        }
        request.ifr_ifru.ifru_flags = UP;
        let up = libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request);
        let up = confine::done(up.into());
        // The descriptor is the host's too.
        if up.is_ok() {
            libc::close(socket);
        }
        up
    }
}
