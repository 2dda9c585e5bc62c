//! Refuses system calls that no agent and no test needs: a second layer below namespaces and Landlock.
//!
//! It is a list of what is denied, because nobody knows what a compiler, a test runner or a language runtime will call
//! tomorrow. A denied call fails with `EPERM`, which programs expect, instead of killing the process. The list has:
//!
//! - parts of the kernel with a history of vulnerabilities (`bpf`, `io_uring`, keys, `userfaultfd`);
//! - what concerns the whole machine;
//! - unusual sockets;
//! - typing into a terminal (`TIOCSTI`), and taking descriptors out of other processes (`pidfd_getfd`);
//! - limits and priorities of processes that the command did not start;
//! - leases on files (`F_SETLEASE`): everyone who opens such a file for writing waits, even where the command may only
//!   read it;
//! - namespaces and mounts, unless the command may build sandboxes of its own;
//! - reading and writing the memory of a process that did not ask for it, unless the command may trace: code under test
//!   would rewrite the shell that judges it.
//!
//! Not on the list: `personality`, which sanitizers need and which affects no other process; and the affinity and
//! priority of single processes, because the C library sets those of a thread by its number.
#![expect(unsafe_code, reason = "a filter has no safe form")]

mod bpf;

use std::sync::OnceLock;

use libc::{c_long, sock_filter};

use self::bpf::{end, equal, jump, load, search};
use crate::after_fork::syscall::{SyscallError, check};
use crate::policy::{Nesting, Tracing};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_00B7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Denied to every command.
const DENIED: [c_long; 28] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[c_long] = &[libc::SYS_ioperm, libc::SYS_iopl];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[c_long] = &[];

#[cfg(target_arch = "x86_64")]
const SETRLIMIT: c_long = libc::SYS_setrlimit;
/// `libc` does not name it elsewhere.
#[cfg(not(target_arch = "x86_64"))]
const SETRLIMIT: c_long = 164;

/// Denied to commands that may not build sandboxes.
const SANDBOX_CALLS: [c_long; 12] = [
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
];

/// Denied to commands that may not trace: they read and write the memory of another process, or compare what it has
/// open.
const TRACER_CALLS: [c_long; 3] = [
    libc::SYS_kcmp,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];

/// `PTRACE_ATTACH` and `PTRACE_SEIZE`. Every other request needs a process that asked to be traced, as a debugger's
/// child does with `PTRACE_TRACEME`.
const ATTACH_REQUESTS: [u32; 2] = [16, 0x4206];

/// The init process of a PID namespace: that of `bwrap`, which reports how the command ended.
const INIT_PROCESS: u32 = 1;

/// `PRIO_USER` and `IOPRIO_WHO_USER`: all processes of the user.
const PRIORITY_OF_USER: u32 = 2;
const IO_PRIORITY_OF_USER: u32 = 3;

/// Flags of `clone` and `unshare` that make namespaces. For `clone` the second is a part of the exit signal.
const NAMESPACES: u32 = 0x7E02_0000;
const TIME_NAMESPACE: u32 = 0x80;

/// Socket families that programs use. Others bypass namespaces (`AF_VSOCK`) or are little tested.
const SOCKET_FAMILIES: [u32; 4] = [1, 2, 10, 16];

/// `TIOCSTI` and `TIOCLINUX`, which type into a terminal.
const TERMINAL_INPUT: [u32; 2] = [0x5412, 0x541C];

/// `F_SETLEASE` of `fcntl`.
const SET_LEASE: u32 = 1024;

/// `RLIMIT_RSS`, which holds the run's tag (see `process_tree::tags`).
const RUN_TAG_LIMIT: u32 = 5;

const NUMBER: u32 = 0;
const ARCHITECTURE_FIELD: u32 = 4;
/// Numbers of the x32 ABI begin here.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// The offset of an argument's lower half, which is all that matters of a flag or a number.
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// The offset of the upper half.
const fn upper_half(argument: u32) -> u32 {
    argument + 4
}

const ALLOW: u32 = 0x7FFF_0000;
const fn refuse(errno: i32) -> u32 {
    0x0005_0000 | errno.cast_unsigned()
}

/// Instructions for the kernel's filter machine.
pub(crate) type Filter = [sock_filter];

/// Returns the filter for a command, where the kernel has filters and we know its system calls.
pub(crate) fn filter(nesting: Nesting, tracing: Tracing) -> Option<&'static Filter> {
    static FILTERS: OnceLock<Option<[[Vec<sock_filter>; 2]; 2]>> = OnceLock::new();
    let filters = FILTERS.get_or_init(|| {
        let architecture = ARCHITECTURE.filter(|_| is_known())?;
        Some([Nesting::Denied, Nesting::Allowed].map(|nesting| {
            let assemble = |tracing| assemble(architecture, nesting, tracing);
            [Tracing::Denied, Tracing::Allowed].map(assemble)
        }))
    });
    let [denied, allowed] = filters.as_ref()?;
    let [denied, allowed] = match nesting {
        Nesting::Denied => denied,
        Nesting::Allowed => allowed,
    };
    Some(match tracing {
        Tracing::Denied => denied,
        Tracing::Allowed => allowed,
    })
}

/// Returns a filter as bytes, as `bwrap` takes it.
pub(crate) fn to_bytes(filter: &Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    for one in filter {
        bytes.extend(one.code.to_ne_bytes());
        bytes.extend([one.jt, one.jf]);
        bytes.extend(one.k.to_ne_bytes());
    }
    bytes
}

/// Installs a filter in the calling process.
///
/// # Safety
/// To be called in a forked child only, which can gain no privileges any more.
pub(crate) unsafe fn install(filter: &Filter) -> Result<(), SyscallError> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| SyscallError)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel only reads the program, which lives through the call.
    check(unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            &raw const program,
        )
    })
}

/// Says whether the kernel has filters.
fn is_known() -> bool {
    let action = refuse(0);
    // SAFETY: a question about a number that lives through the call.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0,
            &raw const action,
        )
    };
    answer == 0
}

fn assemble(architecture: u32, nesting: Nesting, tracing: Tracing) -> Vec<sock_filter> {
    let mut code = vec![
        load(ARCHITECTURE_FIELD),
        equal(architecture, 1, 0),
        end(refuse(libc::EPERM)),
        load(NUMBER),
    ];
    #[cfg(target_arch = "x86_64")]
    code.extend([jump(libc::BPF_JGE, X32, 0, 1), end(refuse(libc::EPERM))]);
    code.extend(search(&rules(nesting, tracing)));
    code
}

/// What is done about a call. Every body ends.
struct Rule {
    /// The call's number.
    call: u32,
    body: Vec<sock_filter>,
}

/// All rules, in the order of the calls' numbers.
fn rules(nesting: Nesting, tracing: Tracing) -> Vec<Rule> {
    let refused = || vec![end(refuse(libc::EPERM))];
    let denied = DENIED.iter().chain(DENIED_HERE);
    let mut rules: Vec<(c_long, Vec<sock_filter>)> =
        denied.map(|call| (*call, refused())).collect();
    rules.extend([
        (libc::SYS_ioctl, refuse_any(argument(1), &TERMINAL_INPUT)),
        (libc::SYS_fcntl, refuse_any(argument(1), &[SET_LEASE])),
        (
            libc::SYS_socket,
            refuse_others(argument(0), &SOCKET_FAMILIES),
        ),
        (libc::SYS_prlimit64, refuse_limits_of_others()),
        (SETRLIMIT, refuse_any(argument(0), &[RUN_TAG_LIMIT])),
        (
            libc::SYS_setpriority,
            refuse_any(argument(0), &[PRIORITY_OF_USER]),
        ),
        (
            libc::SYS_ioprio_set,
            refuse_any(argument(0), &[IO_PRIORITY_OF_USER]),
        ),
        (libc::SYS_ptrace, refuse_attaching(tracing)),
    ]);
    if tracing == Tracing::Denied {
        rules.extend(TRACER_CALLS.map(|call| (call, refused())));
    }
    if nesting == Nesting::Denied {
        rules.extend(SANDBOX_CALLS.map(|call| (call, refused())));
        let flags = NAMESPACES | TIME_NAMESPACE;
        rules.extend([
            (libc::SYS_clone, refuse_flags(NAMESPACES)),
            (libc::SYS_unshare, refuse_flags(flags)),
            // Its flags are in memory, which a filter cannot read. Without it, libraries use `clone`.
            (libc::SYS_clone3, vec![end(refuse(libc::ENOSYS))]),
        ]);
    }
    // Numbers of calls are small.
    let number = |call| u32::try_from(call).unwrap_or(u32::MAX);
    let mut rules: Vec<Rule> = rules
        .into_iter()
        .map(|(call, body)| Rule {
            call: number(call),
            body,
        })
        .collect();
    rules.sort_by_key(|rule| rule.call);
    rules
}

fn refuse_flags(flags: u32) -> Vec<sock_filter> {
    vec![
        load(argument(0)),
        jump(libc::BPF_JSET, flags, 0, 1),
        end(refuse(libc::EPERM)),
        end(ALLOW),
    ]
}

fn refuse_any(field: u32, values: &[u32]) -> Vec<sock_filter> {
    let mut code = vec![load(field)];
    for value in values {
        code.extend([equal(*value, 0, 1), end(refuse(libc::EPERM))]);
    }
    code.push(end(ALLOW));
    code
}

fn refuse_others(field: u32, values: &[u32]) -> Vec<sock_filter> {
    let mut code = vec![load(field)];
    for value in values {
        code.extend([equal(*value, 0, 1), end(ALLOW)]);
    }
    code.push(end(refuse(libc::EAFNOSUPPORT)));
    code
}

/// `prlimit` may read every limit: then the pointer to the new value is null. It may set those of its own process (0),
/// except the one that holds the run's tag.
fn refuse_limits_of_others() -> Vec<sock_filter> {
    let new = argument(2);
    vec![
        load(new),
        equal(0, 0, 3),
        load(upper_half(new)),
        equal(0, 0, 1),
        end(ALLOW),
        load(argument(0)),
        equal(0, 0, 3),
        load(argument(1)),
        equal(RUN_TAG_LIMIT, 1, 0),
        end(ALLOW),
        end(refuse(libc::EPERM)),
    ]
}

/// Refuses to trace a process that did not ask for it. A command that may trace is refused only the init process.
fn refuse_attaching(tracing: Tracing) -> Vec<sock_filter> {
    let mut code = vec![
        load(argument(0)),
        equal(ATTACH_REQUESTS[0], 2, 0),
        equal(ATTACH_REQUESTS[1], 1, 0),
        end(ALLOW),
    ];
    match tracing {
        Tracing::Denied => code.push(end(refuse(libc::EPERM))),
        Tracing::Allowed => code.extend(refuse_any(argument(1), &[INIT_PROCESS])),
    }
    code
}

#[cfg(test)]
mod tests;
