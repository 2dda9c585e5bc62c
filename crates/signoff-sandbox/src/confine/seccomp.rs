//! System calls that no agent and no test needs, refused: a second layer below namespaces and Landlock.
//!
//! A list of what is denied, because what a compiler, a test runner or a language's runtime calls tomorrow is unknown.
//! Refused with `EPERM`, which programs expect, rather than killed. On it is what talks to parts of the kernel with a
//! history of holes (`bpf`, `io_uring`, keys, `userfaultfd`), what concerns the whole machine, sockets other than the
//! usual ones, typing into a terminal (`TIOCSTI`), taking descriptors out of other processes (`pidfd_getfd`), and
//! changing limits or priorities of processes that the command did not start, and leases on files (`F_SETLEASE`), which make
//! whoever opens one for writing wait, also where the command can only read it. Unless a command may build sandboxes of its
//! own, namespaces and mounts are too. Unless it may trace, so is everything that reads or writes the memory of a process
//! that did not ask for it: code under test would rewrite the shell that judges it. Not on it: `personality`, which
//! sanitizers need and which changes nobody else; and the affinity and priority of single processes, because the C
//! library sets those of a thread by its number.
#![expect(unsafe_code, reason = "a filter has no safe form")]

use std::sync::OnceLock;

use libc::{c_long, sock_filter};

use crate::after_fork::syscall::{SyscallError, check};
use crate::policy::{Nesting, Tracing};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_00B7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Refused to everybody.
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

/// Refused to who may not build sandboxes.
const OF_SANDBOXES: [c_long; 12] = [
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

/// Refused to who may not trace: they read and write the memory of another process, or compare what it has open.
const OF_TRACERS: [c_long; 3] = [
    libc::SYS_kcmp,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];

/// `PTRACE_ATTACH` and `PTRACE_SEIZE`. Every other request needs a process that let itself be traced, as a debugger's
/// child does with `PTRACE_TRACEME`.
const ATTACHING: [u32; 2] = [16, 0x4206];

/// The first process of a namespace: that of `bwrap`, which tells how the command ended.
const FIRST_PROCESS: u32 = 1;

/// `PRIO_USER` and `IOPRIO_WHO_USER`: all processes of the person.
const PRIORITY_OF_USER: u32 = 2;
const IO_PRIORITY_OF_USER: u32 = 3;

/// Flags of `clone` and `unshare` that make namespaces. The last is a part of the exit signal for `clone`.
const NAMESPACES: u32 = 0x7E02_0000;
const TIME_NAMESPACE: u32 = 0x80;

/// Sockets that programs use; others reach past namespaces (`AF_VSOCK`) or are little tested.
const SOCKETS: [u32; 4] = [1, 2, 10, 16];

/// `TIOCSTI` and `TIOCLINUX`, which type into a terminal.
const TYPING: [u32; 2] = [0x5412, 0x541C];

/// `F_SETLEASE` of `fcntl`.
const LEASING: u32 = 1024;

/// The limit that says whose a process is (see `command_tag`).
const RUN_LIMIT: u32 = 5;

const NUMBER: u32 = 0;
const ARCHITECTURE_FIELD: u32 = 4;
/// Numbers of the x32 ABI begin here.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// The lower half of an argument, which is all that counts of a flag or a number.
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

const fn upper(argument: u32) -> u32 {
    argument + 4
}

const ALLOW: u32 = 0x7FFF_0000;
const fn refuse(errno: i32) -> u32 {
    0x0005_0000 | errno.cast_unsigned()
}

/// Instructions for the kernel's filter machine.
pub(crate) type Filter = [sock_filter];

/// Returns the filter for a command, where the kernel has filters and we know its calls.
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

/// Submits to a filter.
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

/// What is done about a call, by its number. Every body ends.
type Rules = Vec<(u32, Vec<sock_filter>)>;

/// All rules, in the order of the calls' numbers.
fn rules(nesting: Nesting, tracing: Tracing) -> Rules {
    let refused = || vec![end(refuse(libc::EPERM))];
    let denied = DENIED.iter().chain(DENIED_HERE);
    let mut rules: Vec<(c_long, Vec<sock_filter>)> =
        denied.map(|call| (*call, refused())).collect();
    rules.extend([
        (libc::SYS_ioctl, refuse_any(argument(1), &TYPING)),
        (libc::SYS_fcntl, refuse_any(argument(1), &[LEASING])),
        (libc::SYS_socket, refuse_others(argument(0), &SOCKETS)),
        (libc::SYS_prlimit64, keep_limits()),
        (SETRLIMIT, refuse_any(argument(0), &[RUN_LIMIT])),
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
        rules.extend(OF_TRACERS.map(|call| (call, refused())));
    }
    if nesting == Nesting::Denied {
        rules.extend(OF_SANDBOXES.map(|call| (call, refused())));
        let flags = NAMESPACES | TIME_NAMESPACE;
        rules.extend([
            (libc::SYS_clone, refuse_flags(NAMESPACES)),
            (libc::SYS_unshare, refuse_flags(flags)),
            // Its flags are in memory, where a filter cannot look; without it libraries use `clone`.
            (libc::SYS_clone3, vec![end(refuse(libc::ENOSYS))]),
        ]);
    }
    // Numbers of calls are small.
    let number = |call| u32::try_from(call).unwrap_or(u32::MAX);
    let mut rules: Rules = rules
        .into_iter()
        .map(|(call, body)| (number(call), body))
        .collect();
    rules.sort_by_key(|(number, _)| *number);
    rules
}

/// Finds the rule for a call by halves: the kernel tries a filter on every call there is before it takes it, and that
/// would cost as much as starting the command. Calls that lie side by side and are treated alike are one, and what is
/// done about them is there once, because the kernel also translates every instruction for each command.
fn search(rules: &[(u32, Vec<sock_filter>)]) -> Vec<sock_filter> {
    let allowed = vec![end(ALLOW)];
    let mut bodies = vec![&allowed];
    let mut ranges = vec![(0, 0)];
    for (number, body) in rules {
        let known = bodies.iter().position(|known| same(known, body));
        let index = known.unwrap_or_else(|| {
            bodies.push(body);
            bodies.len() - 1
        });
        // The one before it ends here, or just before.
        ranges.retain(|(from, _)| from != number);
        if ranges.last().is_none_or(|(_, last)| *last != index) {
            ranges.push((*number, index));
        }
        ranges.push((number + 1, 0));
    }
    let mut tests = Vec::new();
    lay_out(&ranges, &mut tests);
    let mut starts = Vec::new();
    let mut length = tests.len();
    for body in &bodies {
        starts.push(length);
        length += body.len();
    }
    let distance = |from: usize, to: Goal| {
        let to = match to {
            Goal::Test(index) => Some(index),
            Goal::Body(index) => starts.get(index).copied(),
        };
        skip(to.unwrap_or(usize::MAX).saturating_sub(from + 1))
    };
    let tests = tests.into_iter().enumerate().map(|(at, test)| {
        let (then, otherwise) = (distance(at, test.then), distance(at, test.otherwise));
        jump(libc::BPF_JGE, test.from, then, otherwise)
    });
    tests.chain(bodies.into_iter().flatten().copied()).collect()
}

/// Asks whether a number is at least this one.
struct Test {
    from: u32,
    then: Goal,
    otherwise: Goal,
}

/// Where a test leads.
#[derive(Clone, Copy)]
enum Goal {
    Test(usize),
    Body(usize),
}

/// Adds the tests that tell ranges of numbers apart, each with the body for it, and returns where they begin.
fn lay_out(ranges: &[(u32, usize)], tests: &mut Vec<Test>) -> Goal {
    let (lower, upper) = ranges.split_at(ranges.len() / 2);
    let (Some((from, body)), false) = (upper.first(), lower.is_empty()) else {
        return Goal::Body(upper.first().map_or(0, |(_, body)| *body));
    };
    let at = tests.len();
    tests.push(Test {
        from: *from,
        then: Goal::Body(*body),
        otherwise: Goal::Body(0),
    });
    let otherwise = lay_out(lower, tests);
    let then = lay_out(upper, tests);
    if let Some(test) = tests.get_mut(at) {
        (test.then, test.otherwise) = (then, otherwise);
    }
    Goal::Test(at)
}

fn same(one: &Filter, other: &Filter) -> bool {
    let parts = |it: &sock_filter| (it.code, it.jt, it.jf, it.k);
    one.iter().map(parts).eq(other.iter().map(parts))
}

/// How many instructions are skipped. All of a filter are few.
fn skip(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
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

/// `prlimit` may read every limit, the new value of which is then a null pointer; it may set those of its own process
/// (0), but for the one that says whose it is.
fn keep_limits() -> Vec<sock_filter> {
    let new = argument(2);
    vec![
        load(new),
        equal(0, 0, 3),
        load(upper(new)),
        equal(0, 0, 1),
        end(ALLOW),
        load(argument(0)),
        equal(0, 0, 3),
        load(argument(1)),
        equal(RUN_LIMIT, 1, 0),
        end(ALLOW),
        end(refuse(libc::EPERM)),
    ]
}

/// Refuses to trace a process that did not ask for it; who may trace is refused the first process only.
fn refuse_attaching(tracing: Tracing) -> Vec<sock_filter> {
    let mut code = vec![
        load(argument(0)),
        equal(ATTACHING[0], 2, 0),
        equal(ATTACHING[1], 1, 0),
        end(ALLOW),
    ];
    match tracing {
        Tracing::Denied => code.push(end(refuse(libc::EPERM))),
        Tracing::Allowed => code.extend(refuse_any(argument(1), &[FIRST_PROCESS])),
    }
    code
}

fn load(field: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, field, 0, 0)
}

fn equal(value: u32, then: u8, otherwise: u8) -> sock_filter {
    jump(libc::BPF_JEQ, value, then, otherwise)
}

/// Skips as many instructions as said.
fn jump(test: u32, value: u32, then: u8, otherwise: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, value, then, otherwise)
}

fn end(action: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        // All codes fit: the kernel defines them so.
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt,
        jf,
        k,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a filter as the kernel does.
    fn decide(code: &Filter, architecture: u32, call: c_long, arguments: &[u64]) -> u32 {
        let mut data = vec![u32::try_from(call).unwrap(), architecture, 0, 0];
        for index in 0..6 {
            let value = arguments.get(index).copied().unwrap_or(0);
            let halves = [value & u64::from(u32::MAX), value >> 32];
            data.extend(halves.map(|half| u32::try_from(half).unwrap()));
        }
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let one = &code[at];
            at += 1;
            match u32::from(one.code) {
                0x20 => accumulator = data[one.k as usize / 4],
                0x06 => return one.k,
                0x15 | 0x35 | 0x45 => {
                    let holds = match one.code {
                        0x15 => accumulator == one.k,
                        0x35 => accumulator >= one.k,
                        _ => accumulator & one.k != 0,
                    };
                    at += usize::from(if holds { one.jt } else { one.jf });
                }
                other => panic!("{other:#x}"),
            }
        }
    }

    fn here(nesting: Nesting, call: c_long, arguments: &[u64]) -> u32 {
        with(nesting, Tracing::Denied, call, arguments)
    }

    fn with(nesting: Nesting, tracing: Tracing, call: c_long, arguments: &[u64]) -> u32 {
        let architecture = ARCHITECTURE.unwrap();
        let code = assemble(architecture, nesting, tracing);
        decide(&code, architecture, call, arguments)
    }

    const EPERM: u32 = refuse(libc::EPERM);

    #[test]
    fn what_nobody_needs_is_refused() {
        for nesting in [Nesting::Denied, Nesting::Allowed] {
            for call in [
                libc::SYS_bpf,
                libc::SYS_keyctl,
                libc::SYS_io_uring_setup,
                libc::SYS_pidfd_getfd,
            ] {
                assert_eq!(here(nesting, call, &[]), EPERM);
            }
            for call in [
                libc::SYS_read,
                libc::SYS_ptrace,
                libc::SYS_execve,
                libc::SYS_openat,
            ] {
                assert_eq!(here(nesting, call, &[]), ALLOW);
            }
            let code = assemble(ARCHITECTURE.unwrap(), nesting, Tracing::Denied);
            assert_eq!(decide(&code, 0x4000_0003, libc::SYS_read, &[]), EPERM);
            assert_eq!(here(nesting, libc::SYS_ioctl, &[0, 0x5412]), EPERM);
            assert_eq!(here(nesting, libc::SYS_ioctl, &[0, 0x5413]), ALLOW);
            // A lease; `F_GETLEASE` and locks are harmless.
            assert_eq!(here(nesting, libc::SYS_fcntl, &[3, 1024]), EPERM);
            for command in [0, 2, 4, 6, 7, 37, 1025, 1030] {
                assert_eq!(here(nesting, libc::SYS_fcntl, &[3, command]), ALLOW);
            }
            let vsock = here(nesting, libc::SYS_socket, &[40]);
            assert_eq!(vsock, refuse(libc::EAFNOSUPPORT));
            assert_eq!(here(nesting, libc::SYS_socket, &[10]), ALLOW);
        }
    }

    #[test]
    fn every_call_finds_its_rule() {
        for (nesting, tracing) in [
            (Nesting::Denied, Tracing::Denied),
            (Nesting::Denied, Tracing::Allowed),
            (Nesting::Allowed, Tracing::Denied),
            (Nesting::Allowed, Tracing::Allowed),
        ] {
            let rules = rules(nesting, tracing);
            // A test skips no more than this.
            assert!(u8::try_from(search(&rules).len()).is_ok());
            for call in 0..600_u32 {
                let rule = rules.iter().find(|(number, _)| *number == call);
                let first = rule.map(|(_, body)| &body[0]);
                let decided = with(nesting, tracing, c_long::from(call), &[]);
                match first {
                    Some(only) if only.code == 0x06 => assert_eq!(decided, only.k, "{call}"),
                    // What it says depends on the arguments.
                    Some(_) => {
                        let own = rule.map(|(_, body)| decide(body, 0, c_long::from(call), &[]));
                        assert_eq!(Some(decided), own, "{call}");
                    }
                    None => assert_eq!(decided, ALLOW, "{call}"),
                }
            }
        }
    }

    #[test]
    fn only_who_may_trace_reaches_into_another_process() {
        let (traceme, attach, seize, pid) = (0, 16, 0x4206, 4242);
        for (call, arguments) in [
            (libc::SYS_ptrace, &[attach, pid][..]),
            (libc::SYS_ptrace, &[seize, pid]),
            (libc::SYS_process_vm_readv, &[pid]),
            (libc::SYS_process_vm_writev, &[pid]),
            (libc::SYS_kcmp, &[pid]),
        ] {
            let decide = |tracing| with(Nesting::Denied, tracing, call, arguments);
            assert_eq!(decide(Tracing::Denied), EPERM, "{call}");
            assert_eq!(decide(Tracing::Allowed), ALLOW, "{call}");
        }
        for tracing in [Tracing::Denied, Tracing::Allowed] {
            let ptrace =
                |arguments: &[u64]| with(Nesting::Denied, tracing, libc::SYS_ptrace, arguments);
            assert_eq!(ptrace(&[traceme, 0]), ALLOW);
            // Reading a register of a child that asked for it.
            assert_eq!(ptrace(&[3, pid]), ALLOW);
            assert_eq!(ptrace(&[attach, 1]), EPERM);
            assert_eq!(ptrace(&[seize, 1]), EPERM);
        }
    }

    #[test]
    fn sandboxes_only_where_they_are_allowed() {
        let user = 0x1000_0011;
        for (call, arguments) in [
            (libc::SYS_mount, &[][..]),
            (libc::SYS_clone, &[user]),
            (libc::SYS_unshare, &[user]),
        ] {
            assert_eq!(here(Nesting::Denied, call, arguments), EPERM);
            assert_eq!(here(Nesting::Allowed, call, arguments), ALLOW);
        }
        // A thread, as the C library makes it.
        assert_eq!(
            here(Nesting::Denied, libc::SYS_clone, &[0x003D_0F00]),
            ALLOW
        );
        let clone3 = here(Nesting::Denied, libc::SYS_clone3, &[]);
        assert_eq!(clone3, refuse(libc::ENOSYS));
    }

    #[test]
    fn the_limit_that_says_whose_it_is_can_be_read_only() {
        let (call, pointer) = (libc::SYS_prlimit64, 0x7FFF_0000_0000);
        assert_eq!(here(Nesting::Denied, call, &[0, 5, pointer]), EPERM);
        assert_eq!(here(Nesting::Denied, call, &[0, 5, 16]), EPERM);
        assert_eq!(here(Nesting::Denied, call, &[0, 5, 0, pointer]), ALLOW);
        assert_eq!(here(Nesting::Denied, call, &[0, 7, pointer]), ALLOW);
    }

    #[test]
    fn limits_and_priorities_of_others_stay() {
        let pointer = 0x7FFF_0000_0000;
        let prlimit = |arguments: &[u64]| here(Nesting::Allowed, libc::SYS_prlimit64, arguments);
        assert_eq!(prlimit(&[4242, 7, pointer]), EPERM);
        assert_eq!(prlimit(&[4242, 7, 16]), EPERM);
        assert_eq!(prlimit(&[4242, 7, 0, pointer]), ALLOW);
        for (call, user) in [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)] {
            assert_eq!(here(Nesting::Denied, call, &[user]), EPERM);
            assert_eq!(here(Nesting::Denied, call, &[user - 1, 4242]), ALLOW);
        }
    }
}
