//! `doctor engine` and `runs --all`: how the machines are that share runs, and what they have to do.

use signoff_api::cluster::{
    ClusterMachine, ClusterQueue, ClusterStatus, RUNS_SCHEMA, SCHEMA, SharedRuns,
};
use signoff_distributed::{ClusterError, ClusterHealth, Database};
use signoff_runtime::project::load_config;
use signoff_store::config::ClusterUrl;

use super::start::{database, failure};
use crate::failure::Failure;
use crate::report::count::count_of;
use crate::session::Session;
use crate::style::{CARE, DIM, ERROR, GOOD, paint, sanitize};

/// Clocks that differ by more make times in logs misleading. Nothing else depends on them.
const CLOCKS_APART_MS: i64 = 5000;

/// The database that this machine's user, or `--engine`, names.
fn url(session: &Session) -> Result<ClusterUrl, Failure> {
    match &session.process.services.url {
        Some(url) => Ok(url.clone()),
        None => Ok(load_config(&session.process, None)?.engine.url.value),
    }
}

pub(crate) fn doctor(session: &mut Session) -> Result<u8, Failure> {
    let url = url(session)?;
    let database = database(url.address())?;
    let found = match database.require_migrated() {
        Ok(()) => cluster_status(&url, database.health().map_err(failure)?),
        Err(ClusterError::NotMigrated) => ClusterStatus {
            schema: SCHEMA.to_owned(),
            url: url.to_string(),
            migrated: false,
            machines: Vec::new(),
            queues: Vec::new(),
            clock_ahead_ms: 0,
            obstacles: vec![
                "the database does not have this version's tables: `signoff worker --migrate` makes them"
                    .to_owned(),
            ],
        },
        Err(error) => return Err(failure(error)),
    };
    if session.is_json() {
        session.json(&found);
    } else {
        for line in lines(&found) {
            session.out.answer(line);
        }
    }
    for obstacle in &found.obstacles {
        session.out.say(obstacle);
    }
    Ok(u8::from(!found.obstacles.is_empty()))
}

fn cluster_status(url: &ClusterUrl, health: ClusterHealth) -> ClusterStatus {
    let alive = |machine: &&ClusterMachine| machine.alive && !machine.draining;
    let queues: Vec<ClusterQueue> = health
        .depths
        .iter()
        .map(|(role, depth)| ClusterQueue {
            role: role.clone(),
            depth: *depth,
            workers: health
                .machines
                .iter()
                .filter(alive)
                .filter(|machine| machine.roles.contains(role))
                .count(),
        })
        .collect();
    let mut obstacles = Vec::new();
    if !health
        .machines
        .iter()
        .filter(alive)
        .any(|machine| machine.orchestrates)
    {
        obstacles.push("no process drives runs: `signoff orchestrator` starts one".to_owned());
    }
    for queue in queues.iter().filter(|queue| queue.workers == 0) {
        obstacles.push(format!(
            "no worker serves the role `{}`, and {} for it: start one with `signoff worker --roles {}`",
            queue.role,
            count_of(
                usize::try_from(queue.depth).unwrap_or(0),
                "order waits",
                "orders wait"
            ),
            queue.role
        ));
    }
    if health.clock_ahead_ms.abs() > CLOCKS_APART_MS {
        obstacles.push(format!(
            "this machine's clock is {} ms from the database's: times in logs mislead, nothing else depends on them",
            health.clock_ahead_ms
        ));
    }
    ClusterStatus {
        schema: SCHEMA.to_owned(),
        url: url.to_string(),
        migrated: true,
        machines: health.machines,
        queues,
        clock_ahead_ms: health.clock_ahead_ms,
        obstacles,
    }
}

fn lines(found: &ClusterStatus) -> Vec<String> {
    let mut lines = vec![format!("engine   {}", found.url)];
    for machine in &found.machines {
        let (style, word) = match (machine.alive, machine.draining) {
            (false, _) => (ERROR, "gone"),
            (true, true) => (CARE, "leaving"),
            (true, false) => (GOOD, "alive"),
        };
        let mut part = machine.roles.clone();
        part.extend(machine.orchestrates.then(|| "drives runs".to_owned()));
        lines.push(format!(
            "  {}  {}  {}",
            paint(style, word),
            sanitize(&machine.executor),
            paint(DIM, sanitize(&part.join(", ")))
        ));
    }
    for queue in &found.queues {
        lines.push(format!(
            "queue    {}: {} for {}",
            sanitize(&queue.role),
            count_of(usize::try_from(queue.depth).unwrap_or(0), "order", "orders"),
            count_of(queue.workers, "worker", "workers")
        ));
    }
    lines
}

pub(crate) fn all_runs(session: &mut Session) -> Result<u8, Failure> {
    let url = url(session)?;
    let database: Database = database(url.address())?;
    database.require_migrated().map_err(failure)?;
    let runs = database.runs().map_err(failure)?;
    if session.is_json() {
        session.json(&SharedRuns {
            schema: RUNS_SCHEMA.to_owned(),
            runs,
        });
        return Ok(0);
    }
    if runs.is_empty() {
        session.out.answer("no run was handed over yet");
    }
    for run in &runs {
        let style = match run.state.as_str() {
            "completed" => GOOD,
            "failed" => ERROR,
            _ => CARE,
        };
        let mut text = format!(
            "{}  {}  {}  {}",
            run.run,
            paint(style, &run.state),
            sanitize(&run.title),
            paint(DIM, sanitize(&format!("{}, by {}", run.plan, run.by)))
        );
        if let Some(trouble) = &run.trouble {
            text = format!("{text}  {}", paint(ERROR, sanitize(trouble)));
        }
        session.out.answer(text);
    }
    Ok(0)
}
