//! The tree that an agent works in, and what it changed there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use signoff_engine::Changes;
use signoff_work::confine::private_repository;

use super::shared_checkout::CheckoutBefore;
use crate::trees::{TreeMount, Trees, WorkContext};

/// What an agent worked in.
pub(super) enum AttemptTree {
    Tree(Arc<Trees>, Box<TreeMount>, Box<WorkContext>),
    Checkout(Box<CheckoutBefore>),
}

impl AttemptTree {
    /// The repository that the agent had to itself.
    pub(super) fn repository(&self, scratch: Option<&Path>) -> Option<PathBuf> {
        match self {
            Self::Tree(_, mount, _) => {
                let changed = mount.upper_layer().unwrap_or_else(|| mount.files());
                Some(changed.join(".git"))
            }
            Self::Checkout(_) => scratch.map(private_repository),
        }
    }

    /// What was changed there.
    pub(super) fn end(self) -> Changes {
        match self {
            Self::Checkout(before) => before.changes(),
            Self::Tree(trees, mount, work) => {
                // A failure to record is reported when the candidate is built.
                let recorded = trees.record(&work, Some(&mount)).ok().flatten();
                recorded.map_or_else(Changes::default, |recorded| Changes {
                    files: Some(recorded.files),
                    protected: recorded.protected,
                    details: recorded.details,
                })
            }
        }
    }
}
