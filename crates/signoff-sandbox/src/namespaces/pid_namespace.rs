//! The first process of a command's namespace, as seen from outside (see `namespaces`).

use rustix::process::Pid;

use crate::namespaces::init_process::InitProcess;
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::pool::PooledNamespaces;
use crate::process_tree::ProcessTree;

/// Whoever sees to it that nobody is left of a command.
#[derive(Debug)]
pub(crate) enum PidNamespace {
    /// The command's own, which ends with it and leaves this ground to the next one.
    Own(InitProcess, PooledNamespaces),
    /// That of mounts which the next command may find again.
    Kept(KeptMounts),
}

impl PidNamespace {
    /// The process that was started with the command.
    pub(crate) fn first(&self) -> Option<Pid> {
        match self {
            Self::Own(first, _) => Some(first.pid()),
            Self::Kept(_) => None,
        }
    }

    /// Ends everybody whom the command, which has exited, left in a namespace of its own, and returns how many there
    /// were.
    pub(crate) fn end(&self) -> usize {
        match self {
            Self::Own(first, _) => first.end(),
            Self::Kept(_) => 0,
        }
    }

    /// The same for a namespace that is kept, after the siblings of the leader were ended. One that somebody may have
    /// stayed in is given up: it is no place for another command.
    pub(crate) fn clear(&self, tree: &ProcessTree) -> usize {
        let Self::Kept(mounts) = self else {
            return 0;
        };
        // In this order: whoever loses a sibling of the leader as its parent is below the guard from then on.
        let has_siblings = tree.has_siblings_in(mounts.process_namespace());
        let (ended, is_clear) = mounts.first().map_or((0, false), InitProcess::clear);
        if has_siblings || !is_clear {
            mounts.give_up();
        }
        ended
    }

    /// Waits until nobody is left in the namespace, for a while; says whether somebody is. To be called when the
    /// command was reaped, which the end of its namespace waits for.
    pub(crate) fn reap(self) -> bool {
        match self {
            Self::Own(first, ground) => {
                let is_gone = first.reap();
                if is_gone {
                    ground.give_back();
                }
                !is_gone
            }
            Self::Kept(mounts) => {
                mounts.is_unusable() && !mounts.first().is_some_and(InitProcess::is_gone)
            }
        }
    }
}
