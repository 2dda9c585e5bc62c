//! `cargo xtask test`: everything a change must pass, in one list.

use std::time::{Duration, Instant};

use crate::invocation::Invocation;
use crate::{Command, agent_clis, browser, generate, mcp_server, type_check};

pub(crate) const COMMAND: Command = Command {
    name: "test",
    summary: "Run everything a change must pass: format, clippy, tests, docs, generated files",
    flag: None,
    details: "\
Stops at the first stage that fails and prints the command that repeats it. Needs the Rust toolchain,
git and ssh-keygen: rustfmt and clippy are added through rustup where they are missing, ssh-keygen
and bubblewrap through apt-get where there is one, and the tests run under cargo-nextest where that
is installed, else under `cargo test`. Where a mount namespace can be made (as root), their temporary files
are in memory. Without bubblewrap one level of the sandbox is not tried. With npm, a public MCP tool server is installed into the target directory;
without npm the tests against that server are skipped. So are three coding agents, into $SIGNOFF_CI_CACHE/agents
(default ~/.cache/signoff-ci), about 530 MB, the TypeScript compiler, which checks `integrations/`, and Chromium with what drives it, for the page.",
    run: |_| run(),
};

fn run() -> Result<(), String> {
    let begun = Instant::now();
    install_components()?;
    install_ssh()?;
    install_bubblewrap();
    mcp_server::install();
    let agents = agent_clis::install(agent_clis::Selection::Quick)?;
    let mut stages = stages(&agents.display().to_string());
    if let Some(check) = type_check::prepared()? {
        stages.push(Stage {
            name: "types",
            action: Action::Start(check),
            fix: None,
        });
    }
    if let Some(tests) = browser::prepared(install_package)? {
        stages.push(Stage {
            name: "page",
            action: Action::Start(tests),
            fix: None,
        });
    }
    let mut times = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        let (number, of) = (index + 1, stages.len());
        println!("── {number}/{of} {}: {}", stage.name, stage.repeat());
        let stage_begun = Instant::now();
        let result = stage.action.perform();
        let time = stage_begun.elapsed();
        if let Err(reason) = result {
            return Err(failure(stage, time, &reason));
        }
        println!("── {number}/{of} {}: ok, {}", stage.name, seconds(time));
        times.push((stage.name, time));
    }
    println!();
    for (name, time) in times {
        println!("  {name:<10} ok {:>9}", seconds(time));
    }
    println!("  {:<10} ok {:>9}", "all", seconds(begun.elapsed()));
    Ok(())
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

impl Action {
    fn perform(&self) -> Result<(), String> {
        match self {
            Self::Start(invocation) => invocation.run(),
            Self::CheckGenerated => generate::check(),
        }
    }
}

impl Stage {
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
    let stage = |name, invocation, fix| Stage {
        name,
        action: Action::Start(invocation),
        fix,
    };
    vec![
        stage(
            "format",
            Invocation::cargo(["xfmt", "--check"]),
            Some("cargo xfmt"),
        ),
        stage("clippy", clippy, None),
        stage("tests", in_memory_where_possible(tests), None),
        stage("docs", docs, None),
        Stage {
            name: "generated",
            action: Action::CheckGenerated,
            fix: Some("cargo xtask gen"),
        },
    ]
}

/// The test run. Nextest is quicker and ends a test that hangs, but takes minutes to install.
fn tests() -> Invocation {
    if Invocation::cargo(["nextest", "--version"]).succeeds() {
        // Half of the time tests wait for processes, locks and time limits.
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get() * 2);
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
    fn a_failure_says_how_to_repeat_and_mend_it() {
        let stage = &stages("agents")[0];
        assert_eq!(
            failure(stage, Duration::from_millis(1500), "exit status: 1"),
            "stage `format` failed after 1.5 s: exit status: 1\n  \
             = repeat: cargo xfmt --check\n  = fix: cargo xfmt"
        );
    }
}
