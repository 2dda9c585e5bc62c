//! System calls that no agent and no test needs, refused: a second layer below namespaces and Landlock.
//!
//! A list of what is denied, because what a compiler, a test runner or a language's runtime calls tomorrow is unknown.
//! Refused with `EPERM`, which programs expect, rather than killed. On it is what talks to parts of the kernel with a
//! history of holes (`bpf`, `io_uring`, keys, `userfaultfd`), what concerns the whole machine, sockets other than the
//! usual ones, and typing into a terminal (`TIOCSTI`). Unless a command may build sandboxes of its own, namespaces and
//! mounts are too. Not on it: `ptrace` and its kin, for debuggers, which reach the command's own processes only; and
//! `personality`, which sanitizers need and which changes nobody else.
#![expect(unsafe_code, reason = "a filter has no safe form")]

use std::sync::OnceLock;

use libc::{c_long, sock_filter};

use crate::confine::{Failed, done};
use crate::policy::Nesting;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xC000_00B7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Refused to everybody.
const DENIED: [c_long; 27] = [
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

/// Flags of `clone` and `unshare` that make namespaces. The last is a part of the exit signal for `clone`.
const NAMESPACES: u32 = 0x7E02_0000;
const TIME_NAMESPACE: u32 = 0x80;

/// Sockets that programs use; others reach past namespaces (`AF_VSOCK`) or are little tested.
const SOCKETS: [u32; 4] = [1, 2, 10, 16];

/// `TIOCSTI` and `TIOCLINUX`, which type into a terminal.
const TYPING: [u32; 2] = [0x5412, 0x541C];

/// The limit that says whose a process is (see `brand`).
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
pub(crate) fn filter(nesting: Nesting) -> Option<&'static Filter> {
    static FILTERS: OnceLock<Option<[Vec<sock_filter>; 2]>> = OnceLock::new();
    let filters = FILTERS.get_or_init(|| {
        let architecture = ARCHITECTURE.filter(|_| is_known())?;
        Some([Nesting::Denied, Nesting::Allowed].map(|nesting| assemble(architecture, nesting)))
    });
    let [denied, allowed] = filters.as_ref()?;
    Some(match nesting {
        Nesting::Denied => denied,
        Nesting::Allowed => allowed,
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
pub(crate) unsafe fn submit(filter: &Filter) -> Result<(), Failed> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| Failed)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel only reads the program, which lives through the call.
    done(unsafe {
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

fn assemble(architecture: u32, nesting: Nesting) -> Vec<sock_filter> {
    let mut code = vec![
        load(ARCHITECTURE_FIELD),
        equal(architecture, 1, 0),
        end(refuse(libc::EPERM)),
        load(NUMBER),
    ];
    #[cfg(target_arch = "x86_64")]
    code.extend([jump(libc::BPF_JGE, X32, 0, 1), end(refuse(libc::EPERM))]);
    code.extend(search(&rules(nesting)));
    code
}

/// What is done about a call, by its number. Every body ends.
type Rules = Vec<(u32, Vec<sock_filter>)>;

/// All rules, in the order of the calls' numbers.
fn rules(nesting: Nesting) -> Rules {
    let refused = || vec![end(refuse(libc::EPERM))];
    let denied = DENIED.iter().chain(DENIED_HERE);
    let mut rules: Vec<(c_long, Vec<sock_filter>)> =
        denied.map(|call| (*call, refused())).collect();
    rules.extend([
        (libc::SYS_ioctl, refuse_any(argument(1), &TYPING)),
        (libc::SYS_socket, refuse_others(argument(0), &SOCKETS)),
        (libc::SYS_prlimit64, keep_run_limit()),
        (SETRLIMIT, refuse_any(argument(0), &[RUN_LIMIT])),
    ]);
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
/// would cost as much as starting the command.
fn search(rules: &[(u32, Vec<sock_filter>)]) -> Vec<sock_filter> {
    if let [(number, body)] = rules {
        let mut code = vec![equal(*number, 0, skip(body.len()))];
        code.extend_from_slice(body);
        code.push(end(ALLOW));
        return code;
    }
    let (lower, upper) = rules.split_at(rules.len() / 2);
    let Some((first, _)) = upper.first() else {
        return vec![end(ALLOW)];
    };
    let (lower, upper) = (search(lower), search(upper));
    let mut code = vec![jump(libc::BPF_JGE, *first, skip(lower.len()), 0)];
    code.extend(lower);
    code.extend(upper);
    code
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

/// `prlimit` may read the limit, whose new value is then a null pointer.
fn keep_run_limit() -> Vec<sock_filter> {
    let new = argument(2);
    vec![
        load(argument(1)),
        equal(RUN_LIMIT, 1, 0),
        end(ALLOW),
        load(new),
        equal(0, 0, 2),
        load(upper(new)),
        equal(0, 1, 0),
        end(refuse(libc::EPERM)),
        end(ALLOW),
    ]
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
    fn decide(nesting: Nesting, architecture: u32, call: c_long, arguments: &[u64]) -> u32 {
        let code = assemble(ARCHITECTURE.unwrap(), nesting);
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
        decide(nesting, ARCHITECTURE.unwrap(), call, arguments)
    }

    const EPERM: u32 = refuse(libc::EPERM);

    #[test]
    fn what_nobody_needs_is_refused() {
        for nesting in [Nesting::Denied, Nesting::Allowed] {
            for call in [libc::SYS_bpf, libc::SYS_keyctl, libc::SYS_io_uring_setup] {
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
            assert_eq!(decide(nesting, 0x4000_0003, libc::SYS_read, &[]), EPERM);
            assert_eq!(here(nesting, libc::SYS_ioctl, &[0, 0x5412]), EPERM);
            assert_eq!(here(nesting, libc::SYS_ioctl, &[0, 0x5413]), ALLOW);
            let vsock = here(nesting, libc::SYS_socket, &[40]);
            assert_eq!(vsock, refuse(libc::EAFNOSUPPORT));
            assert_eq!(here(nesting, libc::SYS_socket, &[10]), ALLOW);
        }
    }

    #[test]
    fn every_call_finds_its_rule() {
        for nesting in [Nesting::Denied, Nesting::Allowed] {
            let rules = rules(nesting);
            assert!(search(&rules).len() < usize::from(u8::MAX));
            for call in 0..600_u32 {
                let rule = rules.iter().find(|(number, _)| *number == call);
                let first = rule.map(|(_, body)| &body[0]);
                let decided = here(nesting, c_long::from(call), &[]);
                match first {
                    Some(only) if only.code == 0x06 => assert_eq!(decided, only.k, "{call}"),
                    // What it says depends on the arguments.
                    Some(_) => {}
                    None => assert_eq!(decided, ALLOW, "{call}"),
                }
            }
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
}
