//! The PID namespace of a command, as seen from outside.

use rustix::process::Pid;

use crate::namespaces::init_process::InitProcess;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::PooledNamespaces;
use crate::process_tree::ProcessTree;

/// Used to kill all that a command left behind.
#[derive(Debug)]
pub(crate) enum PidNamespace {
    /// The command's own. It ends with the command, and the other namespaces go back to the pool.
    Own {
        init: InitProcess,
        namespaces: PooledNamespaces,
    },
    /// One that the next command may use too.
    Kept(KeptMounts),
}

impl PidNamespace {
    /// Returns the init process that was started with the command, if one was.
    pub(crate) fn own_init(&self) -> Option<Pid> {
        match self {
            Self::Own { init, .. } => Some(init.pid()),
            Self::Kept(_) => None,
        }
    }

    /// Kills all that the command, which has exited, left in a namespace of its own. Returns how many processes
    /// there were.
    pub(crate) fn kill_own(&self) -> usize {
        match self {
            Self::Own { init, .. } => init.kill_namespace(),
            Self::Kept(_) => 0,
        }
    }

    /// The same for a kept namespace, after the siblings of the leader were killed. If a process may have stayed, no
    /// other command may use the namespace.
    pub(crate) fn clear_kept(&self, tree: &ProcessTree) -> usize {
        let Self::Kept(mounts) = self else {
            return 0;
        };
        // In this order: a process whose parent, a sibling of the leader, dies becomes a child of the init process.
        let has_siblings = tree.has_siblings_in(mounts.process_namespace());
        let cleared = mounts.init().map(InitProcess::kill_descendants);
        if has_siblings || cleared.is_none_or(|cleared| !cleared.is_empty) {
            mounts.give_up();
        }
        cleared.map_or(0, |cleared| cleared.killed)
    }

    /// Waits until the namespace is empty, but not for ever; returns whether a process is left. To be called after
    /// the leader was reaped: the namespace lasts until then.
    pub(crate) fn reap(self) -> bool {
        match self {
            Self::Own { init, namespaces } => {
                let is_gone = init.reap();
                if is_gone {
                    namespaces.give_back();
                }
                !is_gone
            }
            Self::Kept(mounts) => {
                mounts.is_unusable() && !mounts.init().is_some_and(InitProcess::wait_until_gone)
            }
        }
    }
}
