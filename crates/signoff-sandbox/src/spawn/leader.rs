//! The process that becomes the command, from its fork until it is reaped.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, WaitStatus, kill_process, kill_process_group};

use crate::command::report::ExitStatus;
use crate::confine::memory_group::MemoryGroup;
use crate::namespaces::pid_namespace::PidNamespace;
use crate::poll;
use crate::process_tree::children::{self, reap_registered};
use crate::process_tree::tags::CommandTag;
use crate::process_tree::{CleanupReport, ProcessTree};
use crate::spawn::spawner::{Child, Spawner};

/// A child that is not yet reaped: until then its number cannot mean another process.
///
/// Dropping it ends it with its whole tree.
#[derive(Debug)]
pub(crate) struct Leader {
    tree: ProcessTree,
    exit: OwnedFd,
    reaped: bool,
    /// Whose end is the end of everybody in its namespace.
    guard: Option<PidNamespace>,
    /// Removed when nobody is in it any more.
    group: Option<MemoryGroup>,
    /// Its thread ends with it, and the leader with the thread.
    _spawner: Arc<Spawner>,
}

impl Leader {
    pub(crate) fn new(
        Child { pid, guard, .. }: Child,
        spawner: Arc<Spawner>,
        command_tag: Option<CommandTag>,
        marker: Option<String>,
    ) -> io::Result<Self> {
        let tree = ProcessTree {
            leader: pid,
            command_tag,
            marker,
            parent: Arc::clone(spawner.thread()),
        };
        match children::exit_descriptor(pid) {
            Ok(exit) => Ok(Self {
                tree,
                exit,
                reaped: false,
                guard,
                group: None,
                _spawner: spawner,
            }),
            Err(error) => {
                kill_process(pid, Signal::KILL).ok();
                reap_registered(pid);
                if let Some(guard) = guard {
                    guard.end();
                    guard.reap();
                }
                Err(error)
            }
        }
    }

    /// Keeps the group that limits its memory for as long as it lives.
    pub(crate) fn in_group(mut self, group: Option<MemoryGroup>) -> Self {
        self.group = group;
        self
    }

    /// Becomes readable when the leader has exited.
    pub(crate) fn exit(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.tree.leader.as_raw_nonzero().get().cast_unsigned()
    }

    /// Asks the leader and its process group to end.
    pub(crate) fn terminate(&self) {
        kill_process_group(self.tree.leader, Signal::TERM).ok();
        // Who is stopped cannot hear.
        kill_process_group(self.tree.leader, Signal::CONT).ok();
    }

    pub(crate) fn kill(&self) {
        kill_process(self.tree.leader, Signal::KILL).ok();
    }

    pub(crate) fn reap_orphans(&self) {
        self.tree.reap_orphans();
    }

    /// Ends what the leader, which has exited, left behind.
    pub(crate) fn end_tree(&self) -> CleanupReport {
        let inside = self.guard.as_ref().map_or(0, PidNamespace::end);
        let swept = self.tree.end();
        let guard = self.guard.as_ref();
        let kept = guard.map_or(0, |guard| guard.clear(&self.tree));
        CleanupReport {
            ended: swept.ended + inside + kept,
            ..swept
        }
    }

    /// Returns how the leader, which has exited, did so, and whether somebody of its namespace is left. From here on
    /// its number may mean another process.
    pub(crate) fn reap(mut self) -> (ExitStatus, bool) {
        self.reaped = true;
        // Only a thief can have taken the status. Nobody may take its absence for success.
        let unknown = ExitStatus::Signaled(Signal::KILL.as_raw());
        let how = reap_registered(self.tree.leader).map_or(unknown, how);
        // Not before: the namespace lasts as long as anybody in it has not been taken leave of.
        let left = self.guard.take().is_some_and(PidNamespace::reap);
        (how, left)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.kill();
        let mut exit = [PollFd::new(&self.exit, PollFlags::IN)];
        while exit[0].revents().is_empty() && poll::poll(&mut exit, None).is_ok() {}
        self.end_tree();
        reap_registered(self.tree.leader);
        if let Some(guard) = self.guard.take() {
            guard.reap();
        }
    }
}

fn how(status: WaitStatus) -> ExitStatus {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ExitStatus::Exited(code),
        (None, Some(signal)) => ExitStatus::Signaled(signal),
        (None, None) => ExitStatus::Signaled(Signal::KILL.as_raw()),
    }
}
