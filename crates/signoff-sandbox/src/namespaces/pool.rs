//! User and network namespaces, made once and used by one command after the other.
//!
//! To make a network costs more than to start a command. Nothing of a command stays in either: it has no rights in
//! them, so it cannot change them, and its sockets are gone when all its processes are. What can outlast processes
//! (mounts, shared memory, the table of processes) is made for every command anew.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::ffi::{CStr, c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{io, ptr};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::{self, SyscallError};
use crate::namespaces::id_maps::Maps;
use crate::policy::{Nesting, Network, Policy};

/// How many are kept for later.
const KEPT: usize = 64;

static UNUSED: Mutex<Vec<PooledNamespaces>> = Mutex::new(Vec::new());

/// Namespaces that one command at a time lives in.
#[derive(Debug)]
pub(crate) struct PooledNamespaces {
    kind: NamespaceKind,
    user: OwnedFd,
    network: Option<OwnedFd>,
}

/// What a command may do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamespaceKind {
    pub(crate) network: Network,
    pub(crate) nesting: Nesting,
}

impl NamespaceKind {
    pub(crate) fn of(policy: &Policy) -> Self {
        Self {
            network: policy.network,
            nesting: policy.nesting,
        }
    }
}

impl PooledNamespaces {
    /// Returns one that nobody uses.
    pub(crate) fn take(kind: NamespaceKind, stack: &mut ChildStack) -> io::Result<Self> {
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
    pub(crate) unsafe fn enter(&self) -> Result<(), SyscallError> {
        // SAFETY: plain system calls.
        unsafe {
            syscall::check(libc::setns(self.user.as_raw_fd(), libc::CLONE_NEWUSER).into())?;
            match &self.network {
                Some(network) => {
                    syscall::check(libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET).into())
                }
                None => Ok(()),
            }
        }
    }
}

/// What is handed to the two children that make one; they write back what they did.
///
/// The *mapper* stays where we are, because only there root may map users other than itself. The *maker* lives in the
/// new namespaces and waits until it is mapped.
struct Order {
    kind: NamespaceKind,
    maps: Maps,
    maker_stack: *mut c_void,
    /// Whether the maker may go on: `WAIT`, `GO` or `GIVE_UP`.
    word: AtomicU32,
    user: AtomicI32,
    network: AtomicI32,
    /// How far it came, and why no further.
    done: AtomicUsize,
    errno: AtomicI32,
}

const WAIT: u32 = 0;
const GO: u32 = 1;
const GIVE_UP: u32 = 2;

const PARTS: [&str; 5] = [
    "make a user namespace",
    "map its user",
    "deny namespaces inside of it",
    "bring up its network",
    "keep it",
];

/// Has children make it, which share our memory and our descriptors, so that those they open are ours.
fn make(kind: NamespaceKind, stack: &mut ChildStack) -> io::Result<PooledNamespaces> {
    let mut maker_stack = ChildStack::small();
    let order = Order {
        kind,
        maps: Maps::own()?,
        maker_stack: maker_stack.top(),
        word: AtomicU32::new(WAIT),
        user: AtomicI32::new(-1),
        network: AtomicI32::new(-1),
        done: AtomicUsize::new(0),
        errno: AtomicI32::new(0),
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: this thread stands still until the child is gone, and the child until its own is, so the order and the
    // stacks are theirs alone; all signals are blocked, so that no handler of the host's runs in them.
    let child = unsafe {
        libc::clone(
            map,
            stack.top(),
            flags,
            (&raw const order).cast_mut().cast(),
        )
    };
    if child == -1 {
        return Err(io::Error::last_os_error());
    }
    crate::process_tree::children::reap_unregistered(child);
    let opened = |fd: &AtomicI32| match fd.load(Ordering::Acquire) {
        -1 => None,
        // SAFETY: the child opened it for us, and nobody else knows of it.
        fd => Some(unsafe { OwnedFd::from_raw_fd(fd) }),
    };
    let (user, network) = (opened(&order.user), opened(&order.network));
    match (order.done.load(Ordering::Acquire), user) {
        (done, Some(user)) if done == PARTS.len() => Ok(PooledNamespaces {
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

/// The mapper: starts the maker, maps its users, and waits for its end.
extern "C" fn map(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while its thread waits for us.
    let order = unsafe { &*order.cast::<Order>() };
    let off = order.kind.network == Network::Off;
    let network = if off { libc::CLONE_NEWNET } else { 0 };
    let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_NEWUSER | network | libc::SIGCHLD;
    // SAFETY: we are in a child; the maker has a stack of its own. It shares our `errno`, and makes no call that
    // could fail before we gave the word, after which we make none whose failure matters.
    unsafe {
        let argument = (&raw const *order).cast_mut().cast();
        let maker = libc::clone(make_inside, order.maker_stack, flags, argument);
        if maker == -1 {
            order.note_failure();
            libc::_exit(0);
        }
        order.part_done();
        let word = match order.maps.write(maker) {
            Ok(()) => GO,
            Err(SyscallError) => {
                order.note_failure();
                GIVE_UP
            }
        };
        order.give(word);
        libc::waitpid(maker, ptr::null_mut(), 0);
        libc::_exit(0)
    }
}

/// The maker: does everything that has to be done inside.
extern "C" fn make_inside(order: *mut c_void) -> c_int {
    // SAFETY: it is the order passed above, which lives while the mapper waits for us.
    let order = unsafe { &*order.cast::<Order>() };
    // SAFETY: we are in a child.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if order.wait() == GO {
            order.part_done();
            if carry_out(order).is_err() {
                order.note_failure();
            }
        }
        libc::_exit(0)
    }
}

impl Order {
    fn part_done(&self) {
        self.done.fetch_add(1, Ordering::AcqRel);
    }

    /// Keeps the `errno` of the calling process.
    fn note_failure(&self) {
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        self.errno.store(errno, Ordering::Release);
    }

    fn give(&self, word: u32) {
        self.word.store(word, Ordering::Release);
        // SAFETY: the word lives longer than the call.
        unsafe { libc::syscall(libc::SYS_futex, self.word.as_ptr(), libc::FUTEX_WAKE, 1) };
    }

    fn wait(&self) -> u32 {
        loop {
            match self.word.load(Ordering::Acquire) {
                // SAFETY: the word lives longer than the call; there is no limit of time.
                WAIT => unsafe {
                    let forever = ptr::null::<libc::timespec>();
                    let word = self.word.as_ptr();
                    libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, WAIT, forever);
                },
                word => return word,
            }
        }
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn carry_out(order: &Order) -> Result<(), SyscallError> {
    let off = order.kind.network == Network::Off;
    // SAFETY: system calls on memory that the order keeps.
    unsafe {
        if order.kind.nesting == Nesting::Denied {
            syscall::write_file(c"/proc/sys/user/max_user_namespaces", b"0")?;
        }
        order.part_done();
        if off {
            loopback()?;
        }
        order.part_done();
        keep(c"/proc/self/ns/user", &order.user)?;
        if off {
            keep(c"/proc/self/ns/net", &order.network)?;
        }
        order.part_done();
        Ok(())
    }
}

/// # Safety
/// As `carry_out`.
unsafe fn keep(path: &CStr, to: &AtomicI32) -> Result<(), SyscallError> {
    // SAFETY: a plain system call.
    match unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) } {
        -1 => Err(SyscallError),
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
unsafe fn loopback() -> Result<(), SyscallError> {
    /// The interface is up.
    const UP: i16 = 1;
    // SAFETY: the request is all zero but for the fields set, and lives through the call.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket == -1 {
            return Err(SyscallError);
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = (*from).cast_signed();
        }
        request.ifr_ifru.ifru_flags = UP;
        let up = libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request);
        let up = syscall::check(up.into());
        // The descriptor is the host's too.
        if up.is_ok() {
            libc::close(socket);
        }
        up
    }
}
