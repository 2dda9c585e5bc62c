//! What is counted and measured since the process began: durations, kills, ends of runs, and what waits in queues.

use std::collections::BTreeMap;

use crate::spans::{Span, SpanKind};

/// Upper bounds of a duration's buckets, in seconds: contracts take milliseconds, agents hours.
pub(crate) const BOUNDS: [f64; 12] = [
    0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0,
];

/// How an attempt ends whose agent the harness or a person stopped, or that was lost with its machine.
const KILLS: [&str; 4] = ["time_limit", "over_budget", "stopped", "lost"];

/// Durations of one kind with one outcome.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Durations {
    pub(crate) count: u64,
    pub(crate) sum: f64,
    /// One more than there are bounds.
    pub(crate) buckets: [u64; BOUNDS.len() + 1],
}

impl Durations {
    fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound);
        if let Some(count) = self.buckets.get_mut(bucket.unwrap_or(BOUNDS.len())) {
            *count += 1;
        }
    }
}

/// Everything that was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Metrics {
    pub(crate) durations: BTreeMap<(SpanKind, String), Durations>,
    /// Agents that were stopped, by the reason.
    pub(crate) kills: BTreeMap<String, u64>,
    /// What waits for a machine now, by role.
    pub(crate) depths: BTreeMap<String, i64>,
}

impl Metrics {
    pub(crate) fn note(&mut self, span: &Span) {
        let outcome = span.outcome();
        let key = (span.kind, outcome.to_owned());
        self.durations.entry(key).or_default().add(span.seconds());
        if span.kind == SpanKind::Attempt && KILLS.contains(&outcome) {
            *self.kills.entry(outcome.to_owned()).or_default() += 1;
        }
    }

    pub(crate) fn note_depths(&mut self, depths: &[(String, i64)]) {
        // A role for which nothing waits any more is still told of once it was.
        for depth in self.depths.values_mut() {
            *depth = 0;
        }
        self.depths.extend(depths.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_the_bucket_that_it_fits() {
        let mut durations = Durations::default();
        for seconds in [0.01, 0.02, 100_000.0] {
            durations.add(seconds);
        }
        assert_eq!(durations.count, 3);
        assert_eq!(durations.buckets[..3], [1, 1, 0]);
        assert_eq!(durations.buckets[BOUNDS.len()], 1);
    }

    #[test]
    fn a_queue_that_is_empty_is_told_of() {
        let mut metrics = Metrics::default();
        metrics.note_depths(&[("coder".to_owned(), 3), ("tools".to_owned(), 1)]);
        metrics.note_depths(&[("tools".to_owned(), 2)]);
        let depths: Vec<_> = metrics.depths.into_iter().collect();
        assert_eq!(depths, [("coder".to_owned(), 0), ("tools".to_owned(), 2)]);
    }
}
