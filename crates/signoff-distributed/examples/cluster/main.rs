//! What `cargo xtask bench cluster` measures: `cluster BINARY throughput JOBS` and `cluster BINARY waiting AGENTS`. Prints one
//! JSON object. It starts a Postgres of its own and processes of the real binary.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it measures, and is started by the one who reads what it prints"
)]

mod fleet;
mod raw;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::fleet::Fleet;

/// Steps without work in one run.
const STEPS: usize = 300;

/// A process that has just begun looks into its queues once a second, and a tenth more often each time, until it does so as
/// often as it is told. What is measured is measured after that.
const WARM: Duration = Duration::from_secs(12);

/// How long an agent waits that only waits.
const WAIT: Duration = Duration::from_mins(1);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let measured = match words[..] {
        [binary, "throughput", jobs] => throughput(binary, jobs.parse().unwrap()),
        [binary, "waiting", agents] => waiting(binary, agents.parse().unwrap()),
        _ => json!({"error": "BINARY throughput JOBS, or BINARY waiting AGENTS"}),
    };
    println!("{measured}");
}

/// The same writes by DBOS alone, then the run that they were taken from; in turn, so that a busy moment meets both.
fn throughput(binary: &str, jobs: usize) -> Value {
    let fleet = Fleet::new(binary, &fleet::checks(STEPS), jobs);
    std::thread::sleep(WARM);
    let mut rounds = Vec::new();
    for _ in 0..3 {
        let before = fleet.spent();
        let run = fleet.run();
        let after = fleet.spent();
        let writes = raw::Writes::of(&fleet, &run);
        let (raw, before_raw) = raw::measure(&fleet, &writes, jobs);
        let after_raw = fleet.spent();
        rounds.push(json!({
            "signoff_seconds": fleet.seconds_of(&run),
            "raw_seconds": raw.as_secs_f64(),
            "latencies_ms": fleet.latencies(&run),
            "cost": Fleet::cost(&before, &after),
            "raw_cost": Fleet::cost(&before_raw, &after_raw),
            "publications": writes.publications(),
            "orders": writes.orders(),
        }));
    }
    json!({"steps": STEPS, "jobs": jobs, "rounds": rounds})
}

/// A run whose agents do nothing but wait, all at once.
fn waiting(binary: &str, agents: usize) -> Value {
    let fleet = Fleet::new(binary, &fleet::agents(agents, WAIT), agents);
    std::thread::sleep(WARM);
    let idle = fleet.idle(Duration::from_secs(10));
    let before = fleet.spent();
    let begun = Instant::now();
    let run = fleet.run();
    let wall = begun.elapsed();
    let after = fleet.spent();
    json!({
        "agents": agents,
        "wait_seconds": WAIT.as_secs(),
        "wall_seconds": wall.as_secs_f64(),
        "run_seconds": fleet.seconds_of(&run),
        "latencies_ms": fleet.latencies(&run),
        "idle": idle,
        "cost": Fleet::cost(&before, &after),
    })
}
