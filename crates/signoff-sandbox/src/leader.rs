//! The process that becomes the command, from its fork until it is reaped.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group, waitpid,
};

use crate::brand::Brand;
use crate::ended::How;
use crate::guard::Guard;
use crate::memory_group::MemoryGroup;
use crate::spawner::{Child, Spawner};
use crate::tree::{self, Swept, Tree};
use crate::{clock, exit};

/// A child that is not yet reaped: until then its number cannot mean another process.
///
/// Dropping it ends it with its whole tree.
#[derive(Debug)]
pub(crate) struct Leader {
    tree: Tree,
    exit: OwnedFd,
    reaped: bool,
    /// Whose end is the end of everybody in its namespace.
    guard: Option<Guard>,
    /// Removed when nobody is in it any more.
    group: Option<MemoryGroup>,
}

impl Leader {
    pub(crate) fn new(
        Child { pid, guard, .. }: Child,
        spawner: Arc<Spawner>,
        brand: Option<Brand>,
        marker: Option<String>,
    ) -> io::Result<Self> {
        let tree = Tree {
            leader: pid,
            brand,
            marker,
            spawner,
        };
        match exit::descriptor(pid) {
            Ok(exit) => Ok(Self {
                tree,
                exit,
                reaped: false,
                guard,
                group: None,
            }),
            Err(error) => {
                kill_process(pid, Signal::KILL).ok();
                take_leave(pid);
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
    pub(crate) fn end_tree(&self) -> Swept {
        let inside = self.guard.as_ref().map_or(0, Guard::end);
        let swept = self.tree.end();
        let guard = self.guard.as_ref();
        let kept = guard.map_or(0, |guard| guard.clear(&self.tree));
        Swept {
            ended: swept.ended + inside + kept,
            ..swept
        }
    }

    /// Returns how the leader, which has exited, did so, and whether somebody of its namespace is left. From here on
    /// its number may mean another process.
    pub(crate) fn reap(mut self) -> (How, bool) {
        self.reaped = true;
        // Only a thief can have taken the status. Nobody may take its absence for success.
        let unknown = How::Signaled(Signal::KILL.as_raw());
        let how = take_leave(self.tree.leader).map_or(unknown, how);
        // Not before: the namespace lasts as long as anybody in it has not been taken leave of.
        let left = self.guard.take().is_some_and(Guard::reap);
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
        while exit[0].revents().is_empty() && clock::poll(&mut exit, None).is_ok() {}
        self.end_tree();
        take_leave(self.tree.leader);
        if let Some(guard) = self.guard.take() {
            guard.reap();
        }
    }
}

/// Reaps a leader that has exited or is about to.
pub(crate) fn take_leave(leader: Pid) -> Option<WaitStatus> {
    let mut leaders = tree::lock_children();
    let status = wait(leader);
    leaders.forget(leader);
    status
}

fn wait(pid: Pid) -> Option<WaitStatus> {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Err(Errno::INTR) => {}
            other => return other.ok().flatten().map(|(_, status)| status),
        }
    }
}

fn how(status: WaitStatus) -> How {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => How::Exited(code),
        (None, Some(signal)) => How::Signaled(signal),
        (None, None) => How::Signaled(Signal::KILL.as_raw()),
    }
}
