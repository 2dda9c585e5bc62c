//! Programs and modules that a contract misses: then its failure says nothing about the work.

use signoff_plan::model::{Step, Work};
use signoff_plan::shell::{Invocation, analyse};

use super::{Observation, ProcessEnd};
use crate::contract_inputs::is_runner;

/// Something that a contract needs and did not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// The line that says so.
    pub line: String,
    pub kind: MissingKind,
}

/// What kind of thing a contract misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKind {
    /// A command that is on no PATH. PATH has no entry inside the project, so no work of a step can bring it.
    Command,
    /// A module or subcommand that was to be run.
    Runner,
    /// A module that the running program wanted to load.
    Import,
}

/// How a line begins that the harness adds to what a contract printed.
pub const HARNESS_NOTE: &str = "signoff: ";

/// Words that announce something that exists elsewhere and has to be present.
const BRINGING: [&str; 2] = ["install", "dependenc"];

impl Missing {
    /// The contract could not judge at all, because what judges is missing.
    pub fn is_program(&self) -> bool {
        self.kind != MissingKind::Import
    }

    /// Does the plan say that the step's work provides it? Then it is expected to be missing before the work.
    pub(crate) fn is_brought_by(&self, step: &Step) -> bool {
        let Work::Agent { task, .. } = &step.work else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let words = |text: &str| {
            let words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect::<Vec<String>>()
        };
        let task = words(task);
        let is_named_there = task.contains(&self.name.to_lowercase());
        let installs = || {
            let brings = |word: &String| BRINGING.iter().any(|stem| word.starts_with(stem));
            task.iter().any(brings)
        };
        let produced = |pattern: &String| is_named(pattern, &self.name);
        step.produces.iter().any(produced)
            || is_named_there && (installs() || !self.is_known_runner())
    }

    /// Is it a test runner? Then a task that names it wants it used, not written.
    fn is_known_runner(&self) -> bool {
        let is_of_cargo = || is_runner(&format!("cargo-{}", self.name));
        self.kind == MissingKind::Command || is_runner(&self.name) || is_of_cargo()
    }

    /// Does the step's contract itself start it, while no work of the step can provide it? Then no further attempt is
    /// judged better. What other programs start may be the work's own choice.
    pub(crate) fn is_out_of_reach(&self, step: &Step) -> bool {
        let Some(contract) = &step.contract else {
            return false;
        };
        let text = analyse(&contract.command);
        let starts = |invocation: &Invocation| match self.kind {
            MissingKind::Command => !text.changes_path && invocation.program == self.name,
            MissingKind::Runner => self.is_known_runner() && names(invocation, &self.name),
            MissingKind::Import => false,
        };
        text.programs.invocations.iter().any(starts) && !self.is_brought_by(step)
    }

    /// Is it one of these changed files? Then the contract's failure was about the work.
    pub(crate) fn is_among(&self, changed: &[String]) -> bool {
        let is_it = |path: &String| is_named(path, &self.name);
        self.kind != MissingKind::Command && changed.iter().any(is_it)
    }
}

impl Observation {
    /// What a contract that failed did not find, if it says so at its end.
    pub fn missing_program_or_module(&self) -> Option<Missing> {
        let could_start = match self.ended {
            ProcessEnd::Exited(0)
            | ProcessEnd::Signaled(_)
            | ProcessEnd::TimedOut
            | ProcessEnd::OverBudget
            | ProcessEnd::NotStarted(_) => return None,
            ProcessEnd::Exited(code) => !matches!(code, 126 | 127),
        };
        let last = self.last_words()?;
        let command = missing_command(last).map(|name| (MissingKind::Command, name, last));
        let runner = || Some((MissingKind::Runner, missing_runner(last)?, last));
        // A runner goes on after an import that failed.
        let lines = || self.stdout.lines().chain(self.stderr.lines());
        let import = || {
            lines()
                .rev()
                .find_map(|line| Some((MissingKind::Import, missing_import(line)?, line.trim())))
        };
        let loaded = || runner().or_else(import).filter(|_| could_start);
        let (kind, name, line) = command.or_else(loaded)?;
        Some(Missing {
            name: name.to_owned(),
            line: line.to_owned(),
            kind,
        })
    }

    /// The line in which a contract says that it did not find a program, however it ended: `! check` and `if check` take that
    /// for an answer.
    pub fn missed_program(&self) -> Option<&str> {
        let mut lines = self.stderr.lines().map(str::trim);
        lines.find(|line| {
            missing_command(line)
                .or_else(|| missing_runner(line))
                .is_some()
        })
    }

    /// The last line that a contract printed, of its complaints where it has some.
    pub fn last_words(&self) -> Option<&str> {
        last_line(&self.stderr).or_else(|| last_line(&self.stdout))
    }
}

/// Is a program told to run a module or subcommand of this name?
fn names(invocation: &Invocation, name: &str) -> bool {
    let mut arguments = invocation.arguments.iter().flatten();
    arguments.any(|argument| argument.strip_prefix("-m").unwrap_or(argument) == name)
}

fn last_line(text: &str) -> Option<&str> {
    // npm ends with a notice about itself.
    let is_news = |line: &str| line.starts_with("npm notice") || line.starts_with(HARNESS_NOTE);
    let says = |line: &&str| !line.is_empty() && !is_news(line);
    let mut lines = text.lines().map(str::trim).filter(says);
    let last = lines.next_back()?;
    let telling = match last {
        _ if last.starts_with("Node.js v") => lines.rfind(|line| names_error(line)),
        _ if repeats_failure(last) => lines.rfind(|line| !repeats_failure(line)),
        _ => None,
    };
    Some(telling.unwrap_or(last))
}

/// Is it the line of an exception that Node.js did not catch? Its calls, its members and the version follow.
fn names_error(line: &str) -> bool {
    let name = line.split([':', ' ']).next();
    name.is_some_and(|name| name.ends_with("Error"))
}

/// Is it make's last line after a failed command?
fn repeats_failure(line: &str) -> bool {
    line.starts_with("make") && line.contains(": *** [")
}

/// The command that a shell or make says it did not find. A path is a file, which the work may have to make.
fn missing_command(line: &str) -> Option<&str> {
    let said_by_shell = || {
        line.strip_suffix(": command not found")
            .and_then(after_colon)
    };
    let said_by_sh = || {
        let rest = line.strip_suffix(": not found")?;
        let shell = rest.split(':').next()?.rsplit('/').next()?;
        let is_shell = matches!(shell, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh");
        is_shell.then(|| after_colon(rest)).flatten()
    };
    let said_by_zsh = || {
        line.rsplit_once("command not found: ")
            .map(|(_, name)| name)
    };
    let said_by_make = || {
        let rest = line.strip_suffix(": No such file or directory")?;
        rest.starts_with("make")
            .then(|| after_colon(rest))
            .flatten()
    };
    let name = said_by_shell()
        .or_else(said_by_sh)
        .or_else(said_by_zsh)
        .or_else(said_by_make)?;
    is_plain(name).then_some(name)
}

/// What Python or cargo says it was to run and did not find.
fn missing_runner(line: &str) -> Option<&str> {
    let said_by_python = || {
        let (before, name) = line.split_once(": No module named ")?;
        let program = before.rsplit('/').next()?;
        // An import that fails has its name in quotes, and no program before it.
        let is_python = program.starts_with("python") || program.starts_with("pypy");
        is_python.then_some(name)
    };
    let said_by_cargo = || {
        let name = line.strip_prefix("error: no such command: `")?;
        name.strip_suffix('`')
    };
    let name = said_by_python().or_else(said_by_cargo)?;
    is_plain(name).then_some(name)
}

/// The module that an import of Python's did not find; of `a.b` it is `b`.
fn missing_import(line: &str) -> Option<&str> {
    let name = line.split_once("ModuleNotFoundError: No module named '")?.1;
    let name = name.split('\'').next()?;
    let name = name.rsplit('.').next()?;
    is_plain(name).then_some(name)
}

fn after_colon(text: &str) -> Option<&str> {
    text.rsplit(": ").next()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', ' ', '\''])
}

/// Is this changed file what was missing: the program, the module or its package?
fn is_named(path: &str, missing: &str) -> bool {
    let (directories, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem == missing || directories.split('/').any(|part| part == missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(code: i32, stdout: &str, stderr: &str) -> Observation {
        Observation {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            ..Observation::new(ProcessEnd::Exited(code))
        }
    }

    #[track_caller]
    fn check(stderr: &str, expected: Option<(&str, MissingKind)>) {
        let missing = observed(1, "", stderr).missing_program_or_module();
        let found = missing.as_ref().map(|one| (one.name.as_str(), one.kind));
        assert_eq!(found, expected, "{stderr}");
    }

    #[test]
    fn what_is_missing_is_read_from_what_was_printed() {
        check(
            "/usr/bin/python3: No module named pytest\n",
            Some(("pytest", MissingKind::Runner)),
        );
        check(
            "bash: line 1: pytest: command not found",
            Some(("pytest", MissingKind::Command)),
        );
        check(
            "/bin/sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127\n",
            Some(("jest", MissingKind::Command)),
        );
        check(
            "make: pytest: No such file or directory\nmake: *** [Makefile:2: t] Error 127",
            Some(("pytest", MissingKind::Command)),
        );
        check(
            "zsh:1: command not found: tox",
            Some(("tox", MissingKind::Command)),
        );
        check(
            "error: no such command: `nextest`\n",
            Some(("nextest", MissingKind::Runner)),
        );
        check(
            "E   ModuleNotFoundError: No module named 'requests'",
            Some(("requests", MissingKind::Import)),
        );
        check(
            "ModuleNotFoundError: No module named 'app.calc'",
            Some(("calc", MissingKind::Import)),
        );
        check(
            "E   ModuleNotFoundError: No module named 'calc'\n1 error in 0.1s",
            Some(("calc", MissingKind::Import)),
        );
    }

    #[test]
    fn other_failures_and_paths_are_no_missing_programs() {
        check("bash: line 1: ./check.sh: command not found", None);
        check(
            "bash: line 1: pytest: command not found\nassertion failed",
            None,
        );
        check("AssertionError: 404: not found", None);
        check("cat: a.txt: No such file or directory", None);
        check("", None);
        assert_eq!(
            observed(0, "", "bash: x: command not found").missing_program_or_module(),
            None
        );
    }

    #[test]
    fn the_last_words_are_complaints_or_else_output() {
        assert_eq!(observed(1, "out\n", "").last_words(), Some("out"));
        assert_eq!(observed(1, "out\n", "bad\n\n").last_words(), Some("bad"));
        assert_eq!(observed(1, "", " \n").last_words(), None);
        let news = "npm notice\nnpm notice New version of npm available!\n";
        assert_eq!(
            observed(1, "1 failing\n", news).last_words(),
            Some("1 failing")
        );
        let check = |stderr: &str, expected: &str| {
            assert_eq!(observed(1, "", stderr).last_words(), Some(expected));
        };
        let unmade = "make: *** No rule to make target 'all'.  Stop.";
        check(unmade, unmade);
        let alone = "make: *** [Makefile:2: all] Error 1";
        check(alone, alone);
        check(&format!("bad\n{alone}\n{alone}\n"), "bad");
        check(
            "  throw err;\n\nError: Cannot find module 'x'\nRequire stack:\n- /a.js\n    at f (a.js:1:2) {\n  code: 'NO'\n}\n\nNode.js v20.20.2\n",
            "Error: Cannot find module 'x'",
        );
    }

    #[test]
    fn a_file_has_the_name_of_what_was_missing() {
        for (path, expected) in [
            ("calc.py", true),
            ("src/calc/__init__.py", true),
            ("bin/calc", true),
            ("src/calculator.py", false),
            ("calc.config.js", false),
            ("requirements.txt", false),
        ] {
            assert_eq!(is_named(path, "calc"), expected, "{path}");
        }
    }

    #[test]
    fn a_contract_that_holds_may_have_missed_a_program() {
        let said = |stderr: &str| observed(0, "", stderr).missed_program().map(str::to_owned);
        let line = "check.sh: line 2: jqq: command not found";
        assert_eq!(said(&format!("{line}\nfine\n")).as_deref(), Some(line));
        let line = "/usr/bin/python3: No module named frobjq";
        assert_eq!(said(line).as_deref(), Some(line));
        assert_eq!(said("2 passed\n"), None);
    }

    #[test]
    fn a_plan_says_what_a_step_is_to_bring() {
        let brought = |stderr: &str, task: &str, produces: &[&str]| {
            let missing = observed(1, "", stderr)
                .missing_program_or_module()
                .expect("it says so");
            let mut step = Step::new("s".to_owned(), 1);
            step.work = Work::Agent {
                role: None,
                task: task.to_owned(),
            };
            step.produces = produces.iter().map(|&one| one.to_owned()).collect();
            missing.is_brought_by(&step)
        };
        let pytest = "/usr/bin/python3: No module named pytest";
        assert!(!brought(pytest, "Make `python -m pytest` pass.", &[]));
        assert!(!brought(pytest, "Fix the bug.", &["src/**"]));
        assert!(brought(pytest, "Install pytest, then use it.", &[]));
        assert!(brought(pytest, "Use it.", &["vendor/pytest/**"]));
        let own = "/usr/bin/python3: No module named checker";
        assert!(brought(own, "Write the module `checker`.", &[]));
        assert!(brought(own, "Write it.", &["checker.py"]));
        assert!(!brought(own, "Write it.", &[]));
        let command = "bash: line 1: frob: command not found";
        assert!(!brought(command, "Make frob pass.", &[]));
        assert!(brought(command, "Add the dependency frob.", &[]));
    }

    #[test]
    fn no_work_brings_a_command_that_is_on_no_path() {
        let changed = ["bin/frob".to_owned(), "frob.py".to_owned()];
        let brought = |stderr: &str| {
            let missing = observed(1, "", stderr)
                .missing_program_or_module()
                .expect("it says so");
            missing.is_among(&changed)
        };
        assert!(brought("python3: No module named frob"));
        assert!(brought("ModuleNotFoundError: No module named 'frob'"));
        assert!(!brought("bash: line 1: frob: command not found"));
        // A contract that did not end by itself gave no answer, whatever it printed.
        for ended in [ProcessEnd::Exited(127), ProcessEnd::TimedOut] {
            let import = "ModuleNotFoundError: No module named 'frob'\n";
            let cut_off = Observation {
                stderr: import.to_owned(),
                ..Observation::new(ended)
            };
            assert_eq!(cut_off.missing_program_or_module(), None);
        }
    }
}
