//! Bringing a run's commits into the person's checkout.

use super::Id;

/// Whether the commits of a run can be brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// There is nothing to bring in.
    Nothing,
    /// They can.
    Ready(Landing),
    /// They cannot, for these reasons, each a sentence.
    Refused(Vec<String>),
}

/// What will be done to the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// Where HEAD stands.
    pub from: Option<Id>,
    /// Where it will stand.
    pub to: Id,
    /// The branch that moves; `None` where HEAD is detached.
    pub branch: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landed {
    /// It is done, and HEAD stands at this commit.
    Done {
        /// The commit.
        commit: Id,
    },
    /// HEAD moved meanwhile: prepare again.
    Moved,
}
