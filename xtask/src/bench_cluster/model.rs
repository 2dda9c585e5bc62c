//! The model of docs/design/scale.md: what a step costs, from one measurement, and what more of them would.
//!
//! A step of a run costs the process that drives it a fixed time, one step after the other; it costs the database a fixed
//! number of transactions; and every process asks its queues at a fixed rate, whether there is something or not.

use std::fmt::Write as _;

use serde_json::Value;

/// How often in a second it is asked what is new of a run: for requests and for reports once by the process that drives it, and
/// twice by one that works for it, whether its claims hold.
const ASKS: f64 = 4.0;

/// What a run of agents that wait cost.
pub(super) struct Load {
    agents: f64,
    /// How long each agent waits, and how long the run took from its first order to its last report, in seconds.
    wait: f64,
    run: f64,
    /// Transactions of the database while the run was there, and in a second without one.
    commits: f64,
    idle: f64,
    seconds: f64,
    /// Seconds of CPU.
    driving: f64,
    working: f64,
    /// Sorted milliseconds.
    latencies: Vec<f64>,
}

impl Load {
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let number = |path: &str| {
            let found = value.pointer(path).and_then(Value::as_f64);
            found.ok_or_else(|| format!("no `{path}` was measured"))
        };
        let list = |name: &str| -> Vec<f64> {
            let list = value[name].as_array().into_iter().flatten();
            list.filter_map(Value::as_f64).collect()
        };
        Ok(Self {
            agents: number("/agents")?,
            wait: number("/wait_seconds")?,
            run: number("/run_seconds")?,
            commits: number("/cost/commits")?,
            idle: number("/idle/commits")? / number("/idle/seconds")?,
            seconds: number("/cost/seconds")?,
            driving: number("/cost/orchestrator_cpu")?,
            working: number("/cost/worker_cpu")?,
            latencies: list("latencies_ms"),
        })
    }

    fn model(&self) -> Model {
        Model {
            serial: (self.run - self.wait) / self.agents,
            commits: (self.commits - self.idle * self.seconds - ASKS * self.run) / self.agents,
            idle: self.idle,
            driving: self.driving / self.agents,
            working: self.working / self.agents,
        }
    }
}

/// What a step costs.
struct Model {
    /// Seconds that one run needs for each of its steps, whatever the number of machines.
    serial: f64,
    commits: f64,
    /// Transactions in a second of one process that drives and one that works, when there is nothing to do.
    idle: f64,
    /// Seconds of CPU.
    driving: f64,
    working: f64,
}

/// What was measured beside what the first measurement predicts, and what it predicts for more agents than one machine has.
pub(super) fn table(loads: &[Load]) -> Result<String, String> {
    let first = loads.first().ok_or("nothing was measured")?;
    let model = first.model();
    let mut table = String::from(
        "| agents | time above the waiting | predicted | commits | predicted | CPU of driving | predicted | CPU of working | queueing p50 | p99 |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let failed = |why: std::fmt::Error| why.to_string();
    for load in loads {
        writeln!(
            table,
            "| {:.0} | {:.1} s | {:.1} s | {:.0} | {:.0} | {:.1} s | {:.1} s | {:.1} s | {:.0} ms | {:.0} ms |",
            load.agents,
            load.run - load.wait,
            model.serial * load.agents,
            load.commits,
            model.commits * load.agents + model.idle * load.seconds + ASKS * load.run,
            load.driving,
            model.driving * load.agents,
            load.working,
            median(&load.latencies),
            percentile(&load.latencies, 99),
        )
        .map_err(failed)?;
    }
    // What costs the most for a step when there are many is what counts for many more.
    let last = loads.last().unwrap_or(first).model();
    table.push_str(
        "\n| agents at work, 10 minutes each | steps/s | commits/s of steps | of 1 driver and 1 worker for 10 agents, idle | cores that drive | cores for contracts and git | runs, if one may fall behind by nothing |\n|---|---|---|---|---|---|---|\n",
    );
    for agents in [10.0, 1000.0, 100_000.0] {
        let rate = agents / 600.0;
        writeln!(
            table,
            "| {agents:.0} | {rate:.2} | {:.1} | {:.0} | {:.2} | {:.2} | {:.0} |",
            rate * last.commits,
            agents / 10.0 * last.idle,
            rate * last.driving,
            rate * last.working,
            (rate * last.serial).ceil().max(1.0),
        )
        .map_err(failed)?;
    }
    Ok(table)
}

pub(super) fn median(sorted: &[f64]) -> f64 {
    percentile(sorted, 50)
}

/// Of sorted figures; nothing is 0.
pub(super) fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn load(agents: f64, run: f64) -> Load {
        let measured = json!({
            "agents": agents, "wait_seconds": 60, "run_seconds": run,
            "cost": {"commits": 100.0 + run * ASKS + agents * 20.0, "seconds": 10.0, "orchestrator_cpu": agents * 0.01, "worker_cpu": agents * 0.1},
            "idle": {"commits": 100, "seconds": 10},
            "latencies_ms": [1.0, 2.0, 3.0],
        });
        Load::read(&measured).unwrap()
    }

    #[test]
    fn the_first_measurement_predicts_the_others() {
        let table = table(&[load(10.0, 61.0), load(100.0, 72.0)]).unwrap();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows[..2],
            [
                "| 10 | 1.0 s | 1.0 s | 544 | 544 | 0.1 s | 0.1 s | 1.0 s | 2 ms | 3 ms |",
                "| 100 | 12.0 s | 10.0 s | 2388 | 2388 | 1.0 s | 1.0 s | 10.0 s | 2 ms | 3 ms |",
            ]
        );
        assert_eq!(rows[5], "| 10 | 0.02 | 0.3 | 10 | 0.00 | 0.00 | 1 |");
        assert_eq!(
            rows[7],
            "| 100000 | 166.67 | 3333.3 | 100000 | 1.67 | 16.67 | 20 |"
        );
    }

    #[test]
    fn a_percentile_is_one_of_the_figures() {
        let of = |figures: &[f64], percent| format!("{:.1}", percentile(figures, percent));
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], 50), "2.0");
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], 99), "4.0");
        assert_eq!(of(&[], 50), "0.0");
    }
}
