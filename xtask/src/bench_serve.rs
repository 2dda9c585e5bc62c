//! `cargo xtask bench serve`: what the page costs for a plan of 10,000 steps, and what a thousand who follow one live run
//! cost the server.

mod served;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::served::{SETTINGS, Served, USER, call};
use crate::Command;
use crate::bench::{SERVE, release_build, update};
use crate::bench_run::graph::{self, Shape};

pub(crate) const COMMAND: Command = Command {
    name: "bench serve",
    summary: "Measure the server: pages of a plan of 10,000 steps, and 1,000 who follow one live run",
    flag: Some(("--write", "also put the tables into docs/benchmarks.md")),
    details: "\
Pages: a chain of 10,000 steps that do nothing, before it has run, after 100 of its steps and after all of
them (50,000 events). Of each address the answer's size, how long the first request to a fresh server takes, and the
median time and the mean CPU of the ten that follow. Streams: a run of 200 steps that begins once everybody has
connected; CPU and memory of the server until everybody has its last event. Takes about two minutes.",
    run,
};

const STEPS: usize = 10_000;
const REQUESTS: u32 = 10;
const FOLLOWERS: [usize; 3] = [1, 100, 1000];
/// Steps of the run that is followed.
const FOLLOWED: usize = 200;
/// A thread of a follower needs little.
const STACK: usize = 64 << 10;

struct Page {
    what: &'static str,
    address: String,
    bytes: usize,
    first: Duration,
    later: Duration,
    cpu: Duration,
}

struct Followed {
    followers: usize,
    events: usize,
    cpu: Duration,
    memory: u64,
}

fn run(write: bool) -> Result<(), String> {
    let signoff = release_build()?;
    let directory = std::env::temp_dir().join(format!("signoff-serve-{}", std::process::id()));
    let measured = measure(&signoff, &directory);
    fs::remove_dir_all(&directory).ok();
    let (pages, followed) = measured?;
    let table = render(&pages, &followed);
    println!("{table}");
    if write {
        update(&[(SERVE, &table)])
    } else {
        Ok(())
    }
}

fn measure(signoff: &str, directory: &Path) -> Result<(Vec<Page>, Vec<Followed>), String> {
    let pages = measure_pages(signoff, &directory.join("pages"))?;
    let followed = FOLLOWERS.map(|followers| {
        let project = directory.join(format!("followed-{followers}"));
        measure_followers(signoff, &project, followers)
    });
    Ok((pages, followed.into_iter().collect::<Result<_, _>>()?))
}

fn measure_pages(signoff: &str, project: &Path) -> Result<Vec<Page>, String> {
    prepare(project, &graph::plan(Shape::Chain, STEPS))?;
    call(signoff, project, &["propose", "plan.json"])?;
    let plan = |from: usize| format!("/plans/bench?from={from}");
    let mut pages = vec![
        page(
            signoff,
            project,
            "all plans, nothing has run",
            "/".to_owned(),
        )?,
        page(signoff, project, "the plan, before it runs", plan(0))?,
        page(signoff, project, "its last steps", plan(STEPS - 50))?,
    ];
    call(signoff, project, &["approve", "plan.json"])?;
    call(signoff, project, &["run", "plan.json", "--until", "s99"])?;
    let run = only_run(project)?;
    let live = || format!("/runs/{run}/live?steps=s98,s99");
    pages.push(page(
        signoff,
        project,
        "a live update, 100 steps are done",
        live(),
    )?);
    call(signoff, project, &["resume"])?;
    pages.push(page(
        signoff,
        project,
        "a live update, all steps are done",
        live(),
    )?);
    pages.push(page(signoff, project, "the run", format!("/runs/{run}"))?);
    pages.push(page(
        signoff,
        project,
        "a step of it",
        format!("/runs/{run}/steps/s9999?part=true"),
    )?);
    pages.push(page(signoff, project, "the plan, after its run", plan(0))?);
    pages.push(page(
        signoff,
        project,
        "all plans, after the run",
        "/".to_owned(),
    )?);
    pages.push(page(
        signoff,
        project,
        "the report, all in one file",
        format!("/runs/{run}/report"),
    )?);
    Ok(pages)
}

/// A fresh server, so that nothing has been read before.
fn page(
    signoff: &str,
    project: &Path,
    what: &'static str,
    address: String,
) -> Result<Page, String> {
    let served = Served::start(signoff, project)?;
    let first = served.get(&address)?;
    let before = served.cpu();
    let mut times = Vec::new();
    for _ in 0..REQUESTS {
        times.push(served.get(&address)?.took);
    }
    times.sort();
    eprintln!("measured: {what}");
    Ok(Page {
        what,
        address: only_shape(&address),
        bytes: first.body.len(),
        first: first.took,
        later: times[times.len() / 2],
        cpu: served.cpu().saturating_sub(before) / REQUESTS,
    })
}

/// The address without the name of the run.
fn only_shape(address: &str) -> String {
    let parts = address
        .split('/')
        .map(|part| if part.starts_with("20") { "RUN" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn measure_followers(signoff: &str, project: &Path, followers: usize) -> Result<Followed, String> {
    // The first step holds only once everybody is there.
    let gate = project.join("gate");
    let plan = graph::plan(Shape::Chain, FOLLOWED);
    let waits = format!("until test -e {}; do sleep 0.1; done", gate.display());
    let plan = plan.replacen("/bin/true", &waits, 1);
    prepare(project, &plan)?;
    call(signoff, project, &["approve", "plan.json"])?;
    let served = Served::start(signoff, project)?;
    let started = served.post("/api/plans/bench/start")?.body;
    let started: serde_json::Value =
        serde_json::from_str(&started).map_err(|why| format!("{started}: {why}"))?;
    let run = started["run"].as_str().ok_or("no run was started")?;
    let before = served.cpu();
    let path = format!("/api/runs/{run}/events");
    let mut threads = Vec::new();
    for _ in 0..followers {
        let socket = BufReader::with_capacity(4 << 10, served.send("GET", &path)?);
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || follow(socket));
        threads.push(thread.map_err(|why| format!("follower {}: {why}", threads.len()))?);
    }
    fs::write(&gate, "").map_err(|why| why.to_string())?;
    let mut events = 0;
    for thread in threads {
        events += thread.join().map_err(|_| "a follower failed")??;
    }
    eprintln!("measured: {followers} who follow");
    Ok(Followed {
        followers,
        events: events / followers,
        cpu: served.cpu().saturating_sub(before),
        memory: served.memory(),
    })
}

/// Counts the events up to the last one; none may be missing.
fn follow(socket: BufReader<std::net::TcpStream>) -> Result<usize, String> {
    let mut events = 0;
    for line in socket.lines() {
        let line = line.map_err(|why| why.to_string())?;
        if let Some(id) = line.strip_prefix("id: ") {
            if id != events.to_string() {
                return Err(format!("event {id} came in the place of {events}"));
            }
            events += 1;
        }
        if line == "event: run_finished" {
            return Ok(events);
        }
    }
    Err(format!("the stream ended after {events} events"))
}

/// A project without a sandbox, with this plan.
fn prepare(project: &Path, plan: &str) -> Result<(), String> {
    let files = [
        (".signoff/config.toml".to_owned(), String::new()),
        (format!("{USER}/signoff/config.toml"), SETTINGS.to_owned()),
        ("plan.json".to_owned(), plan.to_owned()),
    ];
    for (name, text) in files {
        let path = project.join(name);
        let parent: PathBuf = path.parent().unwrap_or(project).to_owned();
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(())
}

fn only_run(project: &Path) -> Result<String, String> {
    let runs = fs::read_dir(project.join(".signoff/runs")).map_err(|why| why.to_string())?;
    let run = runs.flatten().find(|entry| entry.path().is_dir());
    run.map(|run| run.file_name().to_string_lossy().into_owned())
        .ok_or_else(|| "nothing has run".to_owned())
}

fn render(pages: &[Page], followed: &[Followed]) -> String {
    let ms = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1000.0);
    let mut text = "| what | address | bytes | first request | median of 10 later ones | CPU of each |\n|---|---|---|---|---|---|\n".to_owned();
    for page in pages {
        let Page {
            what,
            address,
            bytes,
            first,
            later,
            cpu,
        } = page;
        let (first, later, cpu) = (ms(*first), ms(*later), ms(*cpu));
        writeln!(
            text,
            "| {what} | `{address}` | {bytes} | {first} | {later} | {cpu} |"
        )
        .expect("a string takes all");
    }
    text += "\n| who follow one live run | events, each | CPU of the server | memory of the server |\n|---|---|---|---|\n";
    for Followed {
        followers,
        events,
        cpu,
        memory,
    } in followed
    {
        let (seconds, memory) = (cpu.as_secs_f64(), memory / 1_000_000);
        writeln!(
            text,
            "| {followers} | {events} | {seconds:.2} s | {memory} MB |"
        )
        .expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_say_what_was_measured() {
        let ms = Duration::from_millis;
        let page = Page {
            what: "the run",
            address: only_shape("/runs/20261119-130345-ayjp/live?steps=a"),
            bytes: 7,
            first: ms(300),
            later: ms(20),
            cpu: ms(19),
        };
        let followed = Followed {
            followers: 1000,
            events: 9,
            cpu: ms(1500),
            memory: 70_000_000,
        };
        let text = render(&[page], &[followed]);
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("| the") || line.starts_with("| 1000"))
            .collect();
        let expected = [
            "| the run | `/runs/RUN/live?steps=a` | 7 | 300 ms | 20 ms | 19 ms |",
            "| 1000 | 9 | 1.50 s | 70 MB |",
        ];
        assert_eq!(rows, expected);
    }
}
