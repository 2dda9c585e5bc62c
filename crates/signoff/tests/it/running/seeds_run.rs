//! The example of each dialect's specification, made runnable: run in one go, killed and resumed, escalated
//! and answered. Checks the events against the catalogue, and the marks against the specification.

pub(crate) mod proposal;
pub(crate) mod record;
pub(crate) mod thread;
pub(crate) mod toolplan;
pub(crate) mod workunit;

use serde_json::{Value, json};
use signoff_testkit::{Reply, Script};

use crate::support::seeds::catalogue::ended;
use crate::support::seeds::{Example, count};

/// Every step completed with this grade.
#[track_caller]
fn all_done(example: &Example, steps: usize, evidence: &str) {
    let done = ("completed".to_owned(), evidence.to_owned());
    assert_eq!(example.steps(), vec![done; steps]);
    let ends = ended(&example.events(), "completed");
    assert_eq!(ends.len(), steps);
    for (id, (status, grade)) in ends {
        assert_eq!(
            (status, grade),
            ("completed".to_owned(), Some(evidence.to_owned())),
            "{id}"
        );
    }
    let processes = example.project.processes();
    assert!(processes.is_empty(), "{processes:#?}");
}
