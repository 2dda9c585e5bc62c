//! `cargo xtask bench agents`: what it costs to read the stream of an agent that prints a megabyte a second.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use crate::Command;
use crate::bench::{AGENTS, release_build, update};
use crate::invocation::root;

pub(crate) const COMMAND: Command = Command {
    name: "bench agents",
    summary: "Measure what reading an agent's stream costs, at a megabyte a second",
    flag: Some(("--write", "also put the table into docs/benchmarks.md")),
    details: "\
For each driver a script prints the recorded stream of a real agent again and again, one megabyte each
second for ten seconds, in a real run in the sandbox. Counted is the CPU time of the harness itself, of
all its threads, less that of a run whose agent is as long at work and prints nothing. Takes about a
minute and a half.",
    run,
};

/// How long an agent prints.
const SECONDS: u32 = 10;
const MEGABYTE: usize = 1 << 20;

/// Drivers with the recorded stream that their agents print.
const STREAMS: [(&str, &str); 6] = [
    ("claude", "claude-2.1.197"),
    ("codex", "codex-0.166.0"),
    ("gemini", "gemini-0.61.0"),
    ("opencode", "opencode-1.18.33"),
    ("pi", "pi-0.74.2"),
    // Its agent prints whatever it likes.
    ("command", "claude-2.1.197"),
];

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Bench\n\n## Steps\n\n### 1. A\n\n\
                    **task:** make made.txt\n**contract:**\n```bash\ntest -f made.txt\n```\n";

struct Row {
    driver: &'static str,
    cpu: Duration,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let directory = std::env::temp_dir().join(format!("signoff-agents-{}", std::process::id()));
    let rows = measure(&signoff, &directory);
    fs::remove_dir_all(&directory).ok();
    let table = render(&rows?);
    println!("{table}");
    if write {
        update(&[(AGENTS, &table)])
    } else {
        Ok(())
    }
}

fn measure(signoff: &str, directory: &Path) -> Result<Vec<Row>, String> {
    let silent = cpu_of_run(signoff, &directory.join("silent"), "command", &[])?;
    let streams = STREAMS.into_iter().map(|(driver, sample)| {
        let megabyte = megabyte_of(sample)?;
        let cpu = cpu_of_run(signoff, &directory.join(driver), driver, &megabyte)?;
        let cpu = cpu.saturating_sub(silent);
        Ok(Row { driver, cpu })
    });
    streams.collect()
}

/// A recorded stream, again and again, in whole lines.
fn megabyte_of(sample: &str) -> Result<Vec<u8>, String> {
    let path = root()
        .join("crates/signoff-work/tests/samples/agents")
        .join(sample)
        .join("works.jsonl");
    let stream = fs::read(&path).map_err(|error| at(&path, &error))?;
    let mut megabyte = Vec::with_capacity(MEGABYTE + stream.len());
    while megabyte.len() < MEGABYTE {
        megabyte.extend_from_slice(&stream);
    }
    Ok(megabyte)
}

/// The CPU time of the harness while an agent of this driver prints this each second.
fn cpu_of_run(
    signoff: &str,
    directory: &Path,
    driver: &str,
    each_second: &[u8],
) -> Result<Duration, String> {
    let (project, programs) = (directory.join("project"), directory.join("programs"));
    let program = programs.join(if driver == "command" { "agent" } else { driver });
    let script = format!(
        "#!/bin/sh\nfor second in $(seq {SECONDS}); do cat part; sleep 1; done\necho x > made.txt\n"
    );
    let command = if driver == "command" {
        format!("command = ['{}']\n", program.display())
    } else {
        String::new()
    };
    let config = format!("[agents.default]\ndriver = '{driver}'\n{command}");
    write(&project.join("part"), each_second)?;
    write(&program, script.as_bytes())?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .map_err(|error| at(&program, &error))?;
    write(
        &directory.join("home/.config/signoff/config.toml"),
        config.as_bytes(),
    )?;
    write(&project.join(".signoff/.keep"), b"")?;
    write(&project.join("plan.md"), PLAN.as_bytes())?;
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    let mut running = Process::new(signoff)
        .args(["run", "plan.md", "--approve"])
        .current_dir(&project)
        .env("HOME", directory.join("home"))
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{signoff}: {error}"))?;
    let mut cpu = Duration::ZERO;
    let status = loop {
        cpu = cpu_of(running.id()).unwrap_or(cpu);
        if let Some(status) = running.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // Agents of which a stream is repeated say strange things; that they worked to the end is what counts.
    if project.join("made.txt").is_file() {
        Ok(cpu)
    } else {
        Err(format!(
            "the run with the driver `{driver}` ended with {status}"
        ))
    }
}

/// The CPU time of a process, in user and kernel mode, without its children.
fn cpu_of(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let [user, system] = [11, 12].map(|index| fields.get(index)?.parse::<u64>().ok());
    Some(Duration::from_millis((user? + system?) * 10))
}

fn render(rows: &[Row]) -> String {
    let mut table = format!(
        "| driver | CPU of the harness for {SECONDS} MB in {SECONDS} s | of a core |\n|---|---|---|\n"
    );
    for Row { driver, cpu } in rows {
        let share = 100.0 * cpu.as_secs_f64() / f64::from(SECONDS);
        writeln!(
            table,
            "| `{driver}` | {:.2} s | {share:.1} % |",
            cpu.as_secs_f64()
        )
        .expect("a string takes everything");
    }
    table
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|error| at(parent, &error))?;
    fs::write(path, bytes).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_share_of_a_core() {
        let rows = [Row {
            driver: "claude",
            cpu: Duration::from_millis(250),
        }];
        let table = render(&rows);
        assert_eq!(table.lines().last(), Some("| `claude` | 0.25 s | 2.5 % |"));
    }

    #[test]
    fn every_driver_has_a_stream_of_whole_lines() {
        for (driver, sample) in STREAMS {
            let megabyte = megabyte_of(sample).expect(driver);
            assert!(megabyte.len() >= MEGABYTE && megabyte.ends_with(b"\n"));
        }
    }
}
