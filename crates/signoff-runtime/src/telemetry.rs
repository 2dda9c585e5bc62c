//! Who is told what happens in runs, besides whoever looks: a build with the feature `otel` tells a collector.

use std::fmt;

use signoff_engine::RecordedEvent;

/// A system that watches runs.
pub trait Telemetry: fmt::Debug + Send + Sync {
    /// Follows a run from now on.
    fn follow(&self, run: &str) -> Box<dyn FollowRun>;

    /// How much waits for a machine now, by role, where several share their runs.
    fn queue_depths(&self, depths: &[(String, i64)]);

    /// Has everything told that was noted, and says why it could not be.
    fn flush(&self) -> Result<(), String>;
}

/// Follows one run.
pub trait FollowRun {
    /// An event that happened before the run was followed; it comes before the others, and was told by whoever followed it then.
    fn replay_event(&mut self, recorded: &RecordedEvent);

    /// An event that just happened.
    fn event(&mut self, recorded: &RecordedEvent);
}
