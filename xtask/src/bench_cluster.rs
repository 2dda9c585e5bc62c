//! `cargo xtask bench cluster`: a run that two processes share through Postgres, beside the same writes by DBOS alone; and
//! agents that only wait, beside the model of docs/design/scale.md.

mod model;

use std::fmt::Write as _;

use serde_json::Value;

use self::model::{Load, median};
use crate::Command;
use crate::bench::{CLUSTER, update, update_in};
use crate::generate::executable;
use crate::invocation::Invocation;

pub(crate) const COMMAND: Command = Command {
    name: "bench cluster",
    summary: "Measure shared runs: steps without work beside raw DBOS, and agents that wait beside a model",
    flag: Some((
        "--write",
        "also put the tables into docs/benchmarks.md and docs/design/scale.md",
    )),
    details: "\
Needs Postgres from the distribution's packages, which `cargo xtask test` installs. One process drives, one works, both the
release build with the feature `distributed`; each measurement has a Postgres of its own in TMPDIR. First a run of 300 steps
whose contract is `true`, 16 at once, three times, and each time at once afterwards the rows that it wrote, written again by
DBOS with nothing else; then 64 at once. Then runs of 10, 100 and 1000 agents that wait a minute, all at once: what they cost
above their waiting is what the model predicts from the first of them. Takes about fifteen minutes.",
    run,
};

const SCALE: &str = "docs/design/scale.md";
const LOAD: &str = "<!-- bench:load -->";
const AGENTS: [&str; 3] = ["10", "100", "1000"];

/// Steps without work that are under way at once.
const JOBS: [&str; 2] = ["16", "64"];

fn run(write: bool) -> Result<(), String> {
    let programs = build()?;
    let measure = |words: &[&str]| -> Result<Value, String> {
        let printed = Invocation::new(programs.load.as_str(), [])
            .args(&[&[programs.signoff.as_str()], words].concat())
            .stdout()?;
        serde_json::from_str(&printed).map_err(|why| format!("{words:?}: {why}"))
    };
    let measured: Result<Vec<Value>, String> = JOBS
        .iter()
        .map(|jobs| measure(&["throughput", jobs]))
        .collect();
    let throughput = throughput_table(&measured?)?;
    println!("{throughput}");
    let loads: Result<Vec<Load>, String> = AGENTS
        .iter()
        .map(|agents| Load::read(&measure(&["waiting", agents])?))
        .collect();
    let load = model::table(&loads?)?;
    println!("{load}");
    if write {
        update(&[(CLUSTER, &throughput)])?;
        update_in(SCALE, LOAD, &load)?;
    }
    Ok(())
}

struct Programs {
    signoff: String,
    load: String,
}

/// The release build of the program, and of the one that measures it.
fn build() -> Result<Programs, String> {
    let built = |args: [&str; 9]| -> Result<String, String> {
        let messages = Invocation::cargo(args)
            .args(&["--message-format=json-render-diagnostics"])
            .stdout()?;
        let mut programs = messages.lines().filter_map(executable);
        let found = programs.find_map(|(name, path)| (name == args[8]).then_some(path));
        found.ok_or_else(|| format!("cargo built no program called `{}`", args[8]))
    };
    let [build, locked, release, package] = ["build", "--locked", "--release", "--package"];
    Ok(Programs {
        signoff: built([
            build,
            locked,
            release,
            package,
            "signoff",
            "--features",
            "distributed",
            "--bin",
            "signoff",
        ])?,
        load: built([
            build,
            locked,
            release,
            package,
            "signoff-distributed",
            "--features",
            "",
            "--example",
            "cluster",
        ])?,
    })
}

fn throughput_table(measured: &[Value]) -> Result<String, String> {
    let mut table = "| at once | round | `signoff`, steps/s | raw DBOS, steps/s | ratio | queueing p50 | p99 | commits for a step | of raw DBOS | driving, CPU for a step | working, CPU for a step |\n|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for measured in measured {
        add_rounds(&mut table, measured)?;
    }
    Ok(table)
}

fn add_rounds(table: &mut String, measured: &Value) -> Result<(), String> {
    let number = |value: &Value| value.as_f64().ok_or("a figure is missing".to_owned());
    let (steps, jobs) = (number(&measured["steps"])?, number(&measured["jobs"])?);
    let rounds = measured["rounds"].as_array().into_iter().flatten();
    for (round, number_of) in rounds.zip(1..) {
        let ours = steps / number(&round["signoff_seconds"])?;
        let raw = steps / number(&round["raw_seconds"])?;
        let latencies: Vec<f64> = latencies(round);
        let cost = &round["cost"];
        writeln!(
            table,
            "| {jobs:.0} | {number_of} | {ours:.1} | {raw:.1} | {:.2}× | {:.0} ms | {:.0} ms | {:.1} | {:.1} | {:.1} ms | {:.1} ms |",
            ours / raw,
            median(&latencies),
            model::percentile(&latencies, 99),
            number(&cost["commits"])? / steps,
            number(&round["raw_cost"]["commits"])? / steps,
            1000.0 * number(&cost["orchestrator_cpu"])? / steps,
            1000.0 * number(&cost["worker_cpu"])? / steps,
        )
        .map_err(|why| why.to_string())?;
    }
    Ok(())
}

fn latencies(of: &Value) -> Vec<f64> {
    let list = of["latencies_ms"].as_array().into_iter().flatten();
    list.filter_map(Value::as_f64).collect()
}
