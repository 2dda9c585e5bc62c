//! `cargo xtask test`: everything a change must pass, in one list.

use std::time::{Duration, Instant};

use crate::api_fuzz::Thoroughness;
use crate::invocation::Invocation;
use crate::optional::optional;
use crate::{Command, agent_clis, api_fuzz, browser, generate, mcp_server, type_check};

pub(crate) const COMMAND: Command = Command {
    name: "test",
    summary: "Run everything a change must pass: format, clippy, tests, docs, generated files",
    flag: None,
    details: "\
Stops at the first stage that fails and prints the command that repeats it. Needs the Rust toolchain,
git and ssh-keygen: rustfmt and clippy are added through rustup where they are missing, ssh-keygen,
bubblewrap, tmux and Postgres through apt-get where there is one, and the tests run under cargo-nextest where that
is installed, else under `cargo test`. Where a mount namespace can be made (as root), their temporary files
are in memory. Without bubblewrap one level of the sandbox is not tried. With npm, a public MCP tool server is installed into the target directory;
without npm the tests against that server are skipped. So are three coding agents, into $SIGNOFF_CI_CACHE/agents
(default ~/.cache/signoff-ci), about 530 MB, the TypeScript compiler, which checks `integrations/`, Chromium with what drives it, for the page, and schemathesis from PyPI, which asks the API
everything that its OpenAPI document describes.",
    run: |_| run(),
};

fn run() -> Result<(), String> {
    let begun = Instant::now();
    install_components()?;
    install_ssh()?;
    install_bubblewrap();
    install_tmux()?;
    install_postgres()?;
    mcp_server::install();
    let agents = agent_clis::install(agent_clis::Selection::Quick)?;
    let stages = stages(&agents.display().to_string());
    let beside: Vec<Stage> = [
        ("types", type_check::prepare_command()?),
        ("page", browser::prepare_command(install_package)?),
        ("api", api_fuzz::prepare_command(Thoroughness::Short)?),
    ]
    .into_iter()
    .filter_map(|(name, prepared)| Some(Stage::new(name, prepared?, None)))
    .collect();
    let times = perform_all(&stages, &beside)?;
    println!();
    for (name, time) in times {
        println!("  {name:<10} ok {:>9}", seconds(time));
    }
    println!("  {:<10} ok {:>9}", "all", seconds(begun.elapsed()));
    Ok(())
}

/// A stage that succeeded, and how long it took.
type Done = (&'static str, Duration);

/// Performs one stage after the other. What mostly waits runs beside the last one, which builds no program that it uses.
fn perform_all(stages: &[Stage], beside: &[Stage]) -> Result<Vec<Done>, String> {
    let (first, last) = stages.split_at(stages.len() - 1);
    let mut done: Vec<Done> = first.iter().map(Stage::perform).collect::<Result<_, _>>()?;
    let ended: Vec<Result<Done, String>> = std::thread::scope(|scope| {
        let beside = beside
            .iter()
            .map(|stage| scope.spawn(|| stage.perform_quietly()));
        let beside: Vec<_> = beside.collect();
        let last: Vec<_> = last.iter().map(Stage::perform).collect();
        let beside = beside.into_iter().map(|stage| {
            let ended = stage.join();
            ended.unwrap_or_else(|_| Err("a stage panicked".to_owned()))
        });
        last.into_iter().chain(beside).collect()
    });
    for stage in ended {
        done.push(stage?);
    }
    Ok(done)
}

struct Stage {
    name: &'static str,
    action: Action,
    /// The command that fixes most failures of this stage.
    fix: Option<&'static str>,
}

enum Action {
    Start(Invocation),
    CheckGenerated,
}

impl Stage {
    fn new(name: &'static str, invocation: Invocation, fix: Option<&'static str>) -> Self {
        Self {
            name,
            action: Action::Start(invocation),
            fix,
        }
    }

    fn perform(&self) -> Result<Done, String> {
        println!("── {}: {}", self.name, self.repeat());
        let begun = Instant::now();
        let result = match &self.action {
            Action::Start(invocation) => invocation.run(),
            Action::CheckGenerated => generate::check(),
        };
        self.finish(begun, result)
    }

    /// Prints what it says when it has ended: others run meanwhile. What drives a browser or a server beside a build is
    /// tried twice, like each test of nextest's profile `ci`: a fault of the product fails both times.
    fn perform_quietly(&self) -> Result<Done, String> {
        let begun = Instant::now();
        if self.attempt().is_err() {
            println!(
                "── {}: FAILED ONCE, and is tried again: see what it says above",
                self.name
            );
            let result = self.attempt();
            return self.finish(begun, result);
        }
        self.finish(begun, Ok(()))
    }

    fn attempt(&self) -> Result<(), String> {
        let (said, result) = match &self.action {
            Action::Start(invocation) => invocation.run_captured(),
            Action::CheckGenerated => (String::new(), generate::check()),
        };
        print!("── {}: {}\n{said}", self.name, self.repeat());
        result
    }

    fn finish(&self, begun: Instant, result: Result<(), String>) -> Result<Done, String> {
        let time = begun.elapsed();
        result.map_err(|reason| failure(self, time, &reason))?;
        println!("── {}: ok, {}", self.name, seconds(time));
        Ok((self.name, time))
    }

    fn repeat(&self) -> String {
        match &self.action {
            Action::Start(invocation) => invocation.to_string(),
            Action::CheckGenerated => "cargo xtask gen --check".to_owned(),
        }
    }
}

// Every stage builds the same packages with the same features, so that cargo finds the work of the
// one before it.
fn stages(agents: &str) -> Vec<Stage> {
    let clippy = Invocation::cargo([
        "clippy",
        "--locked",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ]);
    let docs = Invocation::cargo([
        "doc",
        "--locked",
        "--workspace",
        "--all-features",
        "--no-deps",
    ])
    .env("RUSTDOCFLAGS", "-D warnings");
    let tests = tests().env(agent_clis::VARIABLE, agents);
    let format = Invocation::cargo(["xfmt", "--check"]);
    vec![
        Stage::new("format", format, Some("cargo xfmt")),
        Stage::new("clippy", clippy, None),
        Stage::new("tests", in_memory_where_possible(tests), None),
        Stage {
            name: "generated",
            action: Action::CheckGenerated,
            fix: Some("cargo xtask gen"),
        },
        Stage::new("docs", docs, None),
    ]
}

/// The test run. Nextest is quicker and ends a test that hangs, but takes minutes to install.
fn tests() -> Invocation {
    if Invocation::cargo(["nextest", "--version"]).succeeds() {
        // Two thirds of the time tests wait for processes, locks and time limits.
        let threads = std::thread::available_parallelism().map_or(3, |cores| cores.get() * 3);
        Invocation::cargo([
            "nextest",
            "run",
            "--locked",
            "--workspace",
            "--all-features",
            "--profile",
            "ci",
            "--test-threads",
            &threads.to_string(),
        ])
    } else {
        Invocation::cargo([
            "test",
            "--locked",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
        ])
    }
}

/// Runs a command with its temporary directory in memory, which vanishes with it.
const IN_MEMORY: &str = r#"
memory=$(mktemp -d) || exit
mount -t tmpfs -o mode=1777 tmpfs "$memory" && TMPDIR="$memory" "$@"
code=$?
umount -l "$memory"
rmdir "$memory"
exit $code"#;

/// The same with temporary files in memory. Most tests make projects and repositories, sync and remove them, which takes half
/// of their time on a disk; `cargo xtask soak` does it there.
fn in_memory_where_possible(tests: Invocation) -> Invocation {
    let in_memory = |command: Invocation| {
        command.started_by("unshare", &["--mount", "sh", "-c", IN_MEMORY, "sh"])
    };
    if in_memory(Invocation::new("true", [])).succeeds() {
        in_memory(tests)
    } else {
        tests
    }
}

/// Adds rustfmt and clippy where the toolchain came without them.
fn install_components() -> Result<(), String> {
    for (component, probe) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if Invocation::cargo([probe, "--version"]).succeeds() {
            continue;
        }
        let add = Invocation::new("rustup", ["component", "add", component]);
        println!("── {component} is missing: {add}");
        add.run().map_err(|reason| {
            format!(
                "`cargo {probe}` is missing and could not be added: {reason}\n  \
                 = help: install the `{component}` component of your Rust toolchain"
            )
        })?;
    }
    Ok(())
}

/// Installs the programs that the tests sign with. Without them those tests fail; they are not skipped.
fn install_ssh() -> Result<(), String> {
    if Invocation::new("ssh", ["-V"]).succeeds() {
        return Ok(());
    }
    install_package("openssh-client").map_err(|reason| {
        format!(
            "`ssh-keygen` is missing and could not be added: {reason}\n  \
             = help: install the OpenSSH client"
        )
    })
}

/// The screens of `review` and `watch` are tested in a terminal that tmux draws. Without it those tests do nothing, which is
/// said where nobody overlooks it; CI does not accept that.
fn install_tmux() -> Result<(), String> {
    if Invocation::new("tmux", ["-V"]).succeeds() {
        return Ok(());
    }
    optional(
        "`review` and `watch` in a terminal",
        install_package("tmux"),
    )?;
    Ok(())
}

/// Runs that several machines share are tested on a Postgres of the tests' own. Without its programs those tests do nothing,
/// which is reported where it is not overlooked; CI does not accept that.
fn install_postgres() -> Result<(), String> {
    // Debian keeps them outside of PATH.
    let is_there = "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb";
    if Invocation::new("sh", ["-c", is_there]).succeeds() {
        return Ok(());
    }
    match install_package("postgresql") {
        Ok(()) => Ok(()),
        Err(reason) if std::env::var_os("CI").is_some() => {
            Err(format!("shared runs cannot be tested: {reason}"))
        }
        Err(reason) => {
            println!("── NOT TESTED: runs that several machines share: {reason}");
            Ok(())
        }
    }
}

/// Installs what one level of the sandbox uses. The tests leave that level out where it is missing, and fail in CI.
fn install_bubblewrap() {
    if Invocation::new("bwrap", ["--version"]).succeeds() {
        return;
    }
    if let Err(reason) = install_package("bubblewrap") {
        println!("── NOT TESTED: the level `bubblewrap`, because `bwrap` is missing: {reason}");
    }
}

fn install_package(name: &str) -> Result<(), String> {
    let add = Invocation::new("apt-get", ["install", "--yes", "--quiet", name])
        .env("DEBIAN_FRONTEND", "noninteractive");
    println!("── {name} is missing: {add}");
    // A fresh machine may have no list of packages yet.
    add.run().or_else(|_| {
        Invocation::new("apt-get", ["update", "--quiet"])
            .run()
            .and_then(|()| add.run())
    })
}

fn failure(stage: &Stage, time: Duration, reason: &str) -> String {
    let mut text = format!(
        "stage `{}` failed after {}: {reason}\n  = repeat: {}",
        stage.name,
        seconds(time),
        stage.repeat()
    );
    if let Some(fix) = stage.fix {
        text.push_str("\n  = fix: ");
        text.push_str(fix);
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cargo_build_is_locked() {
        for stage in stages("agents") {
            let line = stage.repeat();
            let builds = !line.contains("xfmt") && !line.contains("xtask");
            assert_eq!(line.contains("--locked"), builds, "{line}");
        }
    }

    #[test]
    fn tests_have_their_temporary_files_in_memory_where_that_is_possible() {
        let show = Invocation::new("sh", ["-c", r#"stat -f -c %T "${TMPDIR:-/}""#]);
        let mounts = Invocation::new("unshare", ["--mount", "true"]).succeeds();
        let kind = in_memory_where_possible(show)
            .stdout()
            .expect("stat answers");
        assert_eq!(kind == "tmpfs\n", mounts, "{kind}");
        let failed = in_memory_where_possible(Invocation::new("false", []));
        assert!(failed.run().is_err());
    }

    #[test]
    fn a_stage_beside_the_others_is_tried_twice_and_not_three_times() {
        let directory = std::env::temp_dir().join(format!("signoff-stage-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("made");
        let counts = |fails: u32| {
            let file = directory.join(fails.to_string());
            let script = format!(
                "echo >> {0}; test $(wc -l < {0}) -gt {fails}",
                file.display()
            );
            let stage = Stage::new("page", Invocation::new("sh", ["-c", &script]), None);
            let ended = stage.perform_quietly();
            (ended.is_ok(), std::fs::read(file).expect("counted").len())
        };
        assert_eq!(counts(0), (true, 1));
        assert_eq!(counts(1), (true, 2));
        assert_eq!(counts(2), (false, 2));
        std::fs::remove_dir_all(directory).expect("removed");
    }

    #[test]
    fn a_failure_says_how_to_repeat_and_mend_it() {
        let stage = &stages("agents")[0];
        assert_eq!(
            failure(stage, Duration::from_millis(1500), "exit status: 1"),
            "stage `format` failed after 1.5 s: exit status: 1\n  \
             = repeat: cargo xfmt --check\n  = fix: cargo xfmt"
        );
    }
}
