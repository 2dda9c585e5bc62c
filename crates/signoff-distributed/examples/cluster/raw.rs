//! The writes of a run, once more, by DBOS and nothing else: the same rows with the same texts, as many of them in one
//! transaction, the same queue, the same number of steps under way. Nothing is started, checked, merged or signed, and the one
//! that drives is woken by the one that works, without the database.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbos::{Config, DBOS, EngineOnly, QueueConflict, QueueOptions};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::postgres::{PgPool, PgPoolOptions};
use tokio::sync::Notify;

use crate::WARM;
use crate::fleet::{Fleet, Spent};

/// As in `signoff-distributed`.
const POLL: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_secs(1);
const SCHEMA: &str = "signoff_dbos";

/// What a run wrote for a step: lines of its journal before the order and after it, the order and the report.
#[derive(Default, Clone)]
struct StepWrites {
    begin: Vec<String>,
    order: String,
    report: String,
    end: Vec<String>,
}

pub(crate) struct Writes {
    run: String,
    steps: Vec<StepWrites>,
    publications: i64,
}

impl Writes {
    pub(crate) fn of(fleet: &Fleet, run: &str) -> Self {
        let mut steps: BTreeMap<String, StepWrites> = BTreeMap::new();
        let lines = fleet.sql(&format!(
            "SELECT line FROM signoff.events WHERE run = '{run}' ORDER BY seq"
        ));
        for line in lines.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(step) = event["step"].as_str() else {
                continue;
            };
            let writes = steps.entry(step.to_owned()).or_default();
            let is_end = event["type"]
                .as_str()
                .is_some_and(|kind| kind.ends_with("_finished") || kind.ends_with("_completed"));
            let to = if is_end || !writes.end.is_empty() {
                &mut writes.end
            } else {
                &mut writes.begin
            };
            to.push(line.to_owned());
        }
        let orders = fleet.sql(&format!(
            "SELECT replace(body, chr(10), ' ') || chr(9) || replace(report, chr(10), ' ') FROM signoff.orders WHERE run = '{run}' AND report IS NOT NULL"
        ));
        for line in orders.lines() {
            let (order, report) = line.split_once('\t').unwrap();
            let body: serde_json::Value = serde_json::from_str(order).unwrap();
            let writes = steps.get_mut(body["step"].as_str().unwrap()).unwrap();
            order.clone_into(&mut writes.order);
            report.clone_into(&mut writes.report);
        }
        // A publication is one transaction.
        let published =
            format!("SELECT count(DISTINCT xmin::text) FROM signoff.events WHERE run = '{run}'");
        Self {
            run: format!("{run}-raw"),
            steps: steps.into_values().collect(),
            publications: fleet.sql(&published).parse().unwrap(),
        }
    }

    pub(crate) fn publications(&self) -> i64 {
        self.publications
    }

    pub(crate) fn orders(&self) -> usize {
        self.steps.len()
    }
}

/// How long it takes until the last step is reported, and what had been spent before.
pub(crate) fn measure(fleet: &Fleet, writes: &Writes, jobs: usize) -> (Duration, Spent) {
    let url = &fleet.url();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let pool = PgPoolOptions::new()
            .max_connections(8)
            .connect(url)
            .await
            .unwrap();
        let woken = Arc::new(Notify::new());
        let engine = launch(url, &pool, writes, jobs, &woken).await;
        tokio::time::sleep(WARM).await;
        let before = fleet.spent();
        let begun = Instant::now();
        drive(&pool, writes, jobs, &woken).await;
        let took = begun.elapsed();
        engine.shutdown().await;
        (took, before)
    })
}

/// What the function of DBOS calls a workflow with.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    positional_args: (String,),
}

/// A process that works: claims, does one durable step, reports.
async fn launch(
    url: &str,
    pool: &PgPool,
    writes: &Writes,
    jobs: usize,
    woken: &Arc<Notify>,
) -> DBOS {
    let mut config = Config::new("raw", url);
    SCHEMA.clone_into(&mut config.schema);
    config.executor_id = Some(writes.run.clone());
    config.app_version = Some("raw-1".to_owned());
    config.migrate = false;
    config.listen_queues = Some(vec!["raw".to_owned()]);
    let engine = DBOS::new(config);
    let reports: BTreeMap<String, String> = writes
        .steps
        .iter()
        .enumerate()
        .map(|(at, step)| (id_of(writes, at), step.report.clone()))
        .collect();
    let (reports, database, woken) = (Arc::new(reports), pool.clone(), Arc::clone(woken));
    let work = move |input: Input| {
        let (reports, database) = (Arc::clone(&reports), database.clone());
        let (order, woken) = (input.positional_args.0, Arc::clone(&woken));
        async move {
            dbos::step("work", move || {
                let (reports, database, order) =
                    (Arc::clone(&reports), database.clone(), order.clone());
                let woken = Arc::clone(&woken);
                async move {
                    claim_and_report(&database, &order, &reports[&order]).await;
                    woken.notify_one();
                    Ok::<String, dbos::Error<EngineOnly>>("reported".to_owned())
                }
            })
            .await
        }
    };
    engine.register_workflow("work", work).unwrap();
    engine.launch().await.unwrap();
    let options = QueueOptions {
        polling_interval: POLL,
        priority_enabled: true,
        worker_concurrency: Some(i32::try_from(jobs).unwrap()),
        ..QueueOptions::default()
    };
    engine
        .register_queue("raw", options, QueueConflict::AlwaysUpdate)
        .await
        .unwrap();
    engine
}

async fn claim_and_report(database: &PgPool, order: &str, report: &str) {
    sqlx::query(
        "UPDATE signoff.orders SET claim = claim + 1, executor = 'raw', claimed = now() \
         WHERE id = $1 AND report IS NULL AND NOT withdrawn RETURNING run, body, key, signature, claim",
    )
    .bind(order)
    .fetch_one(database)
    .await
    .unwrap();
    sqlx::query(
        "UPDATE signoff.orders SET report = $2, report_key = 'raw', report_signature = 'raw', reported = now() \
         WHERE id = $1 AND claim = 1 AND report IS NULL AND NOT withdrawn",
    )
    .bind(order)
    .bind(report)
    .execute(database)
    .await
    .unwrap();
}

fn id_of(writes: &Writes, at: usize) -> String {
    format!("{}/{at}", writes.run)
}

/// A process that drives: publishes what begins and ends, and hands orders over, with so many under way.
async fn drive(pool: &PgPool, writes: &Writes, jobs: usize, woken: &Notify) {
    sqlx::query(
        "INSERT INTO signoff.runs (id, project, plan, title, by_name, priority, submission) VALUES ($1, '', '', '', '', 30, '')",
    )
    .bind(&writes.run)
    .execute(pool)
    .await
    .unwrap();
    let (mut next, mut ended, mut seq) = (0, 0, 0_i64);
    let mut open: Vec<usize> = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    while ended < writes.steps.len() {
        let mut lines: Vec<&String> = done.iter().flat_map(|at| &writes.steps[*at].end).collect();
        ended += std::mem::take(&mut done).len();
        let first = next;
        while open.len() < jobs && next < writes.steps.len() {
            lines.extend(&writes.steps[next].begin);
            open.push(next);
            next += 1;
        }
        if !lines.is_empty() {
            seq = publish(pool, &writes.run, seq, &lines).await;
        }
        if first < next {
            hand_over(pool, writes, first..next).await;
        }
        done = reported(pool, writes, &mut open).await;
        if done.is_empty() && ended < writes.steps.len() {
            drop(tokio::time::timeout(LOOK, woken.notified()).await);
        }
    }
}

async fn publish(pool: &PgPool, run: &str, seq: i64, lines: &[&String]) -> i64 {
    let last = seq + i64::try_from(lines.len()).unwrap();
    let numbers: Vec<i64> = (seq + 1..=last).collect();
    let texts: Vec<String> = lines.iter().map(|line| (*line).clone()).collect();
    sqlx::query(
        "WITH owned AS (UPDATE signoff.runs SET head_seq = $2, head_hash = repeat('0', 64), updated = now() WHERE id = $1 RETURNING id) \
         INSERT INTO signoff.events (run, seq, line) \
         SELECT owned.id, l.seq, l.line FROM owned, unnest($3::bigint[], $4::text[]) AS l(seq, line)",
    )
    .bind(run)
    .bind(last)
    .bind(numbers)
    .bind(texts)
    .execute(pool)
    .await
    .unwrap();
    last
}

async fn hand_over(pool: &PgPool, writes: &Writes, steps: std::ops::Range<usize>) {
    let ids: Vec<String> = steps.clone().map(|at| id_of(writes, at)).collect();
    let bodies: Vec<String> = steps.map(|at| writes.steps[at].order.clone()).collect();
    sqlx::query(
        "WITH new AS (INSERT INTO signoff.orders (id, run, role, body, key, signature) \
           SELECT o.id, $1, 'raw', o.body, repeat('k', 51), repeat('s', 128) FROM unnest($2::text[], $3::text[]) AS o(id, body) \
           RETURNING id) \
         SELECT signoff_dbos.enqueue_workflow(workflow_name => 'work', queue_name => 'raw', positional_args => ARRAY[to_json(id)], \
           workflow_id => id, app_version => 'raw-1', priority => 30, application_name => 'raw') FROM new",
    )
    .bind(&writes.run)
    .bind(ids)
    .bind(bodies)
    .execute(pool)
    .await
    .unwrap();
}

/// Those of the open steps that were reported since.
async fn reported(pool: &PgPool, writes: &Writes, open: &mut Vec<usize>) -> Vec<usize> {
    let ids: Vec<String> = open.iter().map(|at| id_of(writes, *at)).collect();
    let rows = sqlx::query(
        "SELECT id, report FROM signoff.orders WHERE id = ANY($1) AND report IS NOT NULL",
    )
    .bind(ids)
    .fetch_all(pool)
    .await
    .unwrap();
    let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let (done, left) = open
        .iter()
        .partition(|at| found.contains(&id_of(writes, **at)));
    *open = left;
    done
}
