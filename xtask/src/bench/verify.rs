//! `signoff verify` on large plans, beside programs that read the same graph.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use super::{children_cpu, plans};

/// Runs of one program on one plan, taken in turn with the others.
const ROUNDS: u32 = 5;

/// Where agents of the markdown plan come from, so that it has no problems.
const CONFIG: &str = "[agents.coder]\ndriver = \"command\"\ncommand = [\"true\"]\n";

struct Row {
    plan: String,
    program: &'static str,
    /// `None` = the program is not installed.
    figures: Option<Figures>,
}

struct Figures {
    cpu: Option<Duration>,
    memory: Option<u64>,
    instructions: Option<u64>,
}

/// A program on one plan.
struct Candidate {
    plan: String,
    program: &'static str,
    argv: Vec<String>,
    /// Whether its instructions are counted, which takes a while.
    counted: bool,
}

/// Measures everything and gives the table.
pub(super) fn table(signoff: &str) -> Result<String, String> {
    let directory = std::env::temp_dir().join(format!("signoff-bench-{}", std::process::id()));
    let written = write_plans(&directory);
    let rows = written.and_then(|()| rows(signoff, &directory));
    // Whatever happened: the plans are large.
    fs::remove_dir_all(&directory).ok();
    Ok(render(&rows?))
}

fn write_plans(directory: &Path) -> Result<(), String> {
    let lost = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(directory.join(".signoff")).map_err(lost)?;
    let write = |name: String, text: String| fs::write(directory.join(name), text).map_err(lost);
    write(".signoff/config.toml".to_owned(), CONFIG.to_owned())?;
    for steps in [10_000, 100_000] {
        write(format!("{steps}.json"), plans::toolplan(steps))?;
        write(format!("{steps}.mk"), plans::makefile(steps))?;
        write(format!("{steps}.ninja"), plans::ninja(steps))?;
    }
    write("10000.md".to_owned(), plans::workunit(10_000))
}

fn rows(signoff: &str, directory: &Path) -> Result<Vec<Row>, String> {
    let groups = [
        graph(signoff, 10_000, true),
        graph(signoff, 100_000, false),
        vec![Candidate {
            plan: "10,000 markdown steps".to_owned(),
            program: "signoff verify",
            argv: words(&[signoff, "verify", "10000.md"]),
            counted: true,
        }],
    ];
    let mut rows = Vec::new();
    for group in groups {
        rows.extend(measure(group, directory)?);
    }
    Ok(rows)
}

fn graph(signoff: &str, steps: usize, counted: bool) -> Vec<Candidate> {
    let plan = if steps == 10_000 { "10,000" } else { "100,000" };
    let candidate = |program, argv: &[&str], counted| Candidate {
        plan: format!("{plan} tool steps"),
        program,
        argv: words(argv),
        counted,
    };
    let file = |extension: &str| format!("{steps}.{extension}");
    vec![
        candidate(
            "signoff verify",
            &[signoff, "verify", &file("json")],
            counted,
        ),
        candidate("make -n", &["make", "-n", "-f", &file("mk")], counted),
        // Reads the graph and does nothing with it but list it.
        candidate(
            "ninja -t targets",
            &["ninja", "-f", &file("ninja"), "-t", "targets", "all"],
            counted,
        ),
    ]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn measure(candidates: Vec<Candidate>, directory: &Path) -> Result<Vec<Row>, String> {
    let mut cpu = vec![Some(Duration::ZERO); candidates.len()];
    let installed: Vec<bool> = candidates
        .iter()
        .map(|one| is_installed(&one.argv))
        .collect();
    for _ in 0..ROUNDS {
        for ((candidate, cpu), installed) in candidates.iter().zip(&mut cpu).zip(&installed) {
            if *installed {
                let before = children_cpu();
                run(&candidate.argv, directory)?;
                let spent = before.zip(children_cpu()).map(|(a, b)| b.saturating_sub(a));
                *cpu = cpu.zip(spent).map(|(sum, spent)| sum + spent);
            }
        }
    }
    let rows = candidates.into_iter().zip(cpu).zip(installed);
    Ok(rows
        .map(|((candidate, cpu), installed)| Row {
            figures: installed.then(|| Figures {
                cpu: cpu.map(|sum| sum / ROUNDS),
                memory: peak_memory(&candidate.argv, directory),
                instructions: candidate
                    .counted
                    .then(|| instructions(&candidate.argv, directory))
                    .flatten(),
            }),
            plan: candidate.plan,
            program: candidate.program,
        })
        .collect())
}

fn is_installed(argv: &[String]) -> bool {
    let program = argv.first().expect("a command has a program");
    let mut process = Process::new(program);
    process
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    process.status().is_ok_and(|status| status.success())
}

fn process(argv: &[String], directory: &Path) -> Process {
    let program = argv.first().expect("a command has a program");
    let mut process = Process::new(program);
    process
        .args(argv.iter().skip(1))
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    process
}

fn run(argv: &[String], directory: &Path) -> Result<(), String> {
    let line = argv.join(" ");
    let status = process(argv, directory)
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("`{line}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "`{line}` ended with {status}: the plans of the benchmark have no problems, or should have none"
        ))
    }
}

/// The most memory a run had at once, in bytes, as the kernel tells while it runs.
pub(crate) fn peak_memory(argv: &[String], directory: &Path) -> Option<u64> {
    let mut child = process(argv, directory)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = None;
    while let Ok(None) = child.try_wait() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(kibibytes.map(|kibibytes| kibibytes * 1024));
        std::thread::sleep(Duration::from_millis(1));
    }
    most
}

/// Instructions of a run, as callgrind counts them: the same every time.
fn instructions(argv: &[String], directory: &Path) -> Option<u64> {
    let mut valgrind = words(&[
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
    ]);
    valgrind.extend(argv.iter().cloned());
    let output = process(&valgrind, directory)
        .stderr(Stdio::piped())
        .output()
        .ok()?;
    count_instructions(&String::from_utf8_lossy(&output.stderr))
}

fn count_instructions(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.split_once("Collected :"))?
        .1;
    line.trim().parse().ok()
}

fn render(rows: &[Row]) -> String {
    let mut text =
        "| plan | program | CPU | memory | instructions |\n|---|---|---|---|---|\n".to_owned();
    for Row {
        plan,
        program,
        figures,
    } in rows
    {
        let figures = match figures {
            None => "not installed | – | –".to_owned(),
            Some(figures) => format!(
                "{} | {} | {}",
                figures.cpu.map_or_else(
                    || "–".to_owned(),
                    |cpu| format!("{:.3} s", cpu.as_secs_f64())
                ),
                figures.memory.map_or_else(
                    || "–".to_owned(),
                    |bytes| format!("{} MB", bytes / 1_000_000)
                ),
                figures.instructions.map_or_else(
                    || "–".to_owned(),
                    |count| format!("{} M", count / 1_000_000)
                ),
            ),
        };
        writeln!(text, "| {plan} | `{program}` | {figures} |").expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_said_to_be_missing() {
        let rows = [
            Row {
                plan: "p".to_owned(),
                program: "a",
                figures: Some(Figures {
                    cpu: Some(Duration::from_millis(1234)),
                    memory: Some(2_500_000),
                    instructions: None,
                }),
            },
            Row {
                plan: "p".to_owned(),
                program: "b",
                figures: None,
            },
        ];
        let table = render(&rows);
        assert!(
            table.ends_with(
                "| p | `a` | 1.234 s | 2 MB | – |\n| p | `b` | not installed | – | – |\n"
            )
        );
    }

    #[test]
    fn callgrind_tells_the_instructions() {
        let text = "==1== Events    : Ir\n==1== Collected : 406701702\n==1== \n";
        assert_eq!(count_instructions(text), Some(406_701_702));
        assert_eq!(count_instructions(""), None);
    }
}
