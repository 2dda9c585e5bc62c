//! Which changed files have a say in the verdict on the change: what the contract reads, and what
//! configures its runner.
//!
//! Told from names alone, so it is neither complete nor proof. It reports the files that an honest
//! change seldom needs and that a dishonest one would start with.

mod known;
mod named;
mod runners;
mod shadows;

use std::collections::BTreeSet;

use signoff_plan::glob;
use signoff_plan::model::{Contract, Step};
use signoff_plan::shell::{self, Analysis, Script};

use self::known::Role;
use self::named::Named;
use self::runners::Runners;

/// What an attempt changed of that which judges it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeChanged {
    /// Files that the contract reads or that configure its runner, in the order given: a fact beside
    /// the grade, no fault.
    pub reads: Vec<String>,
    /// Those of them that configure the runner although neither `produces` nor the task names them:
    /// a failed attempt. Never test files.
    pub runner_config: Vec<String>,
    /// Those of them that take the place of a module or a program of the runner although `produces`
    /// does not name them: a failed attempt.
    pub shadows: Vec<String>,
}

/// Sorts the files that a step changed by their say in its contract. `changed` holds paths within the
/// workspace, with `/`.
pub fn judge_changed(step: &Step, changed: &[String]) -> JudgeChanged {
    let mut found = JudgeChanged::default();
    let Some(contract) = step.contract.as_ref().filter(|_| !changed.is_empty()) else {
        return found;
    };
    let reading = Reading::new(contract);
    let named = Named::new(step);
    for path in changed {
        if reading.shadows(path) {
            if !named.produces(path) {
                found.shadows.push(path.clone());
            }
            found.reads.push(path.clone());
            continue;
        }
        let role = reading.role(path);
        if role == Some(Role::Configures) && !named.names(path) {
            found.runner_config.push(path.clone());
        }
        if role.is_some() {
            found.reads.push(path.clone());
        }
    }
    found
}

/// What can be told of a contract from its text.
#[derive(Debug)]
struct Reading {
    runners: Runners,
    files: BTreeSet<String>,
    /// Files given by `--config` and the like.
    configuration: BTreeSet<String>,
    /// Patterns over files that it runs.
    patterns: Vec<String>,
    /// Where Python looks for modules first: beside its script, and where it was started.
    directories: Vec<String>,
    /// It may change the directory, so that a path is the end of one.
    moves: bool,
}

impl Reading {
    fn new(contract: &Contract) -> Self {
        let Analysis {
            commands, files, ..
        } = shell::analyse(&contract.command);
        let runners = Runners::of(
            commands.iter().map(|(name, _)| name.as_str()),
            &contract.command,
        );
        let scripts = commands.into_iter().filter(|(name, _)| name.contains('/'));
        let mut run = BTreeSet::new();
        let (mut patterns, mut directories) = (Vec::new(), Vec::new());
        for (script, _) in shell::programs(&contract.command).scripts {
            match script {
                Script::File(path) => {
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    directories.push(folder.to_owned());
                    run.insert(path);
                }
                Script::Pattern(pattern) => patterns.push(pattern),
                Script::Module { directory, name } => {
                    run.extend(module_files(&directory, &name));
                    directories.push(directory);
                }
                Script::Unknown(_) => {}
            }
        }
        let named = scripts.chain(files);
        Self {
            runners,
            files: named
                .map(|(path, _)| plain(&path).to_owned())
                .chain(run)
                .collect(),
            patterns,
            directories,
            configuration: given_as_configuration(&contract.command),
            moves: contract
                .command
                .split_whitespace()
                .any(|word| matches!(word, "cd" | "pushd" | "-C")),
        }
    }

    fn shadows(&self, path: &str) -> bool {
        shadows::shadows(plain(path), &self.runners, &self.directories)
    }

    fn role(&self, path: &str) -> Option<Role> {
        let path = plain(path);
        if self.is_among(&self.configuration, path) {
            return Some(Role::Configures);
        }
        let known = known::role(path, &self.runners);
        match known {
            None if self.is_among(&self.files, path) => Some(Role::Read),
            None if self.patterns.iter().any(|one| glob::matches(one, path)) => Some(Role::Read),
            _ => known,
        }
    }

    fn is_among(&self, files: &BTreeSet<String>, path: &str) -> bool {
        files.contains(path)
            || (self.moves
                && path
                    .match_indices('/')
                    .any(|(at, _)| path.get(at + 1..).is_some_and(|end| files.contains(end))))
    }
}

/// The values of `--config FILE` and `--config=FILE`, for every option of such a name.
// Long options only: `-c` and `-f` mean something else in every other command.
fn given_as_configuration(command: &str) -> BTreeSet<String> {
    const OPTIONS: [&str; 5] = [
        "--config",
        "--config-file",
        "--rcfile",
        "--makefile",
        "--require",
    ];
    let bare = |word: &str| plain(word.trim_matches(['"', '\'', ';', ')'])).to_owned();
    let mut found = BTreeSet::new();
    let mut words = command.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((option, value)) if OPTIONS.contains(&option) => {
                found.insert(bare(value));
            }
            None if OPTIONS.contains(&word) => found.extend(words.peek().map(|value| bare(value))),
            Some(_) | None => {}
        }
    }
    found
}

/// The files that a Python module may be.
fn module_files(directory: &str, name: &str) -> [String; 3] {
    let path = name.replace('.', "/");
    let path = if directory.is_empty() {
        path
    } else {
        format!("{directory}/{path}")
    };
    [
        format!("{path}.py"),
        format!("{path}/__main__.py"),
        format!("{path}/__init__.py"),
    ]
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
