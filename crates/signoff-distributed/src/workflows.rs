//! What DBOS calls: a run that is to be driven, an order that is to be carried out.

use std::sync::Arc;
use std::time::Duration;

use dbos::{Config, DBOS, EngineOnly, QueueConflict, QueueOptions};

use crate::database::{
    APPLICATION, ATTEMPT, DBOS_SCHEMA, Database, PLAN_RUN, PLANS, WorkflowInput, queue_of, version,
};
use crate::driving::{DriveOutcome, drive};
use crate::error::EngineError;
use crate::machine::{Busy, Shared};

/// How often DBOS looks into a queue.
const POLL: Duration = Duration::from_millis(100);

/// How long an order waits for a place here, and then for another process.
const SURPLUS: Duration = Duration::from_secs(1);

/// How long it takes until something that failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Listens to the queues of this process.
pub(crate) fn launch(
    database: &Database,
    shared: &Arc<Shared>,
    roles: &[String],
) -> Result<DBOS, EngineError> {
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
    let engine = DBOS::new(config);
    register(&engine, database, shared)?;
    // The row of a queue is for all who listen to it: it lets through what the largest of them can do.
    let most = database.most_jobs()?;
    database.wait(async {
        engine.launch().await?;
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
            let queue = engine.register_queue(&name, options, QueueConflict::AlwaysUpdate);
            queue.await?;
        }
        Ok::<_, dbos::Error>(())
    })?;
    Ok(engine)
}

/// Every process knows both workflows; which it is given depends on its queues.
fn register(engine: &DBOS, database: &Database, shared: &Arc<Shared>) -> Result<(), EngineError> {
    let (driving, of_database) = (Arc::clone(shared), database.clone());
    engine.register_workflow(PLAN_RUN, move |input: WorkflowInput| {
        let (shared, database) = (Arc::clone(&driving), of_database.clone());
        let run = input.name();
        let body = move || {
            let _busy = Busy::new(&shared.busy);
            plan_run(&database, &shared, &run)
        };
        durably("drive", body)
    })?;
    let (working, of_database) = (Arc::clone(shared), database.clone());
    engine.register_workflow(ATTEMPT, move |input: WorkflowInput| {
        let (shared, database) = (Arc::clone(&working), of_database.clone());
        let order = input.name();
        let body = move || attempt(&database, &shared, &order);
        durably("work", body)
    })?;
    Ok(())
}

/// Runs a body on a thread that may wait, as the one durable step of a workflow.
async fn durably(
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

fn plan_run(database: &Database, shared: &Arc<Shared>, run: &str) -> String {
    match drive(database, shared, run) {
        Ok(DriveOutcome::Stopped(state)) => state,
        // Somebody has to drive it again, if whoever does now may be done with another activation.
        Ok(DriveOutcome::Lost) => go_on(database, shared, run, "another process drives it"),
        Err(error @ EngineError::Database(_)) => go_on(database, shared, run, &error.to_string()),
        Err(error) => {
            shared.say(format!("{run}: {error}"));
            error.to_string()
        }
    }
}

/// Has a run driven again, as soon as the database can be told. Its lease bounds how long this process tries.
fn go_on(database: &Database, shared: &Arc<Shared>, run: &str, why: &str) -> String {
    shared.say(format!("{run}: {why}"));
    while database.activate(run).is_err() && !shared.hosts.is_stopping() {
        std::thread::sleep(AGAIN);
    }
    why.to_owned()
}

fn attempt(database: &Database, shared: &Arc<Shared>, order: &str) -> String {
    let _busy = Busy::new(&shared.busy);
    let slot = shared.slots.take(SURPLUS);
    // It may have been told to leave while it waited.
    if shared.is_draining() {
        return pass_on(database, shared, order, None);
    }
    let Some(_slot) = slot else {
        return pass_on(database, shared, order, Some(SURPLUS));
    };
    let done = shared.hosts.perform(database, shared, order);
    done.unwrap_or_else(|error| {
        if !shared.is_draining() {
            shared.say(format!("{order}: {error}"));
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
    while !shared.hosts.is_stopping() && database.pass_on(order, &shared.executor, after).is_err() {
        std::thread::sleep(AGAIN);
    }
    "passed on".to_owned()
}
