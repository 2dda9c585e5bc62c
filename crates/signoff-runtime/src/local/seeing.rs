//! How it is found out what an agent changed: by looking at the checkout before and after, or by asking git about the
//! agent's own worktree.

use signoff_engine::Changes;

use super::past::Past;
use super::tree::{Before, Tree};

/// How it is found out what an agent changed.
pub(super) enum Seeing<F> {
    /// With what the step protects, and what is known of its attempts.
    Checkout(Tree, Vec<String>, Past),
    Trees(F),
}

/// The same, once the agent can begin.
pub(super) enum Seen<F> {
    Checkout(Before),
    Trees(F),
}

impl<F: FnOnce() -> Changes> Seeing<F> {
    pub(super) fn before(self) -> Result<Seen<F>, String> {
        Ok(match self {
            Self::Checkout(tree, globs, past) => Seen::Checkout(tree.before_work(&globs, &past)?),
            Self::Trees(changes) => Seen::Trees(changes),
        })
    }
}

impl<F: FnOnce() -> Changes> Seen<F> {
    pub(super) fn changes(self) -> Changes {
        match self {
            Self::Checkout(before) => before.changes(),
            Self::Trees(changes) => changes(),
        }
    }
}
