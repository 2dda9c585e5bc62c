//! Everything a command started, and the end of it.
//!
//! This process is a subreaper: whoever loses its parent below us becomes our child, given to our main thread. So
//! once the leader of a command has exited, all that is left of its tree hangs below children of ours that we did not
//! start. On the ordinary path there are none, which two short reads show; no table of processes is searched.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, set_child_subreaper, waitpid};

use crate::brand::Brand;
use crate::kill::{self, Killed};
use crate::proc::{self, Stat};

/// How long processes may take to die of `SIGKILL`.
const PATIENCE: Duration = Duration::from_secs(5);

/// Held while children are listed or reaped: the kernel's list skips an entry if another one leaves meanwhile.
static CHILDREN: Mutex<()> = Mutex::new(());

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) leader: Pid,
    pub(crate) brand: Option<Brand>,
    pub(crate) marker: Option<String>,
    /// The thread whose child the leader is; so is whoever a leader starts as its sibling.
    pub(crate) spawner: u32,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Swept {
    pub(crate) ended: usize,
    pub(crate) left: usize,
}

/// Makes orphans below this process its children.
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

pub(crate) fn lock_children() -> MutexGuard<'static, ()> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tree {
    /// Ends what the leader left behind. The leader has exited and is not yet reaped, so its number is still its own.
    pub(crate) fn end(&self) -> Swept {
        let deadline = Instant::now() + PATIENCE;
        let mut ended = BTreeSet::new();
        loop {
            let adopted = self.adopted();
            let living = with_descendants(&adopted);
            let killed = self.kill(&living, deadline);
            ended.extend(
                killed
                    .signalled
                    .iter()
                    .map(|process| (process.pid, process.starttime)),
            );
            reap(&adopted);
            let stuck = killed.refused > 0 && killed.refused == living.len();
            if adopted.is_empty() || stuck || Instant::now() >= deadline {
                return Swept {
                    ended: ended.len(),
                    left: killed.refused + killed.outlasted,
                };
            }
        }
    }

    fn kill(&self, living: &[Stat], deadline: Instant) -> Killed {
        if !living.is_empty() {
            // At one stroke, so that a group that multiplies cannot outrun us.
            kill_process_group(self.leader, Signal::KILL).ok();
        }
        kill::kill(living, deadline)
    }

    /// Takes leave of orphans that ended while the command still runs.
    pub(crate) fn reap_orphans(&self) {
        reap(&self.adopted());
    }

    /// Our children that belong to this command, other than its leader; exited ones included.
    fn adopted(&self) -> Vec<u32> {
        let own = std::process::id();
        let children = {
            let _lock = lock_children();
            // The kernel gives orphans to the first thread that lives, and that is the main one.
            let mut children = proc::children_of_thread(own, own);
            children.extend(proc::children_of_thread(own, self.spawner));
            children
        };
        children.into_iter().filter(|pid| self.owns(*pid)).collect()
    }

    fn owns(&self, pid: u32) -> bool {
        let leader = self.leader.as_raw_nonzero().get().cast_unsigned();
        if pid == leader {
            return false;
        }
        if proc::stat(pid).is_some_and(|process| process.session == leader) {
            return true;
        }
        match (self.brand, proc::brand(pid)) {
            // Stronger than the marker, which two commands may share.
            (Some(own), Some(found)) => own.covers(found),
            _ => match &self.marker {
                Some(marker) => proc::marker(pid).is_some_and(|found| found == marker.as_bytes()),
                None => false,
            },
        }
    }
}

/// Returns those that live, with all that live below them.
fn with_descendants(roots: &[u32]) -> Vec<Stat> {
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

fn reap(children: &[u32]) {
    let _lock = lock_children();
    for child in children {
        if let Some(pid) = Pid::from_raw(child.cast_signed()) {
            // Whoever still lives is passed over.
            waitpid(Some(pid), WaitOptions::NOHANG).ok();
        }
    }
}
