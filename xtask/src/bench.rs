//! `cargo xtask bench`: how long `signoff --version` and `signoff guard` take, beside `git --version`, and how long
//! `signoff verify` takes on large plans, beside `make` and `ninja` on the same graph.

mod plans;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

pub(crate) use self::verify::peak_memory;
use crate::Command;
use crate::generate::executable;
use crate::invocation::{Invocation, root, target};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    summary: "Measure the release build: start-up against git, verifying against make and ninja",
    flag: Some(("--write", "also put the tables into docs/benchmarks.md")),
    details: "\
Starts the programs in turn, so that a busy moment of the machine meets all. Wall time is that of
single starts; CPU time is what the kernel counted for blocks of starts (Linux only). Memory is the
most that a program had at once. Instructions are counted by callgrind, where valgrind is installed:
they are the same every time. `apt install make ninja-build valgrind` gets what is missing.",
    run,
};

const FILE: &str = "docs/benchmarks.md";
const STARTUP: &str = "<!-- bench:startup -->";
const VERIFY: &str = "<!-- bench:verify -->";
pub(crate) const STORE: &str = "<!-- bench:store -->";
pub(crate) const RUN: &str = "<!-- bench:run -->";
pub(crate) const TREES: &str = "<!-- bench:trees -->";
pub(crate) const AGENTS: &str = "<!-- bench:agents -->";
pub(crate) const MCP: &str = "<!-- bench:mcp -->";
pub(crate) const SERVE: &str = "<!-- bench:serve -->";
pub(crate) const CLUSTER: &str = "<!-- bench:cluster -->";
const CLOSE: &str = "<!-- /bench -->";
const NEW_FILE: &str = "\
# Benchmarks

Every table here is written by the command above it; `cargo xtask bench --help` says how it measures.

## Start-up

```console
$ cargo xtask bench --write
```

<!-- bench:startup -->
<!-- /bench -->

## Verifying large plans

A layered graph of tool steps as JSON, and the same graph for `make` and `ninja`; markdown steps with
contracts that are all different, half of them with pipes, quotes or substitutions.

```console
$ cargo xtask bench --write
```

<!-- bench:verify -->
<!-- /bench -->

## Ten thousand plans

```console
$ cargo xtask bench-store --write
```

<!-- bench:store -->
<!-- /bench -->

## Runs

```console
$ cargo xtask bench run --write
```

<!-- bench:run -->
<!-- /bench -->

## Agents side by side

```console
$ cargo xtask bench trees --write
```

<!-- bench:trees -->
<!-- /bench -->

## Streams of agents

```console
$ cargo xtask bench agents --write
```

<!-- bench:agents -->
<!-- /bench -->

## MCP server

```console
$ cargo xtask bench mcp --write
```

<!-- bench:mcp -->
<!-- /bench -->

## Shared runs

```console
$ cargo xtask bench cluster --write
```

<!-- bench:cluster -->
<!-- /bench -->

## The page

```console
$ cargo xtask bench serve --write
```

<!-- bench:serve -->
<!-- /bench -->
";

const WARM_UP: usize = 20;
const STARTS: usize = 300;
/// CPU time is counted in hundredths of a second, so that only long blocks give a figure.
const BLOCKS: usize = 4;
const BLOCK: usize = 100;

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let home = target().join("bench-guard");
    let starts = [
        Start::version("signoff --version", &signoff),
        guarded_call(&signoff, &home)?,
        Start::version("git --version", "git"),
    ];
    let startup = table(&starts, &measure(&starts)?, &describe_machine()?);
    println!("{startup}");
    let verify = verify::table(&signoff)?;
    println!("{verify}");
    if write {
        update(&[(STARTUP, &startup), (VERIFY, &verify)])
    } else {
        Ok(())
    }
}

pub(crate) fn release_build() -> Result<String, String> {
    let messages = Invocation::cargo([
        "build",
        "--locked",
        "--release",
        "--package",
        "signoff",
        "--bin",
        "signoff",
        "--message-format=json-render-diagnostics",
    ])
    .stdout()?;
    messages
        .lines()
        .filter_map(executable)
        .find_map(|(name, path)| (name == "signoff").then_some(path))
        .ok_or_else(|| "cargo built no program called `signoff`".to_owned())
}

#[derive(Debug, Default)]
struct Times {
    wall: Vec<Duration>,
    /// Of all blocks together.
    cpu: Option<Duration>,
}

/// Something that is started often.
struct Start {
    name: &'static str,
    program: String,
    arguments: Vec<&'static str>,
    /// What it reads, and the home that it finds.
    input: Option<(PathBuf, PathBuf)>,
}

impl Start {
    fn version(name: &'static str, program: &str) -> Self {
        Self {
            name,
            program: program.to_owned(),
            arguments: vec!["--version"],
            input: None,
        }
    }

    fn run_once(&self) -> Result<(), String> {
        let failed = |why: &dyn std::fmt::Display| format!("`{}`: {why}", self.name);
        let mut process = Process::new(&self.program);
        process.args(&self.arguments).stdout(Stdio::null());
        match &self.input {
            None => process.stdin(Stdio::null()),
            Some((input, home)) => {
                let file = fs::File::open(input).map_err(|error| failed(&error))?;
                process.stdin(file).env("HOME", home).current_dir(home)
            }
        };
        let status = process.status().map_err(|error| failed(&error))?;
        if status.success() {
            Ok(())
        } else {
            Err(failed(&status))
        }
    }
}

/// A call of an agent in plan mode that passes, as the hook decides it.
fn guarded_call(signoff: &str, home: &Path) -> Result<Start, String> {
    let at = |error: std::io::Error| error.to_string();
    let (config, input) = (home.join(".config/signoff"), home.join("call.json"));
    fs::create_dir_all(&config).map_err(at)?;
    fs::write(config.join("config.toml"), "guard.plan_mode = true\n").map_err(at)?;
    let call = r#"{"session_id":"5f0c2a","cwd":"/","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git log --oneline | head -n 20"}}"#;
    fs::write(&input, call).map_err(at)?;
    Ok(Start {
        name: "signoff guard",
        program: signoff.to_owned(),
        arguments: vec!["guard", "--agent", "claude"],
        input: Some((input, home.to_owned())),
    })
}

fn measure(starts: &[Start; 3]) -> Result<[Times; 3], String> {
    let mut times = [Times::default(), Times::default(), Times::default()];
    for round in 0..WARM_UP + STARTS {
        for (start, times) in starts.iter().zip(&mut times) {
            let begun = Instant::now();
            start.run_once()?;
            if round >= WARM_UP {
                times.wall.push(begun.elapsed());
            }
        }
    }
    for _ in 0..BLOCKS {
        for (start, times) in starts.iter().zip(&mut times) {
            let before = children_cpu();
            for _ in 0..BLOCK {
                start.run_once()?;
            }
            if let (Some(before), Some(after)) = (before, children_cpu()) {
                *times.cpu.get_or_insert_default() += after.saturating_sub(before);
            }
        }
    }
    for times in &mut times {
        times.wall.sort();
    }
    Ok(times)
}

/// CPU time of the children that have ended, in user and kernel mode.
pub(crate) fn children_cpu() -> Option<Duration> {
    cpu([13, 14])
}

/// CPU time of this process itself.
pub(crate) fn own_cpu() -> Option<Duration> {
    cpu([11, 12])
}

/// The sum of two times that the kernel tells about this process.
fn cpu(fields_of_stat: [usize; 2]) -> Option<Duration> {
    const TICKS_PER_SECOND: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, the program's name in parentheses, may itself contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let [user, system] = fields_of_stat.map(|index| fields.get(index)?.parse::<u64>().ok());
    Some(Duration::from_millis(
        (user? + system?) * 1000 / TICKS_PER_SECOND,
    ))
}

fn describe_machine() -> Result<String, String> {
    let git = Invocation::new("git", ["--version"]).stdout()?;
    let rustc = Invocation::new("rustc", ["--version"]).stdout()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(format!(
        "{STARTS} starts each, taken in turn · {} · {} · {} {}, {cores} cores",
        git.trim(),
        rustc.trim(),
        std::env::consts::OS,
        std::env::consts::ARCH,
    ))
}

/// The last start is what the others are compared with.
fn table(starts: &[Start; 3], times: &[Times; 3], circumstances: &str) -> String {
    let [_, _, git] = times;
    let [git_median, git_p90] = figures(git);
    let ratio = |a: f64, b: f64| format!("{:.2}×", a / b);
    let rows = starts.iter().zip(times).map(|(start, times)| {
        let [median, p90] = figures(times);
        let cpu = cpu_each(times).zip(cpu_each(git)).map_or_else(
            || "–".to_owned(),
            |(own, git)| format!("{own:.2} ms ({})", ratio(own, git)),
        );
        format!(
            "| `{}` | {median:.2} ms ({}) | {p90:.2} ms ({}) | {cpu} |\n",
            start.name,
            ratio(median, git_median),
            ratio(p90, git_p90),
        )
    });
    format!(
        "| program | wall, median | wall, p90 | CPU, mean |\n|---|---|---|---|\n{}\n{circumstances}\n",
        rows.collect::<String>(),
    )
}

/// Median and 90th percentile of the wall time, in milliseconds.
fn figures(times: &Times) -> [f64; 2] {
    let at = |percent: usize| {
        let index = times.wall.len().saturating_sub(1) * percent / 100;
        let time = times.wall.get(index).expect("a measurement");
        time.as_secs_f64() * 1000.0
    };
    [at(50), at(90)]
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred starts")]
fn cpu_each(times: &Times) -> Option<f64> {
    Some(times.cpu?.as_secs_f64() * 1000.0 / (BLOCKS * BLOCK) as f64)
}

pub(crate) fn update(tables: &[(&str, &str)]) -> Result<(), String> {
    let path = root().join(FILE);
    let mut text = fs::read_to_string(&path).unwrap_or_else(|_| NEW_FILE.to_owned());
    for (open, table) in tables {
        text = between_markers(&text, open, table)?;
    }
    fs::write(&path, text).map_err(|error| format!("{FILE}: {error}"))
}

/// Puts a table into another page.
pub(crate) fn update_in(file: &str, open: &str, table: &str) -> Result<(), String> {
    let path = root().join(file);
    let failed = |error: std::io::Error| format!("{file}: {error}");
    let text = fs::read_to_string(&path).map_err(failed)?;
    fs::write(&path, between_markers(&text, open, table)?).map_err(failed)
}

fn between_markers(text: &str, open: &str, table: &str) -> Result<String, String> {
    let missing = || format!("{FILE}: no `{open}` followed by `{CLOSE}`");
    let (before, rest) = text.split_once(open).ok_or_else(missing)?;
    let (_, after) = rest.split_once(CLOSE).ok_or_else(missing)?;
    Ok(format!("{before}{open}\n{table}{CLOSE}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(wall_ms: impl Iterator<Item = u64>, cpu_ms: u64) -> Times {
        Times {
            wall: wall_ms.map(Duration::from_millis).collect(),
            cpu: Some(Duration::from_millis(cpu_ms)),
        }
    }

    #[test]
    fn the_table_compares_medians_percentiles_and_cpu() {
        let starts = ["signoff --version", "signoff guard", "git --version"]
            .map(|name| Start::version(name, "x"));
        let all = [
            times(1..=101, 400),
            times(2..=102, 1600),
            times(2..=102, 800),
        ];
        let table = table(&starts, &all, "here");
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| `signoff --version` | 51.00 ms (0.98×) | 91.00 ms (0.99×) | 1.00 ms (0.50×) |",
                "| `signoff guard` | 52.00 ms (1.00×) | 92.00 ms (1.00×) | 4.00 ms (2.00×) |",
                "| `git --version` | 52.00 ms (1.00×) | 92.00 ms (1.00×) | 2.00 ms (1.00×) |",
                "",
                "here",
            ]
        );
    }

    #[test]
    fn only_the_text_between_the_markers_changes() {
        for open in [
            STARTUP, VERIFY, STORE, RUN, TREES, AGENTS, MCP, SERVE, CLUSTER,
        ] {
            let once = between_markers(NEW_FILE, open, "@\n").unwrap();
            let twice = between_markers(&once, open, "%\n").unwrap();
            assert_eq!(twice, once.replace("@\n", "%\n"));
            assert!(between_markers("nothing here", open, "@\n").is_err());
        }
    }

    #[test]
    fn the_kernel_tells_the_cpu_time_of_children() {
        assert!(children_cpu().is_some());
    }
}
