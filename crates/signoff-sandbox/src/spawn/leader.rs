//! The process that becomes the command, from its fork until it is reaped.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, WaitStatus, kill_process, kill_process_group};

use crate::command::report::ExitStatus;
use crate::confine::memory_group::MemoryGroup;
use crate::namespaces::pid_namespace::PidNamespace;
use crate::poll::poll_until;
use crate::process_tree::children::{exit_descriptor, raw_pid, reap_registered};
use crate::process_tree::tags::CommandTag;
use crate::process_tree::{CleanupReport, ProcessTree};
use crate::spawn::fork::ForkedChild;
use crate::spawn::spawner::Spawner;

/// A child that is not reaped yet: until then its number cannot mean another process.
///
/// Dropping it kills it with its whole process tree.
#[derive(Debug)]
pub(crate) struct Leader {
    tree: ProcessTree,
    exit: OwnedFd,
    is_reaped: bool,
    pid_namespace: Option<PidNamespace>,
    /// Removed when it has no processes any more.
    memory_group: Option<MemoryGroup>,
    /// Keeps the spawning thread alive, with which the leader would die.
    _spawner: Arc<Spawner>,
}

/// How a leader ended that was reaped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReapedLeader {
    pub(crate) status: ExitStatus,
    /// Whether a process of its PID namespace is left, which could not be killed.
    pub(crate) has_survivors: bool,
}

impl Leader {
    pub(crate) fn new(
        child: ForkedChild,
        spawner: Arc<Spawner>,
        command_tag: Option<CommandTag>,
        marker: Option<String>,
    ) -> io::Result<Self> {
        let tree = ProcessTree {
            leader: child.pid,
            command_tag,
            marker,
            parent: Arc::clone(spawner.thread()),
        };
        match exit_descriptor(child.pid) {
            Ok(exit) => Ok(Self {
                tree,
                exit,
                is_reaped: false,
                pid_namespace: child.pid_namespace,
                memory_group: None,
                _spawner: spawner,
            }),
            Err(error) => {
                kill_process(child.pid, Signal::KILL).ok();
                reap_registered(child.pid);
                if let Some(pid_namespace) = child.pid_namespace {
                    pid_namespace.kill_own();
                    pid_namespace.reap();
                }
                Err(error)
            }
        }
    }

    /// Keeps the group that limits its memory for as long as it lives.
    pub(crate) fn with_memory_group(mut self, group: Option<MemoryGroup>) -> Self {
        self.memory_group = group;
        self
    }

    /// Returns a descriptor that becomes readable when the leader has exited.
    pub(crate) fn exit(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }

    pub(crate) fn pid(&self) -> u32 {
        raw_pid(self.tree.leader)
    }

    /// Asks the leader and its process group to end.
    pub(crate) fn terminate(&self) {
        kill_process_group(self.tree.leader, Signal::TERM).ok();
        // A stopped process handles the signal only when it continues.
        kill_process_group(self.tree.leader, Signal::CONT).ok();
    }

    pub(crate) fn kill(&self) {
        kill_process(self.tree.leader, Signal::KILL).ok();
    }

    pub(crate) fn reap_orphans(&self) {
        self.tree.reap_orphans();
    }

    /// Kills what the leader, which has exited, left behind.
    pub(crate) fn kill_tree(&self) -> CleanupReport {
        let pid_namespace = self.pid_namespace.as_ref();
        let in_own = pid_namespace.map_or(0, PidNamespace::kill_own);
        let report = self.tree.kill_remaining();
        let in_kept = pid_namespace.map_or(0, |namespace| namespace.clear_kept(&self.tree));
        CleanupReport {
            ended: report.ended + in_own + in_kept,
            ..report
        }
    }

    /// Reaps the leader, which has exited. From here on its number may mean another process.
    pub(crate) fn reap(mut self) -> ReapedLeader {
        self.is_reaped = true;
        // Only a foreign `wait` can have taken the status. Its absence must not look like success.
        let unknown = ExitStatus::Signaled(Signal::KILL.as_raw());
        let status = reap_registered(self.tree.leader).map_or(unknown, exit_status);
        // Not before: the namespace lasts until all its processes are reaped.
        let has_survivors = self.pid_namespace.take().is_some_and(PidNamespace::reap);
        ReapedLeader {
            status,
            has_survivors,
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        self.kill();
        let mut exit = [PollFd::new(&self.exit, PollFlags::IN)];
        while exit[0].revents().is_empty() && poll_until(&mut exit, None).is_ok() {}
        self.kill_tree();
        reap_registered(self.tree.leader);
        if let Some(pid_namespace) = self.pid_namespace.take() {
            pid_namespace.reap();
        }
    }
}

fn exit_status(status: WaitStatus) -> ExitStatus {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ExitStatus::Exited(code),
        (None, Some(signal)) => ExitStatus::Signaled(signal),
        (None, None) => ExitStatus::Signaled(Signal::KILL.as_raw()),
    }
}
