//! Follows one run.

use signoff_engine::RecordedEvent;
use signoff_runtime::telemetry::FollowRun;

use crate::export::Exporter;
use crate::spans::OpenSpans;

/// Tells of one run.
pub(crate) struct RunFollower {
    exporter: Exporter,
    spans: OpenSpans,
}

impl RunFollower {
    pub(crate) fn new(exporter: &Exporter, run: &str) -> Self {
        Self {
            exporter: exporter.clone(),
            spans: OpenSpans::of(run),
        }
    }
}

impl FollowRun for RunFollower {
    fn replay_event(&mut self, recorded: &RecordedEvent) {
        // Whoever drove the run then has told of it.
        drop(self.spans.note(recorded));
    }

    fn event(&mut self, recorded: &RecordedEvent) {
        if let Some(span) = self.spans.note(recorded) {
            self.exporter.queue_span(span);
        }
    }
}
