//! `cargo xtask soak`: checks that are slow to install or slow to run.

use std::path::Path;
use std::time::Instant;

use crate::Command;
use crate::invocation::{Invocation, cache};

pub(crate) const COMMAND: Command = Command {
    name: "soak",
    summary: "Check licences, advisories and sources of dependencies, then run the long crash tests",
    flag: None,
    details: "\
Installs cargo-deny where it is missing, into $SIGNOFF_CI_CACHE/tools (default ~/.cache/signoff-ci),
and reads deny.toml. The crash tests kill the real binary at every named point and at many random
times; SIGNOFF_SOAK=1 asks for their long form. All checks run, whether or not one
before them failed. Where the advisories cannot be fetched, they are reported as not checked.",
    run: |_| run(),
};

/// The version that deny.toml was written for.
const DENY: &str = "0.20.2";

fn run() -> Result<(), String> {
    let deny = deny()?;
    let check = |what: &[&str]| {
        Invocation::new(deny.as_str(), ["--locked", "--all-features", "check"]).args(what)
    };
    let checks = [
        Check {
            name: "dependencies",
            needs: None,
            does: check(&["licenses", "bans", "sources"]),
        },
        Check {
            name: "advisories",
            needs: Some(Invocation::new(deny.as_str(), ["fetch", "db"])),
            does: check(&["advisories"]),
        },
        Check {
            name: "crash tests",
            needs: None,
            does: crash_tests(),
        },
    ];
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for check in &checks {
        let begun = Instant::now();
        let (word, failure) = check.outcome();
        let seconds = begun.elapsed().as_secs_f64();
        lines.push(format!("  {:<13} {word:<12} {seconds:>7.1} s", check.name));
        failed.extend(failure);
    }
    println!("\n{}", lines.join("\n"));
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n  = and: "))
    }
}

struct Check {
    name: &'static str,
    /// Without this the check cannot be made, which is said, and is no failure of ours.
    needs: Option<Invocation>,
    does: Invocation,
}

impl Check {
    fn outcome(&self) -> (&'static str, Option<String>) {
        if let Some(needs) = &self.needs {
            println!("── {}: {needs}", self.name);
            if needs.run().is_err() {
                return ("NOT CHECKED", None);
            }
        }
        println!("── {}: {}", self.name, self.does);
        match self.does.run() {
            Ok(()) => ("ok", None),
            Err(reason) => ("failed", Some(reason)),
        }
    }
}

/// Where cargo-deny is; installs it first if it is nowhere.
fn deny() -> Result<String, String> {
    let is_there = |program: &str| Invocation::new(program, ["--version"]).answers();
    let on_path = "cargo-deny".to_owned();
    if is_there(&on_path) {
        return Ok(on_path);
    }
    let tools = cache()?.join("tools");
    let ours = tools.join("bin/cargo-deny").to_string_lossy().into_owned();
    if !is_there(&ours) {
        install(&tools)?;
    }
    Ok(ours)
}

fn install(tools: &Path) -> Result<(), String> {
    let root = tools.to_string_lossy();
    let install = Invocation::cargo([
        "install",
        "cargo-deny",
        "--version",
        DENY,
        "--locked",
        "--root",
        &root,
    ]);
    println!("── cargo-deny is missing: {install}");
    install.run()
}

// Not nextest: its profiles end a test after a minute, and the figures are printed by the tests.
fn crash_tests() -> Invocation {
    Invocation::cargo([
        "test",
        "--locked",
        "--workspace",
        "--all-features",
        "--test",
        "kill",
        "--",
        "--nocapture",
    ])
    .env("SIGNOFF_SOAK", "1")
}
