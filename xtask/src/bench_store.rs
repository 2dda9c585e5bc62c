//! `cargo xtask bench-store`: a store of ten thousand plans, beside reading the beginning of each
//! file, and beside Backlog.md on as many tasks.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::Command;
use crate::bench::{STORE, children_cpu, own_cpu, release_build, update};
use crate::generate::executable;
use crate::invocation::Invocation;

pub(crate) const COMMAND: Command = Command {
    name: "bench-store",
    summary: "Measure the release build on 10,000 plans, beside reading them and beside Backlog.md",
    flag: Some(("--write", "also put the table into docs/benchmarks.md")),
    details: "\
Plans are submitted, signed and rejected by the program's own ways, which takes some minutes. Wall time
is the median of single calls, CPU time the mean. `first 4 KB of each` is done inside this program,
so that it costs no start. Backlog.md is called as `backlog`: `npm install --global backlog.md`.",
    run,
};

const FEW: usize = 10;
const MANY: usize = 10_000;

/// Where the agent that the plans are for comes from, so that they can be signed.
const CONFIG: &str = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";

struct Row {
    what: String,
    plans: usize,
    wall: Duration,
    cpu: Option<Duration>,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let directory = std::env::temp_dir().join(format!("signoff-store-{}", std::process::id()));
    let rows = measure(&signoff, &directory);
    // Also after an error, because the directory is large.
    fs::remove_dir_all(&directory).ok();
    let table = render(&rows?);
    println!("{table}");
    if write {
        update(&[(STORE, &table)])
    } else {
        Ok(())
    }
}

fn measure(signoff: &str, directory: &Path) -> Result<Vec<Row>, String> {
    let (few, many) = (directory.join("few"), directory.join("many"));
    let fill = fill_program()?;
    fill_store(&fill, &few, FEW)?;
    fill_store(&fill, &many, MANY)?;
    // Files this young are read again by the next list; what is measured is an ordinary day.
    std::thread::sleep(Duration::from_secs(3));
    let mut rows = time_lists(signoff, &many)?;
    rows.extend(time_one_plan(signoff, &few, FEW)?);
    rows.extend(time_one_plan(signoff, &many, MANY)?);
    rows.extend(time_backlog(&directory.join("backlog"))?);
    Ok(rows)
}

/// Makes a project with so many plans.
fn fill_store(fill: &str, project: &Path, count: usize) -> Result<(), String> {
    fs::create_dir_all(project.join(".signoff/plans")).map_err(|error| at(project, &error))?;
    fs::write(project.join(".signoff/config.toml"), CONFIG).map_err(|error| at(project, &error))?;
    Invocation::new(fill, [])
        .args(&[&project.to_string_lossy(), &count.to_string()])
        .run()
}

/// What all plans at once cost.
fn time_lists(signoff: &str, many: &Path) -> Result<Vec<Row>, String> {
    let list = words(&[signoff, "list"]);
    call(many, &list)?;
    let heads = read_heads(many)?;
    let time = |what: &str, rounds: usize, command: &dyn Fn() -> Vec<String>| {
        time_commands(what, MANY, many, rounds, |_| command())
    };
    Ok(vec![
        heads,
        time("`signoff list`", 20, &|| list.clone())?,
        time("`signoff list --format json`", 20, &|| {
            words(&[signoff, "list", "--format", "json"])
        })?,
        time("`signoff stats`", 20, &|| words(&[signoff, "stats"]))?,
        time("`signoff list`, index deleted before", 5, &|| {
            fs::remove_file(many.join(".signoff/index.json")).ok();
            list.clone()
        })?,
    ])
}

/// What one plan of so many costs.
fn time_one_plan(signoff: &str, project: &Path, count: usize) -> Result<[Row; 2], String> {
    let show = words(&[signoff, "show", "PLAN-00000001"]);
    let show = time_commands("`signoff show`", count, project, 100, |_| show.clone())?;
    // Neither signed nor rejected yet.
    let names = [1, 2, 4, 5, 7].map(|at| format!("PLAN-{at:08x}"));
    let approve = |round: usize| words(&[signoff, "approve", &names[round % names.len()]]);
    let approve = time_commands("`signoff approve`", count, project, names.len(), approve)?;
    Ok([show, approve])
}

/// Where cargo put the program that fills a store.
fn fill_program() -> Result<String, String> {
    let messages = Invocation::cargo([
        "build",
        "--locked",
        "--release",
        "--package",
        "xtask",
        "--example",
        "store",
        "--message-format=json-render-diagnostics",
    ])
    .stdout()?;
    let mut programs = messages.lines().filter_map(executable);
    programs
        .find_map(|(name, path)| (name == "store").then_some(path))
        .ok_or_else(|| "cargo built no example called `store`".to_owned())
}

/// The yardstick: opens each plan and reads its beginning.
fn read_heads(project: &Path) -> Result<Row, String> {
    let directory = project.join(".signoff/plans");
    let read = || -> std::io::Result<u64> {
        let mut buffer = [0; 4096];
        let mut bytes = 0;
        for entry in fs::read_dir(&directory)? {
            bytes += File::open(entry?.path())?.read(&mut buffer)? as u64;
        }
        Ok(bytes)
    };
    let mut walls = Vec::new();
    let before = own_cpu();
    for _ in 0..20 {
        let begun = Instant::now();
        read().map_err(|error| at(&directory, &error))?;
        walls.push(begun.elapsed());
    }
    let cpu = before.zip(own_cpu()).map(|(a, b)| b.saturating_sub(a) / 20);
    Ok(Row {
        what: "first 4 KB of each".to_owned(),
        plans: MANY,
        wall: median(walls),
        cpu,
    })
}

/// Calls a program so many times; `argv` gives the words of each.
fn time_commands(
    what: &str,
    plans: usize,
    project: &Path,
    rounds: usize,
    argv: impl Fn(usize) -> Vec<String>,
) -> Result<Row, String> {
    let mut walls = Vec::new();
    let before = children_cpu();
    for round in 0..rounds {
        let argv = argv(round);
        let begun = Instant::now();
        call(project, &argv)?;
        walls.push(begun.elapsed());
    }
    let times = u32::try_from(rounds).unwrap_or(1);
    let spent = before.zip(children_cpu()).map(|(a, b)| b.saturating_sub(a));
    Ok(Row {
        what: what.to_owned(),
        plans,
        wall: median(walls),
        cpu: spent.map(|spent| spent / times),
    })
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn call(project: &Path, argv: &[String]) -> Result<(), String> {
    let line = argv.join(" ");
    let (program, args) = argv.split_first().ok_or("nothing to call")?;
    let status = Process::new(program)
        .args(args)
        .current_dir(project)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("`{line}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        let project = project.display();
        Err(format!("`{line}` in {project} ended with {status}"))
    }
}

/// Backlog.md on as many tasks, where it is installed.
fn time_backlog(project: &Path) -> Result<Option<Row>, String> {
    if !Invocation::new("backlog", ["--version"]).succeeds() {
        return Ok(None);
    }
    fs::create_dir_all(project).map_err(|error| at(project, &error))?;
    let init = [
        "backlog",
        "init",
        "bench",
        "--defaults",
        "--no-git",
        "--integration-mode",
        "none",
    ];
    call(project, &words(&init))?;
    let tasks = project.join("backlog/tasks");
    fs::create_dir_all(&tasks).map_err(|error| at(&tasks, &error))?;
    for number in 1..=MANY {
        let path = tasks.join(format!("task-{number} - Bring-case-{number}-up-to-date.md"));
        let text = format!(
            "---\nid: TASK-{number}\ntitle: Bring case {number} up to date\nstatus: To Do\nassignee: []\ncreated_date: '2026-11-15 09:30'\nlabels: []\ndependencies: []\nordinal: {number}000\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nCase {number} was opened by the customer.\n<!-- SECTION:DESCRIPTION:END -->\n"
        );
        fs::write(&path, text).map_err(|error| at(&path, &error))?;
    }
    let list = |_| words(&["backlog", "task", "list", "--plain"]);
    let version = Invocation::new("backlog", ["--version"]).stdout()?;
    let what = format!("`backlog task list --plain` ({})", version.trim());
    time_commands(&what, MANY, project, 3, list).map(Some)
}

fn render(rows: &[Row]) -> String {
    let yardstick = rows.first();
    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let mut text =
        "| what | plans | wall, median | CPU, mean | CPU, to reading |\n|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let cpu = row.cpu.map_or_else(|| "–".to_owned(), millis);
        let base = yardstick
            .and_then(|row| row.cpu)
            .filter(|cpu| !cpu.is_zero());
        let ratio = row.cpu.zip(base).filter(|_| row.plans == MANY).map_or_else(
            || "–".to_owned(),
            |(cpu, base)| format!("{:.2}×", cpu.as_secs_f64() / base.as_secs_f64()),
        );
        let (what, plans, wall) = (&row.what, row.plans, millis(row.wall));
        writeln!(text, "| {what} | {plans} | {wall} | {cpu} | {ratio} |")
            .expect("a string takes all");
    }
    text
}

fn median(mut walls: Vec<Duration>) -> Duration {
    walls.sort();
    *walls.get(walls.len() / 2).expect("a measurement")
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_with_the_first() {
        let row = |what: &str, plans, cpu| Row {
            what: what.to_owned(),
            plans,
            wall: Duration::from_millis(7),
            cpu: Some(Duration::from_millis(cpu)),
        };
        let text = render(&[
            row("reading", MANY, 50),
            row("list", MANY, 75),
            row("show", FEW, 5),
        ]);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| reading | 10000 | 7.0 ms | 50.0 ms | 1.00× |",
                "| list | 10000 | 7.0 ms | 75.0 ms | 1.50× |",
                "| show | 10 | 7.0 ms | 5.0 ms | – |",
            ]
        );
    }
}
