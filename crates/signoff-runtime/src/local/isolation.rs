//! Where a run works.

use std::sync::Arc;

use signoff_work::git::HarnessGit;

use crate::trees::Trees;

/// Where a run works.
pub(crate) enum RunIsolation {
    /// In the checkout; what records how it looks, if there is git.
    Checkout(Option<HarnessGit>),
    /// On trees of its own.
    Trees(Arc<Trees>),
}

impl RunIsolation {
    /// The harness's own git directory, if there is git.
    pub(super) fn git(&self) -> Option<&HarnessGit> {
        match self {
            Self::Checkout(own) => own.as_ref(),
            Self::Trees(trees) => Some(trees.git()),
        }
    }

    /// The run's trees, if it has any.
    pub(crate) fn trees(&self) -> Option<&Arc<Trees>> {
        match self {
            Self::Checkout(_) => None,
            Self::Trees(trees) => Some(trees),
        }
    }
}
