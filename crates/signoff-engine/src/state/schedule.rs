//! Which steps are ready, active or done.

use std::collections::BTreeSet;

/// Which steps are ready, active or done. All sets are in plan order, so that a replay chooses the same step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schedule {
    /// The first step that is not satisfied. A step that waits for all earlier ones is ready when this reaches
    /// it: a list of all earlier steps for each would be quadratic.
    pub(crate) frontier: usize,
    /// Steps whose dependencies are satisfied and that have not begun.
    pub(crate) ready: BTreeSet<usize>,
    /// Steps that have begun and neither ended nor wait on a person.
    pub(crate) active: BTreeSet<usize>,
    /// Loops whose items are all satisfied.
    pub(crate) gather: BTreeSet<usize>,
    /// Steps whose agents are done and that a person has to accept at the end.
    pub(crate) provisional: BTreeSet<usize>,
    /// Steps that were done anew although an earlier run of the plan is known; empty where none is.
    pub(crate) redone: BTreeSet<usize>,
    /// How many of the plan's steps are done or skipped.
    pub(crate) done: usize,
}
