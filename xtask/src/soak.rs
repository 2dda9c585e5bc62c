//! `cargo xtask soak`: checks that are slow to install or slow to run.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::time::Instant;

use crate::api_fuzz::Thoroughness;
use crate::generate::build_program;
use crate::invocation::{Invocation, cache};
use crate::{Command, agent_clis, api_fuzz, mcp_conformance};

pub(crate) const COMMAND: Command = Command {
    name: "soak",
    summary: "Check dependencies, run the long crash and generated tests, and fuzz every parser",
    flag: None,
    details: "\
Installs cargo-deny and cargo-fuzz where they are missing, into $SIGNOFF_CI_CACHE/tools (default ~/.cache/signoff-ci),
and reads deny.toml, and five coding agents from npm, 1.3 GB, into $SIGNOFF_CI_CACHE/agents. The crash tests kill the real binary at every named point and at many random
times; SIGNOFF_SOAK=1 asks for their long form. The generated tests run with a seed that no run had
before, and many more cases than usual; the line printed for them repeats a failure. Each fuzzer runs for SIGNOFF_FUZZ_SECONDS (default
60), on the nightly toolchain or else with RUSTC_BOOTSTRAP=1; what it finds joins fuzz/corpus, which the tests replay. All checks run,
whether or not one before them failed. Where the advisories cannot be fetched, they are reported as not checked.",
    run: |_| run(),
};

/// The version that deny.toml was written for.
const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
};
const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
};

/// The targets in `fuzz/fuzz_targets`.
const TARGETS: [&str; 12] = [
    "workunit",
    "thread",
    "proposal",
    "record",
    "toolplan",
    "import",
    "shell",
    "read_only",
    "expression",
    "tests_run",
    "streams",
    "reply",
];

fn run() -> Result<(), String> {
    let agents = agent_clis::install(agent_clis::Selection::All)?;
    let agents = agents.display().to_string();
    let deny = DENY.find()?;
    let check = |what: &[&str]| {
        Invocation::new(deny.as_str(), ["--locked", "--all-features", "check"]).args(what)
    };
    let mut checks = vec![
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
            does: crash_tests(fresh_seed(), &agents),
        },
        Check {
            name: "floods",
            needs: None,
            does: endurance_attacks(),
        },
        Check {
            name: "generated",
            needs: None,
            does: generated_tests(fresh_seed()),
        },
    ];
    let conformance = mcp_conformance::prepare_command(&build_program("signoff")?)?;
    checks.extend(conformance.map(|does| Check {
        name: "mcp suite",
        needs: None,
        does,
    }));
    if let Some(requests) = api_fuzz::prepare_command(Thoroughness::Long)? {
        checks.push(Check {
            name: "api",
            needs: None,
            does: requests,
        });
    }
    let fuzz = FUZZ.find()?;
    let nightly = Invocation::new("rustup", ["run", "nightly", "cargo", "--version"]).succeeds();
    checks.extend(TARGETS.map(|target| Check {
        name: target,
        needs: None,
        does: fuzzer(&fuzz, target, nightly),
    }));
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
    /// Without this the check is skipped, which the report says.
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

/// A cargo subcommand that is installed on demand.
struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// The path of the tool; installs it if it is missing.
    fn find(&self) -> Result<String, String> {
        let is_there = |program: &str| Invocation::new(program, ["--version"]).succeeds();
        if is_there(self.name) {
            return Ok(self.name.to_owned());
        }
        let tools = cache()?.join("tools");
        let ours = tools
            .join("bin")
            .join(self.name)
            .to_string_lossy()
            .into_owned();
        if !is_there(&ours) {
            self.install(&tools)?;
        }
        Ok(ours)
    }

    fn install(&self, tools: &Path) -> Result<(), String> {
        let root = tools.to_string_lossy();
        let install = Invocation::cargo([
            "install",
            self.name,
            "--version",
            self.version,
            "--locked",
            "--root",
            &root,
        ]);
        println!("── {} is missing: {install}", self.name);
        install.run()
    }
}

/// One fuzzer for a while, over its corpus, which it extends. The compiler's sanitizers are unstable: without a nightly
/// toolchain the stable one is told to offer them all the same.
fn fuzzer(tool: &str, target: &str, nightly: bool) -> Invocation {
    let seconds = std::env::var("SIGNOFF_FUZZ_SECONDS").unwrap_or_else(|_| "60".to_owned());
    let limit = format!("-max_total_time={seconds}");
    let fuzzer = Invocation::new(tool, ["fuzz", "run", target, "--"]).args(&[
        &limit,
        "-rss_limit_mb=4096",
        "-timeout=10",
        "-print_final_stats=1",
    ]);
    if nightly {
        fuzzer.started_by("rustup", &["run", "nightly"])
    } else {
        fuzzer.env("RUSTC_BOOTSTRAP", "1")
    }
}

// Not nextest: its profiles end a test after a minute, and the figures are printed by the tests.
fn crash_tests(seed: u64, agents: &str) -> Invocation {
    Invocation::cargo([
        "test",
        "--locked",
        "--package",
        "signoff",
        "--all-features",
        "--no-fail-fast",
        "--test",
        "it",
        "--",
        "--nocapture",
        "crashes::",
        "attacks::attackers::",
        "interleavings::",
        "killed_and_resumed",
        "sharing::chaos::",
        "sharing::conformance::",
        "real_agents::",
        "connected_agents::",
    ])
    .env("SIGNOFF_SOAK", "1")
    .env(agent_clis::VARIABLE, agents)
    .env("PROPTEST_RNG_SEED", seed.to_string())
}

/// The attacks that use up what there is, in their long form.
fn endurance_attacks() -> Invocation {
    Invocation::cargo([
        "test",
        "--locked",
        "--package",
        "signoff-sandbox",
        "--test",
        "it",
        "--",
        "attacks::endurance::",
    ])
    .env("SIGNOFF_SOAK", "1")
}

/// How many cases each generated test tries; those whose cases are large take a share of it.
const CASES: &str = "3000";

/// The packages with generated tests, each with cases that no run had before.
fn generated_tests(seed: u64) -> Invocation {
    Invocation::cargo([
        "test",
        "--locked",
        "--all-features",
        "--no-fail-fast",
        "--package",
        "signoff-plan",
        "--package",
        "signoff-engine",
        "--package",
        "signoff-store",
        "--package",
        "signoff-work",
    ])
    // What is set here stands before `.cargo/config.toml`, which has one seed for every ordinary run.
    .env("PROPTEST_RNG_SEED", seed.to_string())
    .env("PROPTEST_CASES", CASES)
}

fn fresh_seed() -> u64 {
    // The keys of a new hasher are random, and it needs no other crate.
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tests_are_fresh_and_can_be_repeated() {
        assert_ne!(fresh_seed(), fresh_seed());
        let shown = generated_tests(7).to_string();
        assert!(
            shown.starts_with("PROPTEST_RNG_SEED=7 PROPTEST_CASES=3000 cargo test "),
            "{shown}"
        );
    }

    /// A package whose generated tests are left out would only ever see one seed.
    #[test]
    fn every_package_with_generated_tests_is_among_them() {
        let crates = crate::invocation::root().join("crates");
        let shown = format!("{} ", generated_tests(7));
        let whole_runs = crash_tests(7, "agents").to_string();
        for package in std::fs::read_dir(crates).expect("the crates") {
            let package = package.expect("a crate").path();
            let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
            let name = package.file_name().unwrap_or_default().to_string_lossy();
            // Its generated tests are whole runs, and belong to the slow ones.
            let shown = if name == "signoff" {
                &whole_runs
            } else {
                &shown
            };
            let listed = shown.contains(&format!(" --package {name} "));
            assert_eq!(manifest.contains("\nproptest"), listed, "{name}");
        }
    }
}
