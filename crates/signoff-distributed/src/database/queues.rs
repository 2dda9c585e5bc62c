//! The queues of DBOS, written to by the function that DBOS has for other programs: so an order and its place in a queue are
//! one transaction.

use serde::{Deserialize, Serialize};
use sqlx::AssertSqlSafe;

use super::{Database, PROTOCOL};
use crate::error::ClusterError;

/// Whose queues these are, for DBOS.
pub(crate) const APPLICATION: &str = "signoff";

/// Where DBOS has its tables.
pub(crate) const DBOS_SCHEMA: &str = "signoff_dbos";

/// Runs that wait for a process that drives them.
pub(crate) const PLANS: &str = "plans";
pub(crate) const PLAN_RUN: &str = "plan_run";
pub(crate) const ATTEMPT: &str = "attempt";

/// What recovery goes by: the protocol, not the build.
pub(crate) fn version() -> String {
    format!("protocol-{PROTOCOL}")
}

/// The queue of a role's orders.
pub(crate) fn queue_of(role: &str) -> String {
    format!("role-{role}")
}

/// What a workflow is called with, in the shape that the function of DBOS writes: the name of a run, or of an order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowInput {
    positional_args: (String,),
}

impl WorkflowInput {
    pub(crate) fn name(self) -> String {
        self.positional_args.0
    }
}

/// What is put into a queue, each as an expression of SQL.
pub(super) struct Queued<'s> {
    pub(super) workflow: &'s str,
    pub(super) queue: &'s str,
    pub(super) id: &'s str,
    pub(super) input: &'s str,
    pub(super) version: &'s str,
    pub(super) priority: &'s str,
    pub(super) partition: &'s str,
    pub(super) after_ms: &'s str,
}

/// The call that puts it there. A workflow that is known by this id stays as it is.
pub(super) fn enqueue(queued: &Queued<'_>) -> String {
    let Queued {
        workflow,
        queue,
        id,
        input,
        version,
        priority,
        partition,
        after_ms,
    } = queued;
    format!(
        "{DBOS_SCHEMA}.enqueue_workflow(workflow_name => '{workflow}', queue_name => {queue}, \
         positional_args => ARRAY[to_json(({input})::text)], workflow_id => {id}, app_version => {version}, \
         priority => {priority}, queue_partition_key => {partition}, delay_until_epoch_ms => {after_ms}, \
         application_name => '{APPLICATION}')"
    )
}

impl Database {
    /// Has some process drive a run, after whichever drives it now.
    pub(crate) fn activate(&self, run: &str) -> Result<(), ClusterError> {
        let queued = enqueue(&Queued {
            workflow: PLAN_RUN,
            queue: &format!("'{PLANS}'"),
            id: "next.id || '/drive/' || next.activations",
            input: "next.id",
            version: "$2",
            priority: "NULL",
            partition: "next.id",
            after_ms: "NULL",
        });
        let text = format!(
            "WITH next AS (UPDATE signoff.runs SET activations = activations + 1 WHERE id = $1 RETURNING id, activations) \
             SELECT {queued} FROM next"
        );
        self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(run)
                .bind(version())
                .execute(&self.pool),
        )
        .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_is_called_with_a_name() {
        let written = r#"{"positionalArgs" : ["run/a/1/work/7"], "namedArgs" : {}}"#;
        let input: WorkflowInput = serde_json::from_str(written).unwrap();
        assert_eq!(input.name(), "run/a/1/work/7");
    }
}
