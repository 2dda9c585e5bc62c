//! Messages of the supervisor's threads to the loop.

use signoff_engine::Action;

use crate::cluster::Report;
use crate::drive::WakeReason;
use crate::trees::TreeMount;

/// Something a thread has to tell.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them at a time, and each is moved once"
)]
pub(super) enum Message {
    Happened(WakeReason),
    /// The tree that the action needs is ready or cannot be made: the action can go on.
    Ready {
        action: Action,
        made: Result<Box<TreeMount>, String>,
    },
    /// Another machine reports.
    Reported(Box<Report>),
}
