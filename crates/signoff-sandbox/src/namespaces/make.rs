//! Makes a user namespace and, where the network is off, a network namespace.
//!
//! Two children do it. The *mapper* stays in our user namespace, because only there root may map users other than
//! itself. The *maker* lives in the new namespaces and waits until it is mapped.
#![expect(unsafe_code, reason = "clone and namespaces have no safe form here")]

use std::ffi::{CStr, c_int, c_void};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::{io, ptr};

use crate::after_fork::failure;
use crate::after_fork::stack::ChildStack;
use crate::after_fork::syscall::{self, SyscallError, SyscallResult};
use crate::namespaces::id_maps::IdMaps;
use crate::namespaces::pool::{NamespaceKind, PooledNamespaces};
use crate::policy::{Nesting, Network};
use crate::process_tree::children::reap_unregistered;

/// What the two children need to know, and what they report.
struct MakeContext {
    kind: NamespaceKind,
    maps: IdMaps,
    maker_stack: *mut c_void,
    /// Whether the maker may go on: `WAIT`, `GO` or `STOP`.
    signal: AtomicU32,
    user: AtomicI32,
    network: AtomicI32,
    /// How many of `STEPS` are done.
    steps_done: AtomicUsize,
    /// Why no more are.
    errno: AtomicI32,
}

const WAIT: u32 = 0;
const GO: u32 = 1;
const STOP: u32 = 2;

const STEPS: [&str; 5] = [
    "make a user namespace",
    "map its user",
    "deny namespaces inside of it",
    "bring up its network",
    "keep it",
];

/// Has two children make the namespaces. They share our memory and our descriptors, so that what they open is ours.
pub(crate) fn make_namespaces(
    kind: NamespaceKind,
    stack: &mut ChildStack,
) -> io::Result<PooledNamespaces> {
    let mut maker_stack = ChildStack::small();
    let context = MakeContext {
        kind,
        maps: IdMaps::identity_maps()?,
        maker_stack: maker_stack.top(),
        signal: AtomicU32::new(WAIT),
        user: AtomicI32::new(-1),
        network: AtomicI32::new(-1),
        steps_done: AtomicUsize::new(0),
        errno: AtomicI32::new(0),
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    let argument = (&raw const context).cast_mut().cast();
    // SAFETY: this thread waits until the mapper is gone, and the mapper until the maker is, so only they use the
    // context and the stacks; all signals are blocked, so that no handler of the host runs in them.
    let mapper = unsafe { libc::clone(run_mapper, stack.top(), flags, argument) };
    if mapper == -1 {
        return Err(io::Error::last_os_error());
    }
    reap_unregistered(mapper);
    let opened = |fd: &AtomicI32| match fd.load(Ordering::Acquire) {
        -1 => None,
        // SAFETY: the maker opened it for us, and nothing else owns it.
        fd => Some(unsafe { OwnedFd::from_raw_fd(fd) }),
    };
    let (user, network) = (opened(&context.user), opened(&context.network));
    match (context.steps_done.load(Ordering::Acquire), user) {
        (done, Some(user)) if done == STEPS.len() => Ok(PooledNamespaces {
            kind,
            user,
            network,
        }),
        (done, _) => Err(make_error(done, context.errno.load(Ordering::Acquire))),
    }
}

fn make_error(steps_done: usize, errno: i32) -> io::Error {
    let error = io::Error::from_raw_os_error(errno);
    let step = STEPS.get(steps_done).copied().unwrap_or_default();
    io::Error::new(
        error.kind(),
        format!("cannot confine the process: {error} ({step})"),
    )
}

/// Starts the maker, maps its users, and waits for its end.
extern "C" fn run_mapper(context: *mut c_void) -> c_int {
    // SAFETY: it is the context passed above, which lives while its thread waits for us.
    let context = unsafe { &*context.cast::<MakeContext>() };
    let off = context.kind.network == Network::Off;
    let network = if off { libc::CLONE_NEWNET } else { 0 };
    let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_NEWUSER | network | libc::SIGCHLD;
    // SAFETY: we are in a child; the maker has a stack of its own. It shares our `errno`, but makes no call that can
    // fail before our signal, after which we make none whose failure matters.
    unsafe {
        let argument = (&raw const *context).cast_mut().cast();
        let maker = libc::clone(run_maker, context.maker_stack, flags, argument);
        if maker == -1 {
            context.record_failure();
            libc::_exit(0);
        }
        context.finish_step();
        let signal = match context.maps.write(maker) {
            Ok(()) => GO,
            Err(SyscallError) => {
                context.record_failure();
                STOP
            }
        };
        context.send_signal(signal);
        libc::waitpid(maker, ptr::null_mut(), 0);
        libc::_exit(0)
    }
}

/// Does everything that has to be done in the new namespaces.
extern "C" fn run_maker(context: *mut c_void) -> c_int {
    // SAFETY: it is the context passed above, which lives while the mapper waits for us.
    let context = unsafe { &*context.cast::<MakeContext>() };
    // SAFETY: we are in a child.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if context.wait_for_signal() == GO {
            context.finish_step();
            if configure(context).is_err() {
                context.record_failure();
            }
        }
        libc::_exit(0)
    }
}

impl MakeContext {
    fn finish_step(&self) {
        self.steps_done.fetch_add(1, Ordering::AcqRel);
    }

    /// Records the `errno` of the calling process.
    fn record_failure(&self) {
        self.errno.store(failure::errno(), Ordering::Release);
    }

    fn send_signal(&self, signal: u32) {
        self.signal.store(signal, Ordering::Release);
        let futex = self.signal.as_ptr();
        // SAFETY: the futex lives longer than the call.
        unsafe { libc::syscall(libc::SYS_futex, futex, libc::FUTEX_WAKE, 1) };
    }

    fn wait_for_signal(&self) -> u32 {
        loop {
            match self.signal.load(Ordering::Acquire) {
                // SAFETY: the futex lives longer than the call; there is no timeout.
                WAIT => unsafe {
                    let forever = ptr::null::<libc::timespec>();
                    let futex = self.signal.as_ptr();
                    libc::syscall(libc::SYS_futex, futex, libc::FUTEX_WAIT, WAIT, forever);
                },
                signal => return signal,
            }
        }
    }
}

/// # Safety
/// To be called in a forked child only.
unsafe fn configure(context: &MakeContext) -> SyscallResult {
    let off = context.kind.network == Network::Off;
    // SAFETY: system calls on memory that the context keeps.
    unsafe {
        if context.kind.nesting == Nesting::Denied {
            syscall::write_file(c"/proc/sys/user/max_user_namespaces", b"0")?;
        }
        context.finish_step();
        if off {
            bring_up_loopback()?;
        }
        context.finish_step();
        open_for_host(c"/proc/self/ns/user", &context.user)?;
        if off {
            open_for_host(c"/proc/self/ns/net", &context.network)?;
        }
        context.finish_step();
        Ok(())
    }
}

/// # Safety
/// As `configure`.
unsafe fn open_for_host(path: &CStr, to: &AtomicI32) -> SyscallResult {
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
/// As `configure`.
unsafe fn bring_up_loopback() -> SyscallResult {
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
        // The host has this descriptor too. After a failure closing it could change `errno`.
        if up.is_ok() {
            libc::close(socket);
        }
        up
    }
}
