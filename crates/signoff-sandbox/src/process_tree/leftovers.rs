//! Processes that a crash of the harness left running.
//!
//! The parent-death signal ended the command itself, but its descendants got another parent. Four things still identify
//! them: their session, the marker in their environment, the tag of their run, which they keep if they clear their
//! environment, and a parent that is one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::{Duration, Instant};

use crate::process_tree::identity::ProcessIdentity;
use crate::process_tree::kill;
use crate::process_tree::proc::{self, ProcessStat};
use crate::process_tree::tags::RunTag;

/// How long processes may take to die.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends every process of an attempt that outlived the harness, and returns how many there were.
///
/// `identity` counts only if its number still means the same process. A marker that ends in `/` means all markers that
/// begin with it; one without a part after `/` means the whole run. Fails if a process cannot be ended.
pub fn end_leftovers(identity: Option<&ProcessIdentity>, marker: &str) -> io::Result<usize> {
    let identity = identity.filter(|identity| identity.boot_id == proc::boot_id());
    let deadline = Instant::now() + PATIENCE;
    let mut ended = BTreeSet::new();
    loop {
        let left = leftovers(identity, marker);
        if left.is_empty() {
            return Ok(ended.len());
        }
        let killed = kill::kill(&left, deadline);
        ended.extend(
            killed
                .signalled
                .iter()
                .map(|process| (process.pid, process.starttime)),
        );
        if killed.refused == left.len() || Instant::now() >= deadline {
            return Err(survivors_error(&left));
        }
    }
}

/// Returns the living processes whose marker starts with `prefix`, other than this one.
pub fn find_marked(prefix: &str) -> Vec<u32> {
    let own = std::process::id();
    let others = proc::all_processes().into_iter().filter(|pid| *pid != own);
    let marked =
        |pid: &u32| proc::marker(*pid).is_some_and(|marker| marker.starts_with(prefix.as_bytes()));
    others.filter(marked).collect()
}

fn leftovers(identity: Option<&ProcessIdentity>, marker: &str) -> Vec<ProcessStat> {
    let own = std::process::id();
    let stats = proc::all_processes().into_iter().filter_map(proc::stat);
    let processes: BTreeMap<u32, ProcessStat> =
        stats.map(|process| (process.pid, process)).collect();
    let tag = RunTag::of_whole_run(marker);
    let session = identity.and_then(|identity| Session::of(identity, &processes));
    let is_leftover = |process: &&ProcessStat| {
        !process.exited
            && process.pid != own
            && (session.is_some_and(|session| session.contains(process))
                || tag.is_some_and(|tag| proc::has_run_tag(process.pid, tag))
                || has_marker(process.pid, marker))
    };
    let mut found: BTreeMap<u32, ProcessStat> = processes
        .values()
        .filter(is_leftover)
        .map(|process| (process.pid, *process))
        .collect();
    add_descendants(&mut found, &processes, own);
    found.into_values().collect()
}

/// The session of an attempt, told from a later one with the same number.
#[derive(Debug, Clone, Copy)]
struct Session {
    number: u32,
    leader_lives: bool,
}

impl Session {
    fn of(identity: &ProcessIdentity, processes: &BTreeMap<u32, ProcessStat>) -> Option<Self> {
        let leader_lives = match processes.get(&identity.pid) {
            // The kernel does not reuse the number of a living session: another process means another session.
            Some(process) if process.starttime != identity.starttime => return None,
            leader => leader.is_some(),
        };
        Some(Self {
            number: identity.pid,
            leader_lives,
        })
    }

    fn contains(self, process: &ProcessStat) -> bool {
        // Without its leader the number may belong to a later session, so a member needs a command tag too.
        process.session == self.number
            && (self.leader_lives || proc::command_tag(process.pid).is_some())
    }
}

fn has_marker(pid: u32, marker: &str) -> bool {
    let marker = marker.as_bytes();
    let begins = |found: &[u8]| marker.ends_with(b"/") && found.starts_with(marker);
    proc::marker(pid).is_some_and(|found| found == marker || begins(&found))
}

fn add_descendants(
    found: &mut BTreeMap<u32, ProcessStat>,
    processes: &BTreeMap<u32, ProcessStat>,
    own: u32,
) {
    loop {
        let is_new = |process: &&ProcessStat| {
            !process.exited
                && process.pid != own
                && found.contains_key(&process.parent)
                && !found.contains_key(&process.pid)
        };
        let children: Vec<ProcessStat> = processes.values().filter(is_new).copied().collect();
        if children.is_empty() {
            return;
        }
        found.extend(children.into_iter().map(|process| (process.pid, process)));
    }
}

fn survivors_error(left: &[ProcessStat]) -> io::Error {
    let numbers: Vec<String> = left.iter().map(|process| process.pid.to_string()).collect();
    let message = format!("processes that could not be ended: {}", numbers.join(", "));
    io::Error::new(io::ErrorKind::TimedOut, message)
}
