//! Which processes belong to a command, and how all of them are killed.
//!
//! This process is a subreaper: a descendant that loses its parent becomes a child of our main thread. So once the
//! leader of a command has exited, the rest of its tree hangs below children of ours that we did not start. Normally
//! there are none, which two short reads of `/proc` show. The process table is not searched, and the leaders of other
//! commands are registered, so that none of them is examined.

pub(crate) mod children;
pub(crate) mod identity;
pub(crate) mod kill;
pub(crate) mod leftovers;
pub(crate) mod proc;
pub(crate) mod spawning_thread;
pub(crate) mod tags;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, set_child_subreaper, waitpid};

use crate::process_tree::children::{lock_children, raw_pid};
use crate::process_tree::kill::KillReport;
use crate::process_tree::proc::ProcessStat;
use crate::process_tree::spawning_thread::SpawningThread;
use crate::process_tree::tags::CommandTag;

/// Name of the variable that marks a command and everything it starts.
pub const MARKER: &str = "SIGNOFF_INSIDE";

/// How long processes may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// A command's leader and its descendants.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    pub(crate) leader: Pid,
    pub(crate) command_tag: Option<CommandTag>,
    pub(crate) marker: Option<String>,
    /// The leader's parent, with which the leader dies.
    pub(crate) parent: Arc<SpawningThread>,
}

/// How many processes a command left behind.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct CleanupReport {
    pub(crate) ended: usize,
    /// Processes that could not be ended.
    pub(crate) left: usize,
}

/// Makes this process the parent of all its descendants that lose theirs.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    set_child_subreaper(Some(rustix::process::getpid()))?;
    match proc::stat(std::process::id()) {
        Some(_) => Ok(()),
        None => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "/proc is not readable; processes cannot be found",
        )),
    }
}

impl ProcessTree {
    /// Kills what the leader left behind. The leader has exited and is not reaped yet, so its number is still its own.
    pub(crate) fn kill_remaining(&self) -> CleanupReport {
        let deadline = Instant::now() + PATIENCE;
        let mut ended = BTreeSet::new();
        loop {
            let adopted = self.adopted_children();
            let living = living_with_descendants(&adopted);
            let killed = self.kill(&living, deadline);
            ended.extend(
                killed
                    .signalled
                    .iter()
                    .map(|process| (process.pid, process.starttime)),
            );
            reap_exited(&adopted);
            let stuck = killed.refused > 0 && killed.refused == living.len();
            if adopted.is_empty() || stuck || Instant::now() >= deadline {
                return CleanupReport {
                    ended: ended.len(),
                    left: killed.refused + killed.outlasted,
                };
            }
        }
    }

    fn kill(&self, living: &[ProcessStat], deadline: Instant) -> KillReport {
        if !living.is_empty() {
            // All at once, so that a process group that multiplies cannot outrun us.
            kill_process_group(self.leader, Signal::KILL).ok();
        }
        kill::kill(living, deadline)
    }

    /// Reaps orphans that exited while the command still runs.
    pub(crate) fn reap_orphans(&self) {
        reap_exited(&self.adopted_children());
    }

    /// Returns our children that belong to this command, except its leader; also those that have exited.
    fn adopted_children(&self) -> Vec<u32> {
        // The kernel gives orphans to our first living thread, which is the main one.
        let threads = [std::process::id(), self.parent.id()];
        let unknown = self.unknown_children(&threads).into_iter();
        unknown.filter(|pid| self.owns(*pid)).collect()
    }

    /// Returns children of these threads that we did not start.
    fn unknown_children(&self, threads: &[u32]) -> Vec<u32> {
        let own = std::process::id();
        let registered = lock_children();
        let children = threads.iter();
        let mut children: Vec<u32> = children
            .flat_map(|thread| proc::children_of_thread(own, *thread))
            .collect();
        // Read after the list and under the lock: no child stops being the starting one without it.
        let starting = self.parent.starting_child();
        children.retain(|pid| *pid != starting && !registered.contains(*pid));
        children
    }

    /// Whether a sibling of the leader, which has exited, may live on in this PID namespace. One whose namespace we may
    /// not see counts.
    pub(crate) fn has_siblings_in(&self, namespace: u64) -> bool {
        let unknown = self.unknown_children(&[self.parent.id()]).into_iter();
        let mut theirs = unknown.map(proc::process_namespace);
        theirs.any(|theirs| theirs.is_none_or(|theirs| theirs == namespace))
    }

    fn owns(&self, pid: u32) -> bool {
        let leader = raw_pid(self.leader);
        if pid == leader {
            return false;
        }
        if proc::stat(pid).is_some_and(|process| process.session == leader) {
            return true;
        }
        // Stronger than the marker, which two commands may share.
        if let Some(is_ours) = self.has_our_tag(pid) {
            return is_ours;
        }
        let Some(marker) = &self.marker else {
            return false;
        };
        // A leader that is starting gets its tag before its marker: if it had no tag a moment ago, it has one now.
        proc::marker(pid).is_some_and(|found| found == marker.as_bytes())
            && self.has_our_tag(pid).unwrap_or(true)
    }

    /// Whether a process has this command's tag, if both have one.
    fn has_our_tag(&self, pid: u32) -> Option<bool> {
        Some(self.command_tag?.covers(proc::command_tag(pid)?))
    }
}

/// Returns these processes and their descendants, as far as they live.
fn living_with_descendants(roots: &[u32]) -> Vec<ProcessStat> {
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut pending = roots.to_vec();
    while let Some(pid) = pending.pop() {
        if seen.insert(pid) {
            pending.extend(proc::children(pid));
        }
    }
    let stats = seen.into_iter().filter_map(proc::stat);
    stats.filter(|process| !process.exited).collect()
}

fn reap_exited(children: &[u32]) {
    let _lock = lock_children();
    for child in children {
        if let Some(pid) = Pid::from_raw(child.cast_signed()) {
            // Does nothing to one that still lives.
            waitpid(Some(pid), WaitOptions::NOHANG).ok();
        }
    }
}

/// Reaps exited orphans that belong to no command of the sandbox, such as what git leaves in the background. Who lives long
/// calls it now and then from its main thread, which adopts them and starts nothing meanwhile.
pub fn reap_adopted_orphans() {
    let main = std::process::id();
    let registered = lock_children();
    for child in proc::children_of_thread(main, main) {
        let has_exited = proc::stat(child).is_some_and(|process| process.exited);
        if let Some(pid) = Pid::from_raw(child.cast_signed())
            && has_exited
            && !registered.contains(child)
        {
            waitpid(Some(pid), WaitOptions::NOHANG).ok();
        }
    }
}

/// Returns the living descendants of a process that has one thread.
pub(crate) fn living_descendants(pid: u32) -> Vec<ProcessStat> {
    match proc::children_of_thread(pid, pid) {
        none if none.is_empty() => Vec::new(),
        children => living_with_descendants(&children),
    }
}
