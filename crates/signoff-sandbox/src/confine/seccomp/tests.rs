//! What the filters decide, run as the kernel runs them.

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
fn calls_that_no_program_needs_are_refused() {
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
            let rule = rules.iter().find(|rule| rule.call == call);
            let first = rule.map(|rule| &rule.body[0]);
            let decided = with(nesting, tracing, c_long::from(call), &[]);
            match first {
                Some(only) if only.code == 0x06 => assert_eq!(decided, only.k, "{call}"),
                // What it says depends on the arguments.
                Some(_) => {
                    let own = rule.map(|rule| decide(&rule.body, 0, c_long::from(call), &[]));
                    assert_eq!(Some(decided), own, "{call}");
                }
                None => assert_eq!(decided, ALLOW, "{call}"),
            }
        }
    }
}

#[test]
fn only_a_command_that_may_trace_reaches_another_process() {
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
fn the_limit_with_the_runs_tag_can_only_be_read() {
    let (call, pointer) = (libc::SYS_prlimit64, 0x7FFF_0000_0000);
    assert_eq!(here(Nesting::Denied, call, &[0, 5, pointer]), EPERM);
    assert_eq!(here(Nesting::Denied, call, &[0, 5, 16]), EPERM);
    assert_eq!(here(Nesting::Denied, call, &[0, 5, 0, pointer]), ALLOW);
    assert_eq!(here(Nesting::Denied, call, &[0, 7, pointer]), ALLOW);
}

#[test]
fn limits_and_priorities_of_others_cannot_be_set() {
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
