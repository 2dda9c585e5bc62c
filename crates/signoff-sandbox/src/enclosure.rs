//! Namespaces for one command, laid out so that a child need not allocate.
//!
//! Three processes share the work. A *founder* makes the namespaces and mounts, starts the other two beside itself,
//! and is gone. The *guard* is the first process of the new process namespace: it does nothing but live, so the kernel
//! gives it orphans, which it need not reap, and when it dies the kernel ends everybody in there. The third becomes
//! the command. It is a child of ours like any other, so how it ended is exactly what it would be outside; were it
//! the first process itself, it could not be signalled, and what it leaves running would die before its output is read.

use std::cell::Cell;
use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;
use std::sync::OnceLock;

use crate::ground::Kind;
use crate::kept_mounts::KeptMounts;
use crate::mounts::{self, Step};
use crate::policy::Policy;

/// The first numbers of processes that the kernel does not hand out again.
const RESERVED_NUMBERS: u32 = 301;

#[derive(Debug)]
pub(crate) struct Enclosure {
    /// Where it is built.
    pub(crate) kind: Kind,
    /// What is mounted there already.
    pub(crate) kept: Option<KeptMounts>,
    pub(crate) steps: Vec<Step>,
    /// Trees that were taken, for the child to note.
    pub(crate) taken: Vec<Cell<RawFd>>,
    /// Greatest number of a process, which bounds how many there are. For root, whom no limit per user binds.
    pub(crate) last_process: Option<CString>,
    pub(crate) as_root: bool,
}

impl Enclosure {
    pub(crate) fn new(policy: &Policy, kept: Option<&KeptMounts>) -> io::Result<Self> {
        let user = rustix::process::geteuid().as_raw();
        let steps = match kept {
            Some(kept) => kept.left_to_do().to_vec(),
            None => mounts::plan(policy, user == 0)?,
        };
        let last = |count: u32| CString::new(count.saturating_add(RESERVED_NUMBERS).to_string());
        Ok(Self {
            kind: Kind::of(policy),
            kept: kept.cloned(),
            taken: empty_slots(&steps),
            steps,
            last_process: policy
                .processes
                .filter(|_| user == 0 && numbers_are_per_namespace())
                .map(last)
                .transpose()?,
            as_root: user == 0,
        })
    }

    /// Says what a child was doing that stopped after this many parts.
    pub(crate) fn part(&self, number: usize) -> String {
        part_name(&self.steps, number, "start the command")
    }
}

/// Says what a child was doing, of these steps, that stopped after this many parts.
pub(crate) fn part_name(steps: &[Step], number: usize, last: &str) -> String {
    const FIRST: [&str; 2] = ["enter namespaces", "make namespaces"];
    if let Some(part) = FIRST.get(number) {
        return (*part).to_owned();
    }
    let step = steps.get(number - FIRST.len());
    step.map_or_else(|| last.to_owned(), ToString::to_string)
}

/// Where a child notes the trees that these steps take.
pub(crate) fn empty_slots(steps: &[Step]) -> Vec<Cell<RawFd>> {
    let numbered = steps.iter().filter(|step| step.gives_number());
    numbered.map(|_| Cell::new(-1)).collect()
}

/// Says whether a process namespace has a greatest number of its own. Before Linux 6.14 there is one for the whole
/// machine, and root changes it from anywhere.
fn numbers_are_per_namespace() -> bool {
    static ARE: OnceLock<bool> = OnceLock::new();
    *ARE.get_or_init(|| {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut numbers = release
            .split(['.', '-'])
            .map_while(|part| part.parse().ok());
        let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        version >= (6, 14)
    })
}
