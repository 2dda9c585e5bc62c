//! Instructions for the kernel's filter machine.

use libc::sock_filter;

use super::{ALLOW, Filter, Rule};

/// Returns a program that finds the rule for a call by binary search. Before the kernel installs a filter it runs it
/// for every call there is; in a linear program that would take as long as starting the command. Neighbouring calls
/// with the same rule form one range, and each rule is there once, because the kernel also compiles every instruction
/// for each command.
pub(super) fn search(rules: &[Rule]) -> Vec<sock_filter> {
    let allowed = vec![end(ALLOW)];
    let mut bodies = vec![&allowed];
    let mut ranges = vec![(0, 0)];
    for Rule { call, body } in rules {
        let known = bodies.iter().position(|known| is_same(known, body));
        let index = known.unwrap_or_else(|| {
            bodies.push(body);
            bodies.len() - 1
        });
        // The previous range ends here, or just before.
        ranges.retain(|(from, _)| from != call);
        if ranges.last().is_none_or(|(_, last)| *last != index) {
            ranges.push((*call, index));
        }
        ranges.push((call + 1, 0));
    }
    let mut tests = Vec::new();
    add_tests(&ranges, &mut tests);
    let mut starts = Vec::new();
    let mut length = tests.len();
    for body in &bodies {
        starts.push(length);
        length += body.len();
    }
    let distance = |from: usize, to: Target| {
        let to = match to {
            Target::Test(index) => Some(index),
            Target::Body(index) => starts.get(index).copied(),
        };
        skip(to.unwrap_or(usize::MAX).saturating_sub(from + 1))
    };
    let tests = tests.into_iter().enumerate().map(|(at, test)| {
        let (then, otherwise) = (distance(at, test.then), distance(at, test.otherwise));
        jump(libc::BPF_JGE, test.from, then, otherwise)
    });
    tests.chain(bodies.into_iter().flatten().copied()).collect()
}

/// Tests whether a call's number is at least this one.
struct Test {
    from: u32,
    then: Target,
    otherwise: Target,
}

/// Where a test jumps to.
#[derive(Clone, Copy)]
enum Target {
    Test(usize),
    Body(usize),
}

/// Adds the tests that tell ranges of numbers apart, and returns where they begin.
fn add_tests(ranges: &[(u32, usize)], tests: &mut Vec<Test>) -> Target {
    let (lower, upper) = ranges.split_at(ranges.len() / 2);
    let (Some((from, body)), false) = (upper.first(), lower.is_empty()) else {
        return Target::Body(upper.first().map_or(0, |(_, body)| *body));
    };
    let at = tests.len();
    tests.push(Test {
        from: *from,
        then: Target::Body(*body),
        otherwise: Target::Body(0),
    });
    let otherwise = add_tests(lower, tests);
    let then = add_tests(upper, tests);
    if let Some(test) = tests.get_mut(at) {
        (test.then, test.otherwise) = (then, otherwise);
    }
    Target::Test(at)
}

fn is_same(one: &Filter, other: &Filter) -> bool {
    let parts = |it: &sock_filter| (it.code, it.jt, it.jf, it.k);
    one.iter().map(parts).eq(other.iter().map(parts))
}

/// How many instructions a jump skips. A filter has fewer than 256.
fn skip(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// Loads a field of the call.
pub(super) fn load(field: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, field, 0, 0)
}

pub(super) fn equal(value: u32, then: u8, otherwise: u8) -> sock_filter {
    jump(libc::BPF_JEQ, value, then, otherwise)
}

/// Tests the loaded value, and skips `then` or `otherwise` instructions.
pub(super) fn jump(test: u32, value: u32, then: u8, otherwise: u8) -> sock_filter {
    instruction(libc::BPF_JMP | test | libc::BPF_K, value, then, otherwise)
}

/// Ends the filter with this decision.
pub(super) fn end(action: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        // All codes fit: the kernel has 16 bits for them.
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt,
        jf,
        k,
    }
}
