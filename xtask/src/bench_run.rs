//! `cargo xtask bench run`: steps that do nothing, run by `signoff`, `ninja` and `make` on the same graph; and how long
//! a run with very many events takes to be read again.

pub(crate) mod graph;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use self::graph::Shape;
use crate::Command;
use crate::bench::{RUN, children_cpu, peak_memory, release_build, update};
use crate::invocation::Invocation;

pub(crate) const COMMAND: Command = Command {
    name: "bench run",
    summary: "Measure the release build on steps that do nothing, beside ninja and make",
    flag: Some(("--write", "also put the tables into docs/benchmarks.md")),
    details: "\
Every step runs `/bin/true`, 16 at once. The programs take turns, each round in a fresh directory; the
figure is the median of the CPU time, in user and kernel mode, of the program and all it started. For
`signoff` every event is synced as `[run] durability = \"power\"` has it, without a sandbox and with the
one that this machine has. Takes about a quarter of an hour. `apt install make ninja-build` gets what is missing.",
    run,
};

const SIZES: [(usize, usize); 2] = [(1_000, 5), (10_000, 1)];
/// Steps of a run with about 100,000 events.
const RECOVERED: usize = 20_000;
const JOBS: &str = "16";
/// Where the user's configuration is, in the project's directory.
const USER: &str = ".user";

/// The median CPU time of each program on one graph; `None` where it is not installed.
struct Row {
    shape: Shape,
    steps: usize,
    cpu: [Option<Duration>; 4],
}

struct Recovery {
    events: usize,
    status: Option<Duration>,
    memory: Option<u64>,
    /// Of going on, with one step that was left.
    resume: Option<Duration>,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let directory = std::env::temp_dir().join(format!("signoff-run-{}", std::process::id()));
    let measured = measure(&signoff, &directory);
    // Also after an error, because the directory is large.
    fs::remove_dir_all(&directory).ok();
    let (rows, recovery) = measured?;
    let table = render(&rows, &recovery);
    println!("{table}");
    if write {
        update(&[(RUN, &table)])
    } else {
        Ok(())
    }
}

fn measure(signoff: &str, directory: &Path) -> Result<(Vec<Row>, Recovery), String> {
    let has_jobs = Invocation::new(signoff, ["run", "--help"])
        .stdout()?
        .contains("--jobs");
    let mut rows = Vec::new();
    for (steps, rounds) in SIZES {
        for shape in Shape::ALL {
            let cpu = compare(signoff, has_jobs, directory, shape, steps, rounds)?;
            rows.push(Row { shape, steps, cpu });
            eprintln!("measured: {} of {steps} steps", shape.name());
        }
    }
    Ok((rows, measure_recovery(signoff, has_jobs, directory)?))
}

/// The programs take turns, so that a busy moment of the machine affects all of them.
fn compare(
    signoff: &str,
    has_jobs: bool,
    directory: &Path,
    shape: Shape,
    steps: usize,
    rounds: usize,
) -> Result<[Option<Duration>; 4], String> {
    let others = [
        ["ninja", "-j", JOBS, "--quiet"].as_slice(),
        &["make", "-j", JOBS, "-s"],
    ];
    let [ninja, make] = others.map(|argv| is_installed(argv[0]).then_some(argv));
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..rounds {
        let ours = signoff_command(signoff, has_jobs);
        let [free, confined, others @ ..] = &mut times;
        for (mode, times) in [("auto", confined), ("off", free)] {
            let project = prepare_project(signoff, directory, shape, steps, mode)?;
            times.extend(cpu(&project, &ours)?);
            if mode == "off" {
                for (argv, times) in [ninja, make].into_iter().zip(&mut *others) {
                    if let Some(argv) = argv {
                        times.extend(cpu(&project, argv)?);
                    }
                }
            }
            fs::remove_dir_all(&project).map_err(|error| at(&project, &error))?;
        }
    }
    Ok(times.map(median))
}

fn signoff_command(signoff: &str, has_jobs: bool) -> Vec<&str> {
    let jobs: &[&str] = if has_jobs { &["--jobs", JOBS] } else { &[] };
    [&[signoff, "run", "plan.json"], jobs].concat()
}

/// A directory with the graph in all three spellings, and a signed plan.
fn prepare_project(
    signoff: &str,
    directory: &Path,
    shape: Shape,
    steps: usize,
    mode: &str,
) -> Result<PathBuf, String> {
    let project = directory.join("project");
    let write = |name: &str, text: String| {
        let path = project.join(name);
        fs::write(&path, text).map_err(|error| at(&path, &error))
    };
    fs::create_dir_all(project.join(".signoff")).map_err(|error| at(&project, &error))?;
    write(".signoff/config.toml", String::new())?;
    // The user's configuration; a project's cannot switch it off.
    fs::create_dir_all(project.join(USER).join("signoff")).map_err(|error| at(&project, &error))?;
    let user = format!("sandbox.mode = \"{mode}\"\n");
    write(&format!("{USER}/signoff/config.toml"), user)?;
    write("plan.json", graph::plan(shape, steps))?;
    write("build.ninja", graph::ninja(shape, steps))?;
    write("Makefile", graph::makefile(shape, steps))?;
    call(&project, &[signoff, "approve", "plan.json"])?;
    Ok(project)
}

fn measure_recovery(signoff: &str, has_jobs: bool, directory: &Path) -> Result<Recovery, String> {
    let project = prepare_project(signoff, directory, Shape::Chain, RECOVERED, "off")?;
    let last_but_one = format!("s{}", RECOVERED - 2);
    let until = ["--until", &last_but_one];
    call(
        &project,
        &[signoff_command(signoff, has_jobs).as_slice(), &until].concat(),
    )?;
    let runs = fs::read_dir(project.join(".signoff/runs")).map_err(|error| at(&project, &error))?;
    let journals = runs.flatten().map(|run| run.path().join("journal.jsonl"));
    let lines = |path: PathBuf| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    let events = journals.map(lines).sum();
    let argv = [signoff, "status", "--format", "json"];
    let mut times = Vec::new();
    for _ in 0..5 {
        times.extend(cpu(&project, &argv)?);
    }
    let argv = argv.map(str::to_owned);
    Ok(Recovery {
        events,
        status: median(times),
        memory: peak_memory(&argv, &project),
        resume: cpu(&project, &[signoff, "resume"])?,
    })
}

/// CPU time of one call with all it starts, where the kernel tells.
fn cpu(project: &Path, argv: &[&str]) -> Result<Option<Duration>, String> {
    let before = children_cpu();
    call(project, argv)?;
    Ok(before.zip(children_cpu()).map(|(a, b)| b.saturating_sub(a)))
}

fn call(project: &Path, argv: &[&str]) -> Result<(), String> {
    let (program, args) = argv.split_first().ok_or("nothing to call")?;
    let status = Process::new(program)
        .args(args)
        .current_dir(project)
        .env("XDG_CONFIG_HOME", project.join(USER))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("{program}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "`{}` in {} ended with {status}",
            argv.join(" "),
            project.display()
        ))
    }
}

fn is_installed(program: &str) -> bool {
    Invocation::new(program, ["--version"]).succeeds()
}

fn render(rows: &[Row], recovery: &Recovery) -> String {
    let seconds = |cpu: Option<Duration>| {
        cpu.map_or_else(
            || "–".to_owned(),
            |cpu| format!("{:.2} s", cpu.as_secs_f64()),
        )
    };
    let mut text = format!(
        "| graph | steps | `signoff run --jobs {JOBS}` | in the sandbox | `ninja -j {JOBS}` | `make -j {JOBS}` | signoff to ninja | in the sandbox |\n|---|---|---|---|---|---|---|---|\n"
    );
    for Row { shape, steps, cpu } in rows {
        let [ours, confined, ninja, make] = *cpu;
        let ratio = |ours: Option<Duration>| {
            ours.zip(ninja).map_or_else(
                || "–".to_owned(),
                |(ours, ninja)| format!("{:.2}×", ours.as_secs_f64() / ninja.as_secs_f64()),
            )
        };
        let (free, bound) = (ratio(ours), ratio(confined));
        let [ours, confined, ninja, make] = [ours, confined, ninja, make].map(seconds);
        writeln!(
            text,
            "| {} | {steps} | {ours} | {confined} | {ninja} | {make} | {free} | {bound} |",
            shape.name()
        )
        .expect("a string takes all");
    }
    let memory = recovery.memory.map_or_else(
        || "–".to_owned(),
        |bytes| format!("{} MB", bytes / 1_000_000),
    );
    writeln!(
        text,
        "\nA run with {} events: `signoff status` {} CPU, {memory}; `signoff resume` of its last step {} CPU.",
        recovery.events,
        seconds(recovery.status),
        seconds(recovery.resume),
    )
    .expect("a string takes all");
    text
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_missing_leaves_a_gap() {
        let second = |n| Some(Duration::from_millis(n));
        let row = |cpu| Row {
            shape: Shape::Chain,
            steps: 1000,
            cpu,
        };
        let recovery = Recovery {
            events: 7,
            status: second(250),
            memory: Some(12_345_678),
            resume: second(500),
        };
        let rows = [
            row([second(900), second(1350), second(1800), None]),
            row([second(900), second(1000), None, second(100)]),
        ];
        let text = render(&rows, &recovery);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| chain | 1000 | 0.90 s | 1.35 s | 1.80 s | – | 0.50× | 0.75× |",
                "| chain | 1000 | 0.90 s | 1.00 s | – | 0.10 s | – | – |",
                "",
                "A run with 7 events: `signoff status` 0.25 s CPU, 12 MB; `signoff resume` of its last step 0.50 s CPU.",
            ]
        );
    }
}
