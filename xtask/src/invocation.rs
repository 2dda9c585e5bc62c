//! A program to start: run in the root of the workspace, and printed so that a person can repeat it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program with its arguments and the variables set for it.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    program: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Invocation {
    pub(crate) fn new<const N: usize>(program: impl Into<String>, args: [&str; N]) -> Self {
        Self {
            program: program.into(),
            args: args.map(str::to_owned).to_vec(),
            env: Vec::new(),
        }
    }

    pub(crate) fn cargo<const N: usize>(args: [&str; N]) -> Self {
        Self::new("cargo", args)
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Another program that starts this one: its words follow the other's.
    pub(crate) fn started_by(mut self, program: &str, args: &[&str]) -> Self {
        let started = std::mem::replace(&mut self.program, program.to_owned());
        let before = args.iter().map(|&arg| arg.to_owned());
        self.args.splice(0..0, before.chain([started]));
        self
    }

    /// Runs it with our own input and output; an exit code other than 0 is an error.
    pub(crate) fn run(&self) -> Result<(), String> {
        let status = self
            .command()
            .status()
            .map_err(|error| self.start_error(&error))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{self}` ended with {status}"))
        }
    }

    /// Runs it without input; what it printed, and whether it succeeded.
    pub(crate) fn run_captured(&self) -> (String, Result<(), String>) {
        let output = match self.command().stdin(Stdio::null()).output() {
            Ok(output) => output,
            Err(error) => return (String::new(), Err(self.start_error(&error))),
        };
        let said = [output.stdout, output.stderr].concat();
        let result = if output.status.success() {
            Ok(())
        } else {
            Err(format!("`{self}` ended with {}", output.status))
        };
        (String::from_utf8_lossy(&said).into_owned(), result)
    }

    /// What it printed on stdout; its stderr is ours.
    pub(crate) fn stdout(&self) -> Result<String, String> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.start_error(&error))?;
        if !output.status.success() {
            return Err(format!("`{self}` ended with {}", output.status));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| format!("`{self}` printed what is not UTF-8 text"))
    }

    /// Does it start and succeed? Tells whether a tool is installed.
    pub(crate) fn succeeds(&self) -> bool {
        self.command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Cargo tells us about our own package. A build script that looks at that (`ring`'s) would run again, and all that
        // needs it be built again, whenever somebody changes between `cargo xtask` and `cargo`, or to another clone.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(root());
        command
    }

    fn start_error(&self, error: &std::io::Error) -> String {
        format!("`{}` cannot be started: {error}", self.program)
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(f, "{name}={} ", quote(value))?;
        }
        write!(f, "{}", quote(&self.program))?;
        for arg in &self.args {
            write!(f, " {}", quote(arg))?;
        }
        Ok(())
    }
}

/// The word as a shell reads it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Root of the workspace.
// The variable first: a target directory shared by several clones may hold an xtask that was
// compiled in another one.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_owned)
}

/// Where tools and build results live that outlast one clone; `.ci/run` uses the same place.
pub(crate) fn cache() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("SIGNOFF_CI_CACHE") {
        return Ok(PathBuf::from(path));
    }
    let home = std::env::var_os("HOME").ok_or("neither SIGNOFF_CI_CACHE nor HOME is set")?;
    Ok(Path::new(&home).join(".cache/signoff-ci"))
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    let own = || root().join("target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(own, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_a_shell_can_repeat() {
        let doc = Invocation::cargo(["doc", "it's", ""]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            doc.to_string(),
            r"RUSTDOCFLAGS='-D warnings' cargo doc 'it'\''s' ''"
        );
    }

    #[test]
    fn another_program_can_start_it() {
        let date = Invocation::new("date", ["-u"]).env("TZ", "UTC");
        assert_eq!(
            date.started_by("nice", &["-n", "5"]).to_string(),
            "TZ=UTC nice -n 5 date -u"
        );
    }

    #[test]
    fn what_cargo_says_of_this_package_is_not_passed_on() {
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
        let variables = Invocation::new("env", []).stdout().unwrap();
        let of_package =
            |line: &&str| line.starts_with("CARGO_PKG_") || line.starts_with("CARGO_MANIFEST_");
        assert_eq!(variables.lines().find(of_package), None);
    }

    #[test]
    fn tells_failure_from_absence() {
        assert!(Invocation::new("true", []).succeeds());
        assert!(!Invocation::new("false", []).succeeds());
        let failed = Invocation::new("false", []).run().unwrap_err();
        assert!(failed.contains("ended with exit status: 1"), "{failed}");
        let absent = Invocation::new("no-such-program", []).run().unwrap_err();
        assert!(absent.contains("cannot be started"), "{absent}");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("xtask/Cargo.toml").is_file());
    }
}
