//! What dead processes left in the queues of DBOS.

use dbos::sysdb::types::{WorkflowFilter, WorkflowStatus};
use dbos::{Client, ClientConfig, EngineOnly, ResumeOptions};

use crate::database::{APPLICATION, DBOS_SCHEMA, Database};
use crate::error::ClusterError;

/// The queues, as a client of DBOS.
#[derive(Clone)]
pub(crate) struct Queues(Client);

impl Queues {
    pub(crate) fn connect(database: &Database) -> Result<Self, ClusterError> {
        let mut config = ClientConfig::new(database.url());
        config.app_name = Some(APPLICATION.to_owned());
        DBOS_SCHEMA.clone_into(&mut config.schema);
        config.max_connections = 2;
        Ok(Self(database.wait(Client::connect(config))?))
    }

    /// Puts back into their queues what these processes left.
    pub(crate) fn requeue_orders_of(
        &self,
        database: &Database,
        dead: &[String],
    ) -> Result<usize, ClusterError> {
        let executors: Vec<&str> = dead.iter().map(String::as_str).collect();
        database.wait(async {
            let filter = WorkflowFilter {
                executor_ids: executors,
                status: vec![WorkflowStatus::Pending],
                ..WorkflowFilter::default()
            };
            let left = self.0.list_workflows(&filter).await?;
            for record in &left {
                let options = ResumeOptions {
                    queue: record.queue_name.as_deref(),
                };
                // It counts its attempts anew: what it did is not to blame when a machine dies.
                let resumed = self
                    .0
                    .resume_with::<String, EngineOnly>(&record.workflow_id, options);
                resumed.await.map(drop)?;
            }
            Ok::<_, dbos::Error>(left.len())
        })
    }
}
