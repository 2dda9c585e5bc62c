//! `cargo xtask bench trees`: agents that work side by side on their own trees. Measures the speed-up, and the cost of
//! a tree compared with `git worktree add`.

mod project;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::project::{at, create_project, plan, run_in, stdout_of, write};
use crate::Command;
use crate::bench::{TREES, children_cpu, release_build, update};

pub(crate) const COMMAND: Command = Command {
    name: "bench trees",
    summary: "Measure agents side by side: --jobs 4 beside --jobs 1, trees beside git's worktrees",
    flag: Some(("--write", "also put the tables into docs/benchmarks.md")),
    details: "\
Four agents that wait 5 s, with `--jobs 1` and `--jobs 4`, in a clone of a small repository and in one
of 10,000 files; both must end in the same tree, and land. Then eight such agents in the large one: how
long it takes from the start of an attempt to the start of its agent, one after another; and from the first
attempt's start until each of them is at work, all at once, in the first run of the project and in one
after it; beside `git worktree add` of the same repository. Wall time: waiting is what it is about. Last, a
contract that leaves nothing behind and one that does, so that the next one needs a room of its own: what they differ in is
making and removing that; and how long it takes from a contract's beginning, as the journal has it, until the contract's first
command tells the time. It works in
TMPDIR: an ext4 without a journal is slow at making files for minutes after many were removed, and then
that is what is measured. Takes about three minutes.",
    run,
};

const FILES: usize = 10_000;
const WAITING: usize = 4;
const SETTING_UP: usize = 8;
const CONTRACTS: u32 = 200;

/// Wall time of the same plan with one agent at a time and with four.
struct AgentTimes {
    files: usize,
    one: Duration,
    four: Duration,
}

/// What contracts cost, all in all.
struct ContractCosts {
    /// The contract changes nothing, so the next one gets the same room.
    kept: ContractCost,
    /// The contract writes a file, so the next one gets a new room.
    new: ContractCost,
    /// From a contract's beginning in the journal to its first command, in both cases.
    entered: [Vec<f64>; 2],
}

/// Milliseconds for each contract.
#[derive(Clone, Copy)]
struct ContractCost {
    cpu: f64,
    wall: f64,
}

/// Milliseconds that each tree took.
struct TreeTimes {
    git: Vec<u64>,
    single: Vec<u64>,
    first: Vec<u64>,
    again: Vec<u64>,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let directory = std::env::temp_dir().join(format!("signoff-trees-{}", std::process::id()));
    let measured = measure(&signoff, &directory);
    // Also after an error, because the directory is large.
    fs::remove_dir_all(&directory).ok();
    let (waited, set_up, contracts) = measured?;
    let table = render(&waited, &set_up, &contracts);
    println!("{table}");
    if write {
        update(&[(TREES, &table)])
    } else {
        Ok(())
    }
}

fn measure(
    signoff: &str,
    directory: &Path,
) -> Result<(Vec<AgentTimes>, TreeTimes, ContractCosts), String> {
    let mut waited = Vec::new();
    for files in [10, FILES] {
        let (one, tree) = time_agents(signoff, directory, files, "1")?;
        let (four, other) = time_agents(signoff, directory, files, "4")?;
        if tree != other {
            return Err(format!("--jobs 1 gave {tree}, --jobs 4 {other}"));
        }
        waited.push(AgentTimes { files, one, four });
        eprintln!("measured: waiting agents on {files} files");
    }
    let (first, again) = time_set_up(signoff, directory, "8")?;
    let set_up = TreeTimes {
        git: git_worktrees(&create_project(signoff, directory, FILES, SETTING_UP)?)?,
        single: time_set_up(signoff, directory, "1")?.0,
        first,
        again,
    };
    let contracts = ContractCosts {
        kept: contract_cost(signoff, directory, "true < /dev/null")?,
        new: contract_cost(signoff, directory, "true > /tmp/x")?,
        entered: [
            entering_times(signoff, directory, "date +%s%N; true < /dev/null")?,
            entering_times(signoff, directory, "date +%s%N; true > /tmp/x")?,
        ],
    };
    eprintln!("measured: rooms of contracts");
    Ok((waited, set_up, contracts))
}

/// Milliseconds from each of many contracts' beginnings in the journal until its first command says what time it is.
fn entering_times(signoff: &str, directory: &Path, contract: &str) -> Result<Vec<f64>, String> {
    let project = create_contracts(signoff, directory, contract)?;
    run_in(&project, &run_contracts(signoff))?;
    let events = newest_journal(&project)?;
    let times = events.iter().filter_map(|ended| {
        let is_same =
            |event: &&Value| event["type"] == "contract_started" && event["step"] == ended["step"];
        let began = events.iter().find(is_same)?;
        let clock: u64 = ended["observed"]["stdout"].as_str()?.trim().parse().ok()?;
        // Of the day, and in microseconds: enough for a median.
        let micros = (clock / 1_000) % 86_400_000_000;
        let took = micros.checked_sub(millis(&began["at"])? * 1_000)?;
        Some(Duration::from_micros(took).as_secs_f64() * 1000.0)
    });
    let times: Vec<f64> = times.collect();
    let wanted = usize::try_from(CONTRACTS).unwrap_or_default();
    if times.len() < wanted {
        return Err(format!("{} of {wanted} contracts said when", times.len()));
    }
    Ok(times)
}

fn run_contracts(signoff: &str) -> [&str; 5] {
    [signoff, "run", ".signoff/contracts.json", "--jobs", "1"]
}

/// A signed plan of many contracts, all the same.
fn create_contracts(signoff: &str, directory: &Path, contract: &str) -> Result<PathBuf, String> {
    let project = create_project(signoff, directory, 10, 1)?;
    let steps = (0..CONTRACTS).map(|number| {
        json!({"id": format!("s{number}"), "description": "Check", "contract": contract, "dependsOn": []})
    });
    let steps: Vec<Value> = steps.collect();
    let plan = json!({"id": "contracts", "version": 1, "steps": steps});
    write(&project, ".signoff/contracts.json", &plan.to_string())?;
    run_in(&project, &[signoff, "approve", ".signoff/contracts.json"])?;
    Ok(project)
}

/// What each of many contracts costs, one after the other.
fn contract_cost(signoff: &str, directory: &Path, contract: &str) -> Result<ContractCost, String> {
    let project = create_contracts(signoff, directory, contract)?;
    let (before, began) = (children_cpu(), Instant::now());
    run_in(&project, &run_contracts(signoff))?;
    let took = began.elapsed();
    let spent = before.zip(children_cpu());
    let spent = spent.map(|(before, after)| after.saturating_sub(before));
    let spent = spent.ok_or("the kernel does not tell the CPU time of children")?;
    let each = |time: Duration| time.as_secs_f64() * 1000.0 / f64::from(CONTRACTS);
    Ok(ContractCost {
        cpu: each(spent),
        wall: each(took),
    })
}

/// How long each of eight agents waited for its tree, in the first run and in a second one.
fn time_set_up(
    signoff: &str,
    directory: &Path,
    jobs: &str,
) -> Result<(Vec<u64>, Vec<u64>), String> {
    let project = create_project(signoff, directory, FILES, SETTING_UP)?;
    run_in(&project, &[signoff, "run", "plan.md", "--jobs", jobs])?;
    let first = start_times(&project, jobs)?;
    write(
        &project,
        "plan.md",
        &plan(SETTING_UP).replace("out-", "again-"),
    )?;
    run_in(&project, &[signoff, "approve", "plan.md"])?;
    run_in(&project, &[signoff, "run", "plan.md", "--jobs", jobs])?;
    eprintln!("measured: {SETTING_UP} trees, {jobs} at once");
    Ok((first, start_times(&project, jobs)?))
}

/// Runs four agents that wait; returns the time and the resulting tree.
fn time_agents(
    signoff: &str,
    directory: &Path,
    files: usize,
    jobs: &str,
) -> Result<(Duration, String), String> {
    let project = create_project(signoff, directory, files, WAITING)?;
    let began = Instant::now();
    run_in(&project, &[signoff, "run", "plan.md", "--jobs", jobs])?;
    let took = began.elapsed();
    let tree = stdout_of(&project, &["git", "rev-parse", "HEAD^{tree}"])?;
    let commits = stdout_of(&project, &["git", "rev-list", "--count", "HEAD"])?;
    if commits.trim() != (1 + WAITING).to_string() {
        return Err(format!("it did not land: {} commits", commits.trim()));
    }
    Ok((took, tree.trim().to_owned()))
}

/// How long `git worktree add` takes, several times.
fn git_worktrees(project: &Path) -> Result<Vec<u64>, String> {
    let mut times = Vec::new();
    for number in 0..SETTING_UP {
        let path = project.with_file_name(format!("linked-{number}"));
        let path = path.to_string_lossy();
        let began = Instant::now();
        run_in(
            project,
            &["git", "worktree", "add", "--quiet", "--detach", &path],
        )?;
        times.push(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
    }
    Ok(times)
}

/// Milliseconds from the start of each attempt, or of the first where they start together, to the start of its agent, as
/// the newest journal tells them.
fn start_times(project: &Path, jobs: &str) -> Result<Vec<u64>, String> {
    let mut times = Vec::new();
    let events = newest_journal(project)?;
    for started in events
        .iter()
        .filter(|event| event["type"] == "process_started")
    {
        let begun = events.iter().find(|event| {
            event["type"] == "attempt_started" && (jobs != "1" || event["step"] == started["step"])
        });
        let begun = begun.and_then(|event| millis(&event["at"]));
        let pair = begun.zip(millis(&started["at"]));
        times.extend(pair.map(|(from, to)| to.saturating_sub(from)));
    }
    Ok(times)
}

/// The events of the newest run.
fn newest_journal(project: &Path) -> Result<Vec<Value>, String> {
    let runs = fs::read_dir(project.join(".signoff/runs")).map_err(|error| at(project, &error))?;
    let runs = runs.flatten().map(|run| run.path());
    // Their names begin with the time.
    let run = runs.max().ok_or("there is no run")?;
    let path = run.join("journal.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
    let lines = text.lines();
    Ok(lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// Milliseconds of the day of a timestamp, such as `2026-11-15T21:56:20.554Z`.
fn millis(at: &Value) -> Option<u64> {
    let clock = at.as_str()?.split_once('T')?.1.trim_end_matches('Z');
    let (whole, part) = clock.split_once('.')?;
    let seconds = whole.split(':').try_fold(0, |sum, part| {
        part.parse::<u64>().ok().map(|number| sum * 60 + number)
    })?;
    Some(seconds * 1000 + part.parse::<u64>().ok()?)
}

fn render(waited: &[AgentTimes], set_up: &TreeTimes, contracts: &ContractCosts) -> String {
    let mut text =
        "| files | agents of 5 s | `--jobs 1` | `--jobs 4` | ratio |\n|---|---|---|---|---|\n"
            .to_owned();
    for AgentTimes { files, one, four } in waited {
        writeln!(
            text,
            "| {files} | {WAITING} | {:.1} s | {:.1} s | {:.2} |",
            one.as_secs_f64(),
            four.as_secs_f64(),
            four.as_secs_f64() / one.as_secs_f64()
        )
        .expect("a string takes all");
    }
    writeln!(
        text,
        "\n| a tree of {FILES} files | median | slowest |\n|---|---|---|"
    )
    .expect("a string takes all");
    for (name, times) in [
        ("`git worktree add`", &set_up.git),
        ("signoff, one at a time", &set_up.single),
        ("signoff, eight at once, first run", &set_up.first),
        ("signoff, eight at once, a later run", &set_up.again),
    ] {
        let mut times = times.clone();
        times.sort_unstable();
        let shown =
            |time: Option<&u64>| time.map_or_else(|| "–".to_owned(), |time| format!("{time} ms"));
        let (median, slowest) = (shown(times.get(times.len() / 2)), shown(times.last()));
        writeln!(text, "| {name} | {median} | {slowest} |").expect("a string takes all");
    }
    let ContractCosts { kept, new, entered } = contracts;
    let made = ContractCost {
        cpu: new.cpu - kept.cpu,
        wall: new.wall - kept.wall,
    };
    text.push_str("\n| a contract, all in all | CPU | wall time |\n|---|---|---|\n");
    for (name, ContractCost { cpu, wall }) in [
        ("in a room that was left as it was", *kept),
        ("in a new room", *new),
        ("making, entering and removing a room", made),
    ] {
        writeln!(text, "| {name} | {cpu:.1} ms | {wall:.1} ms |").expect("a string takes all");
    }
    let [kept, new] = entered.each_ref().map(|times| median(times));
    text.push_str("\n| until a contract's first command | median |\n|---|---|\n");
    for (name, time) in [
        ("in a room that was left as it was", kept),
        ("in a new room", new),
        ("making and entering a room", new - kept),
    ] {
        writeln!(text, "| {name} | {time:.1} ms |").expect("a string takes all");
    }
    text
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_shown() {
        let at = |text: &str| millis(&Value::from(text));
        assert_eq!(at("2026-11-15T01:00:02.005Z"), Some(3_602_005));
        assert_eq!(at("yesterday"), None);
        let waited = AgentTimes {
            files: 10,
            one: Duration::from_secs(20),
            four: Duration::from_secs(5),
        };
        let set_up = TreeTimes {
            git: vec![3, 1, 2],
            single: vec![7],
            first: Vec::new(),
            again: Vec::new(),
        };
        let cost = |cpu, wall| ContractCost { cpu, wall };
        let contracts = ContractCosts {
            kept: cost(2.0, 3.0),
            new: cost(4.5, 5.0),
            entered: [vec![9.0, 2.0, 3.0], vec![5.5]],
        };
        let text = render(&[waited], &set_up, &contracts);
        assert!(
            text.contains("| making, entering and removing a room | 2.5 ms | 2.0 ms |"),
            "{text}"
        );
        assert!(
            text.contains("| making and entering a room | 2.5 ms |"),
            "{text}"
        );
        assert!(
            text.contains("| 10 | 4 | 20.0 s | 5.0 s | 0.25 |"),
            "{text}"
        );
        assert!(
            text.contains("| `git worktree add` | 2 ms | 3 ms |"),
            "{text}"
        );
        assert!(
            text.contains("| signoff, eight at once, a later run | – | – |"),
            "{text}"
        );
    }
}
