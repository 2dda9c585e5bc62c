//! `cargo xtask bench mcp`: what a call of a tool takes, beside a server on the protocol's TypeScript SDK.

mod session;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use self::session::Session;
use crate::Command;
use crate::bench::{MCP, children_cpu, release_build, update};
use crate::invocation::{Invocation, target};

pub(crate) const COMMAND: Command = Command {
    name: "bench mcp",
    summary: "Measure the MCP server: its start and a list of plans, beside the TypeScript SDK",
    flag: Some(("--write", "also put the table into docs/benchmarks.md")),
    details: "\
A project with 20 plans. Both servers are started in turn: from the start of the process to the answer to
`initialize`. Then `tools/call` of `plan_list` in turn, a hundred at a time: the round trip as the client sees it, and
what of it was spent inside the server, which is the round trip without the median that `cat` takes to give back a message as long as
the answer: two pipes and two changes of process. CPU time is that of the whole process, divided by its calls. The
other server is the smallest that the TypeScript SDK allows, and reads the same index and the same files' times.",
    run,
};

const SDK: &str = "@modelcontextprotocol/sdk@1.32.2";
const SERVER: &str = include_str!("bench_mcp/server.mjs");
const PLANS: usize = 20;
const STARTS: usize = 20;
const ROUNDS: usize = 20;
const CALLS: usize = 100;
/// Not a server: it sends back what it receives.
const ECHO: usize = 2;

/// The agent that the plans are for.
const CONFIG: &str = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";

/// What one server took.
#[derive(Default)]
struct Times {
    starts: Vec<Duration>,
    calls: Vec<Duration>,
    cpu: Option<Duration>,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let script = install_sdk()?;
    let directory = std::env::temp_dir().join(format!("signoff-mcp-{}", std::process::id()));
    let servers = [
        vec![signoff, "mcp".to_owned()],
        vec!["node".to_owned(), script],
        vec!["cat".to_owned()],
    ];
    let measured = measure(&servers, &directory);
    fs::remove_dir_all(&directory).ok();
    let table = table(&measured?);
    println!("{table}");
    if write {
        update(&[(MCP, &table)])
    } else {
        Ok(())
    }
}

/// Installs the SDK below the target directory, and the server beside it; returns the server's path.
fn install_sdk() -> Result<String, String> {
    let directory = target().join("mcp-sdk");
    let text = directory.display().to_string();
    if !directory.join("node_modules").is_dir() {
        Invocation::new("npm", ["install", "--no-audit", "--no-fund"])
            .args(&["--ignore-scripts", "--silent", "--prefix", &text, SDK])
            .run()?;
    }
    let script = directory.join("server.mjs");
    fs::write(&script, SERVER).map_err(|why| format!("{text}: {why}"))?;
    Ok(script.display().to_string())
}

fn measure(servers: &[Vec<String>; 3], directory: &Path) -> Result<[Times; 3], String> {
    let [signoff, ..] = servers;
    fill(signoff, directory)?;
    let mut times = <[Times; 3]>::default();
    for _ in 0..STARTS {
        for (server, times) in servers.iter().zip(&mut times) {
            let session = Session::start(server, directory)?;
            times.starts.push(session.began_in);
            session.end()?;
        }
    }
    let mut sessions = Vec::new();
    let mut longest = 0;
    for (at, server) in servers.iter().enumerate() {
        let arguments = arguments(at, longest);
        let mut session = Session::start(server, directory)?;
        for _ in 0..CALLS {
            let (_, answer) = session.call("plan_list", &arguments)?;
            longest = longest.max(answer.to_string().len());
        }
        sessions.push((session, arguments));
    }
    for _ in 0..ROUNDS {
        for ((session, arguments), times) in sessions.iter_mut().zip(&mut times) {
            for _ in 0..CALLS {
                let (time, _) = session.call("plan_list", arguments)?;
                times.calls.push(time);
            }
        }
    }
    for ((session, _), times) in sessions.into_iter().zip(&mut times) {
        let before = children_cpu();
        session.end()?;
        times.cpu = before
            .zip(children_cpu())
            .map(|(before, after)| after.saturating_sub(before));
        times.starts.sort();
        times.calls.sort();
    }
    Ok(times)
}

/// Nothing for a server; for the echo as much as the servers answer.
fn arguments(server: usize, longest: usize) -> serde_json::Value {
    match server {
        ECHO => json!({"text": "x".repeat(longest)}),
        _ => json!({}),
    }
}

/// Makes a project with so many plans.
fn fill(signoff: &[String], directory: &Path) -> Result<(), String> {
    let config = directory.join(".signoff/config.toml");
    fs::create_dir_all(directory.join(".signoff")).map_err(|why| why.to_string())?;
    fs::write(config, CONFIG).map_err(|why| why.to_string())?;
    let mut session = Session::start(signoff, directory)?;
    for number in 1..=PLANS {
        let step = json!({"description": "Do it", "tool": "bash", "operation": "run"});
        let plan = json!({"title": format!("Plan {number}"), "steps": [step]});
        session.call("plan_propose", &plan)?;
    }
    session.call("plan_list", &json!({}))?;
    // Files this young are read again by the next list; what is measured is an ordinary day.
    std::thread::sleep(Duration::from_secs(3));
    session.call("plan_list", &json!({}))?;
    session.end()
}

fn table(times: &[Times; 3]) -> String {
    let names = ["`signoff mcp`", "TypeScript SDK"];
    let at = |all: &[Duration], percent: usize| {
        let index = all.len().saturating_sub(1) * percent / 100;
        all.get(index)
            .map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    };
    let [servers @ .., echo] = times;
    let way = at(&echo.calls, 50);
    let mut text = "| server | `initialize`, median | `plan_list` inside the server, p50 | round trip, p50 | p90 | CPU for each call |\n|---|---|---|---|---|---|\n".to_owned();
    for (name, times) in names.iter().zip(servers) {
        let calls = u32::try_from((ROUNDS + 1) * CALLS).unwrap_or(u32::MAX);
        let cpu = times.cpu.map_or_else(
            || "–".to_owned(),
            |cpu| format!("{:.3} ms", cpu.as_secs_f64() * 1000.0 / f64::from(calls)),
        );
        let _ = writeln!(
            text,
            "| {name} | {:.1} ms | {:.3} ms | {:.3} ms | {:.3} ms | {cpu} |",
            at(&times.starts, 50),
            at(&times.calls, 50) - way,
            at(&times.calls, 50),
            at(&times.calls, 90),
        );
    }
    let calls = ROUNDS * CALLS;
    format!(
        "{text}\n{PLANS} plans · {STARTS} starts and {calls} calls each, taken in turn · `cat` gives back as much in {way:.3} ms · {SDK}\n"
    )
}
