//! Everything a newcomer reads is true: every command line in the docs is run, in the order of the
//! page, and prints what the page says. CONTRIBUTING.md describes how examples are written.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_stub::{Reply, Script, Stub};
use signoff_testkit::transcript::{self, Example, Fence};
use signoff_testkit::{Output, Project};

use crate::support::test_agents::{SYSTEM_PATH, installed};

/// Commands that stand in the docs and are not run, with the reason.
const NOT_RUN: [(&str, &str); 1] = [(
    "cargo xfmt",
    "it rewrites this repository; `cargo xtask test` runs its `--check`",
)];

/// What an example must not do, for it would leave the project it runs in.
const OUTSIDE: [&str; 6] = ["cargo ", "rustup ", "git clone ", "curl ", "wget ", "sudo "];

const SHELLS: [&str; 5] = ["sh", "bash", "shell", "zsh", "shell-session"];

#[test]
fn every_command_line_in_the_docs_runs() {
    let pages = pages(&root());
    let problems: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(|| problems_of(page)))
            .collect();
        let found = running
            .into_iter()
            .map(|page| page.join().expect("no panic"));
        found.flatten().collect()
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n\n"));
}

// At run time: a shared target directory may hold a test that another clone compiled.
fn root() -> PathBuf {
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let root = Path::new(&package).join("../..");
    fs::canonicalize(root).expect("the package is in the workspace")
}

/// Every markdown file that a user or contributor reads.
fn pages(root: &Path) -> Vec<PathBuf> {
    let readme = root.join("README.md");
    assert!(readme.is_file(), "there is no {}", readme.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(root).expect("a readable folder") {
        found.push(entry.expect("a readable entry").path());
    }
    collect(&root.join("docs"), &mut found);
    // It needs a database and machines: `sharing/page.rs` types it.
    found.retain(|path| !path.ends_with("docs/many-machines.md"));
    found.retain(|path| path.is_file() && path.extension().is_some_and(|ending| ending == "md"));
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    // Design notes show what is not built yet; schemas are no prose; examples are plans, and stand
    // on the pages of their checks.
    let passed_over = ["docs/design", "docs/schemas", "docs/checks/examples"];
    if passed_over.iter().any(|other| folder.ends_with(other)) {
        return;
    }
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn problems_of(page: &Path) -> Vec<String> {
    let root = root();
    let name = page.strip_prefix(&root).unwrap_or(page).display();
    let markdown = fs::read_to_string(page).expect("UTF-8 text");
    let (mut reader, _model) = match agent_of(page) {
        Some(agent) => match Reader::with_agent(&agent) {
            Some(with_model) => with_model,
            None => return Vec::new(),
        },
        None => (Reader::new(), None),
    };
    if let Err(problem) = reader.read(&markdown) {
        reader.problems.push(problem);
    }
    let named = |problem: String| format!("{name}: {problem}");
    reader.problems.into_iter().map(named).collect()
}

/// The agent that a page is about, or that it uses.
fn agent_of(page: &Path) -> Option<String> {
    let name = match page.file_stem()?.to_str()? {
        "acp" => "gemini",
        name => name,
    };
    let is_of_agent = page.parent()?.ends_with("docs/agents");
    is_of_agent.then(|| name.to_owned())
}

/// Somebody who types what a page says, in one project from its first line to its last.
struct Reader {
    project: Project,
    directory: PathBuf,
    problems: Vec<String>,
}

impl Reader {
    fn new() -> Self {
        let project = Project::new(env!("CARGO_BIN_EXE_signoff")).confined();
        Self {
            directory: project.path(),
            project,
            problems: Vec::new(),
        }
    }

    /// The same with a real agent, and the model that it talks to; `None` where the agent is not installed.
    fn with_agent(agent: &str) -> Option<(Self, Option<Stub>)> {
        let programs = installed(agent)?;
        let work = Reply::Shell {
            command: "echo 'Hello, world' > greeting.txt".to_owned(),
        };
        let said = Reply::Text("I wrote the greeting.".to_owned());
        let stub = Stub::start(Script::new([work, said])).expect("a port on loopback");
        let settings = stub.client_settings(agent).expect("a known agent");
        let mut project = Project::new(env!("CARGO_BIN_EXE_signoff")).confined();
        for (file, text) in settings.files {
            let path = project.home().join(file);
            fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
            fs::write(path, text).expect("a home");
        }
        for (name, value) in settings.variables {
            project = project.env(name, value);
        }
        let own = project.path().with_file_name("bin");
        let path = format!("{}:{}:{SYSTEM_PATH}", own.display(), programs.display());
        let project = project.env("PATH", path);
        let reader = Self {
            directory: project.path(),
            project,
            problems: Vec::new(),
        };
        Some((reader, Some(stub)))
    }

    fn read(&mut self, markdown: &str) -> Result<(), String> {
        let document = transcript::scan(markdown)?;
        for fence in document.fences.iter().filter(|fence| !fence.literal) {
            self.follow(fence)?;
        }
        for (line, text) in &document.prose {
            for command in mentioned(text) {
                let help = self.project.signoff([command, "--help"]);
                if help.code != Some(0) {
                    let problem = format!("line {line}: there is no command `signoff {command}`");
                    self.problems.push(problem);
                }
            }
        }
        Ok(())
    }

    fn follow(&mut self, fence: &Fence) -> Result<(), String> {
        if let Some(file) = fence.file() {
            self.project.write(self.directory.join(file), &fence.text);
        } else if fence.language() == "console" {
            for example in transcript::examples(fence)? {
                self.run(&example);
            }
        } else if SHELLS.contains(&fence.language()) {
            return Err(format!(
                "line {}: write `console` and `$ ` instead of `{}`, so that it is tested",
                fence.line,
                fence.language()
            ));
        }
        Ok(())
    }

    fn run(&mut self, example: &Example) {
        let at = format!("line {}: `{}`", example.line, example.command);
        match typed(&example.command) {
            Typed::NotRun => {}
            Typed::Refused(reason) => self.problems.push(format!("{at} {reason}")),
            Typed::Run(line) => {
                let output = self.bash(&line);
                if output.code != Some(example.code) {
                    let wanted = example.code;
                    self.problems
                        .push(format!("{at} should exit with {wanted}\n{output}"));
                } else if let Some(expected) = &example.output
                    && !transcript::matches(expected, &output.stdout)
                {
                    self.problems.push(format!(
                        "{at} does not print what the page says\nthe page:\n{}\nprinted:\n{}",
                        expected.join("\n"),
                        output.stdout
                    ));
                }
            }
        }
    }

    /// Runs a line as a terminal would: one stream of output, and `cd` lasts.
    fn bash(&mut self, line: &str) -> Output {
        let file = self.project.outside("directory");
        let script = format!(
            "exec 2>&1\n{line}\ncode=$?\npwd > '{}'\nexit $code",
            file.display()
        );
        let output = self.project.bash(&script, &self.directory);
        if let Ok(directory) = fs::read_to_string(file) {
            self.directory = directory.trim_end().into();
        }
        output
    }
}

enum Typed {
    Run(String),
    NotRun,
    Refused(String),
}

/// What becomes of a command line.
fn typed(command: &str) -> Typed {
    if NOT_RUN.iter().any(|(line, _)| command.starts_with(line)) {
        return Typed::NotRun;
    }
    if let Some(xtask) = command.strip_prefix("cargo xtask ") {
        let name = xtask.split_whitespace().next().unwrap_or_default();
        return if is_xtask(name) {
            Typed::NotRun
        } else {
            Typed::Refused("names no command of xtask".to_owned())
        };
    }
    let line = command.replace("cargo run --release -- ", "signoff ");
    match OUTSIDE.iter().find(|outside| line.contains(**outside)) {
        Some(outside) => Typed::Refused(format!("uses `{}`: see `NOT_RUN`", outside.trim())),
        None => Typed::Run(line),
    }
}

/// Each command of xtask states its name in its own source file.
fn is_xtask(name: &str) -> bool {
    let sources = fs::read_dir(root().join("xtask/src")).expect("xtask has sources");
    let line = format!("name: \"{name}\",");
    sources
        .filter_map(Result::ok)
        .filter_map(|entry| fs::read_to_string(entry.path()).ok())
        .any(|source| source.contains(&line))
}

/// Commands that a line of prose names as `signoff COMMAND …`.
fn mentioned(prose: &str) -> Vec<&str> {
    prose
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.strip_prefix("signoff ")?.split_whitespace().next())
        .filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .filter(|word| !word.starts_with('-'))
        .collect()
}

#[track_caller]
fn check(markdown: &str, problem: &str) {
    let mut reader = Reader::new();
    if let Err(problem) = reader.read(markdown) {
        reader.problems.push(problem);
    }
    let problems = reader.problems.join("\n");
    let fits = match problem {
        "" => problems.is_empty(),
        _ => problems.contains(problem),
    };
    assert!(fits, "{markdown}\n{problems}");
}

#[test]
fn an_example_is_run_and_compared() {
    check("```console\n$ echo yes\nyes\n```\n", "");
    check("```console\n$ echo no\nyes\n```\n", "what the page says");
    check("```console\n$ echo no >&2\nno\n```\n", "");
    check("```console\n$ false\n```\n", "should exit with 0");
    check("```console\n$ exit 3\n? 3\n```\n", "");
    check(
        "```console\n$ cargo run --release -- --version\nsignoff [..]\n```\n",
        "",
    );
}

#[test]
fn a_page_is_one_session() {
    check(
        "```text file=sub/a.txt\nhello\n```\n\n```console\n$ cd sub\n```\n\n\
         ```console\n$ cat a.txt\nhello\n```\n",
        "",
    );
}

#[test]
fn nothing_escapes() {
    check("```sh\nls\n```\n", "write `console`");
    check("````markdown\n```sh\nls\n```\n````\n", "");
    check("```console\n$ cargo install x\n```\n", "see `NOT_RUN`");
    check("```console\n$ git clone x\n```\n", "see `NOT_RUN`");
    check("```console\n$ cargo xtask test\n```\n", "");
    check(
        "```console\n$ cargo xtask tset\n```\n",
        "no command of xtask",
    );
    check(
        "Type `signoff frobnicate FILE`.\n",
        "no command `signoff frobnicate`",
    );
    check("Type `signoff COMMAND` or `signoff --help`.\n", "");
}
