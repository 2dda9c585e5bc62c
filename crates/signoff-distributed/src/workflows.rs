//! What DBOS calls: a run that is to be driven, an order that is to be carried out.

use std::sync::Arc;
use std::time::Duration;

use dbos::{Config, DBOS, EngineOnly, QueueConflict, QueueOptions};

use crate::database::{
    APPLICATION, ATTEMPT, DBOS_SCHEMA, Database, PLAN_RUN, PLANS, WorkflowInput, queue_of, version,
};
use crate::driving::{DriveOutcome, drive};
use crate::error::ClusterError;
use crate::machine::{CountDownOnDrop, Shared};

/// How often DBOS looks into a queue.
const POLL: Duration = Duration::from_millis(100);

/// How long an order waits for a place here, and then for another process.
const SURPLUS: Duration = Duration::from_secs(1);

/// How long it takes until something that failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Listens to the queues of this process.
pub(crate) fn launch_dbos(
    database: &Database,
    shared: &Arc<Shared>,
    roles: &[String],
) -> Result<DBOS, ClusterError> {
    let mut config = Config::new(APPLICATION, database.url());
    DBOS_SCHEMA.clone_into(&mut config.schema);
    config.executor_id = Some(shared.executor.clone());
    config.app_version = Some(version());
    config.migrate = false;
    let mut queues: Vec<String> = roles.iter().map(|role| queue_of(role)).collect();
    if shared.orchestrates {
        queues.push(PLANS.to_owned());
    }
    config.listen_queues = Some(queues.clone());
    let dbos = DBOS::new(config);
    register_workflows(&dbos, database, shared)?;
    // The row of a queue is for all who listen to it: it lets through what the largest of them can do.
    let most = database.most_jobs()?;
    database.wait(async {
        dbos.launch().await?;
        for name in queues {
            let is_plans = name == PLANS;
            let options = QueueOptions {
                polling_interval: POLL,
                priority_enabled: !is_plans,
                // One process at a time drives a run.
                partition_concurrency: is_plans.then_some(1),
                worker_concurrency: (!is_plans).then_some(most),
                ..QueueOptions::default()
            };
            let queue = dbos.register_queue(&name, options, QueueConflict::AlwaysUpdate);
            queue.await?;
        }
        Ok::<_, dbos::Error>(())
    })?;
    Ok(dbos)
}

/// Every process knows both workflows; which it is given depends on its queues.
fn register_workflows(
    dbos: &DBOS,
    database: &Database,
    shared: &Arc<Shared>,
) -> Result<(), ClusterError> {
    let (driving, of_database) = (Arc::clone(shared), database.clone());
    dbos.register_workflow(PLAN_RUN, move |input: WorkflowInput| {
        let (shared, database) = (Arc::clone(&driving), of_database.clone());
        let run = input.name();
        let body = move || {
            let _busy = CountDownOnDrop::new(&shared.busy);
            drive_activated_run(&database, &shared, &run)
        };
        run_as_step("drive", body)
    })?;
    let (working, of_database) = (Arc::clone(shared), database.clone());
    dbos.register_workflow(ATTEMPT, move |input: WorkflowInput| {
        let (shared, database) = (Arc::clone(&working), of_database.clone());
        let order = input.name();
        let body = move || take_order(&database, &shared, &order);
        run_as_step("work", body)
    })?;
    Ok(())
}

/// Runs a body on a thread that may wait, as the one durable step of a workflow.
async fn run_as_step(
    name: &'static str,
    body: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Result<String, dbos::Error<EngineOnly>> {
    dbos::step(name, move || {
        let body = body.clone();
        async move {
            let done = tokio::task::spawn_blocking(body).await;
            Ok(done.unwrap_or_else(|_| "the thread ended early".to_owned()))
        }
    })
    .await
}

fn drive_activated_run(database: &Database, shared: &Arc<Shared>, run: &str) -> String {
    match drive(database, shared, run) {
        Ok(DriveOutcome::Stopped(state)) => state,
        // Somebody has to drive it again, if whoever does now may be done with another activation.
        Ok(DriveOutcome::Lost) => {
            activate_again(database, shared, run, "another process drives it")
        }
        Err(error @ ClusterError::Database(_)) => {
            activate_again(database, shared, run, &error.to_string())
        }
        Err(error) => {
            shared.announce(format!("{run}: {error}"));
            error.to_string()
        }
    }
}

/// Has a run driven again, as soon as the database can be told. Its lease bounds how long this process tries.
fn activate_again(database: &Database, shared: &Arc<Shared>, run: &str, why: &str) -> String {
    shared.announce(format!("{run}: {why}"));
    while database.activate(run).is_err() && !shared.run_workers.is_stopping() {
        std::thread::sleep(AGAIN);
    }
    why.to_owned()
}

fn take_order(database: &Database, shared: &Arc<Shared>, order: &str) -> String {
    let _busy = CountDownOnDrop::new(&shared.busy);
    let slot = shared.slots.take(SURPLUS);
    // It may have been told to leave while it waited.
    if shared.is_draining() {
        return pass_on(database, shared, order, None);
    }
    let Some(_slot) = slot else {
        return pass_on(database, shared, order, Some(SURPLUS));
    };
    let done = shared.run_workers.perform(database, shared, order);
    done.unwrap_or_else(|error| {
        if !shared.is_draining() {
            shared.announce(format!("{order}: {error}"));
        }
        pass_on(database, shared, order, None)
    })
}

/// Puts an order back: it is for another machine, or for another time.
fn pass_on(
    database: &Database,
    shared: &Arc<Shared>,
    order: &str,
    after: Option<Duration>,
) -> String {
    while !shared.run_workers.is_stopping() && database.pass_on(order, after).is_err() {
        std::thread::sleep(AGAIN);
    }
    "passed on".to_owned()
}
