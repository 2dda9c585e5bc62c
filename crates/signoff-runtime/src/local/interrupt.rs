//! Stopping a running loop from another thread.

use std::fmt;
use std::sync::mpsc::Sender;

use super::message::Message;
use super::supervisor::StopHandle;
use crate::drive::WakeReason;

/// Asks a running loop to stop cleanly; safe to send from a signal thread.
#[derive(Clone)]
pub struct Interrupt {
    pub(super) sender: Sender<Message>,
    pub(super) stop: StopHandle,
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}

impl Interrupt {
    /// Asks for it, and ends what the loop may be waiting for.
    pub fn send(&self) {
        // Nobody listens any more: then there is nothing left to stop. It is sent first: whoever sees that the run is
        // being stopped finds the reason.
        drop(self.sender.send(Message::Happened(WakeReason::Interrupted)));
        self.stop.stop();
    }
}
