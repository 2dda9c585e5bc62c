//! Makes command lines of programs, options and operands, those that do harm included.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use signoff_plan::shell::read_only_programs;

use crate::read_only::world::World;

/// Programs that wait, ask other machines by their nature, or keep files of their own outside the project.
const APART: [&str; 26] = [
    "sleep",
    "yes",
    "top",
    "curl",
    "wget",
    "gh",
    "npm",
    "cargo",
    "rustup",
    // Where rustup is, these are rustup, which sets up its home.
    "rustc",
    "rustdoc",
    "pip",
    "pip3",
    "docker",
    "kubectl",
    "podman",
    "helm",
    "brew",
    "conda",
    "go",
    "dotnet",
    "apt",
    "apt-cache",
    "gem",
    "lsof",
    "uv",
];

const VALUES: [&str; 16] = [
    "out",
    "in.txt",
    "b.txt",
    "-",
    "3",
    "touch out",
    "sh",
    "src",
    "/dev/null",
    "%output{out}",
    "a.tar",
    "HEAD",
    "x=1",
    "script.sed",
    "script.awk",
    "always",
];

const OPERANDS: [&str; 40] = [
    "in.txt",
    "b.txt",
    "src",
    ".",
    "*",
    "./*",
    "HEAD",
    "main",
    "a.json",
    "a.tar",
    "b.txt.gz",
    "a.zip",
    "out",
    "-",
    "--",
    "+3",
    "v1",
    "'w out'",
    "'s/a/b/w out'",
    "'1e touch out'",
    "'s/.*/touch out/e'",
    "-n '1,2p'",
    "'$!N;p'",
    "'{print > \"out\"}'",
    "'{print $1}'",
    "'BEGIN {system(\"touch out\")}'",
    "'.a'",
    "-delete",
    "-exec touch out \\;",
    "-name '*.rs'",
    "-fprint out",
    "-type f",
    "tf",
    "xf",
    "show",
    "list",
    "\"$HOME\"",
    "$HOME/x",
    "name",
    "a b",
];

const OPTIONS: [&str; 34] = [
    "-o out",
    "-oout",
    "--output=out",
    "--outp=out",
    "--output out",
    "-i",
    "-I",
    "--in-place",
    "-O out",
    "-w out",
    "-f script.sed",
    "-f script.awk",
    "-x touch out",
    "--exec=touch",
    "--pre=touch",
    "-T .",
    "-R",
    "-d",
    "-D",
    "-c",
    "-C src",
    "-l",
    "-p",
    "-r",
    "--list",
    "--pager='touch out'",
    "--ext-diff",
    "-c core.pager='touch out'",
    "-v",
    "-n",
    "-e p",
    "-E",
    "--help",
    "--version",
];

const JOINTS: [&str; 12] = [
    " ; ",
    " && ",
    " | ",
    " || ",
    "\n",
    " | ",
    " & ",
    " ; ",
    " |& ",
    " | xargs ",
    " > out ; ",
    " && ! ",
];

/// What stands in conditions: operators, what `sh` takes for its own, and operands that shells calculate or run.
const CONDITION_WORDS: [&str; 30] = [
    "-f",
    "-n",
    "-z",
    "-v",
    "-R",
    "!",
    "=",
    "==",
    "!=",
    "=~",
    "-eq",
    "-lt",
    "-nt",
    "<",
    ">",
    "&&",
    "||",
    "-a",
    "-o",
    "(",
    ")",
    "in.txt",
    "out",
    "touch",
    "1",
    "x",
    "\"$HOME\"",
    "$x",
    "a[$(touch out)]",
    "'a[$(touch out)]'",
];

/// What prints the id of a commit, and what only looks like it.
const COMMITS: [&str; 10] = [
    "git merge-base HEAD main",
    "git merge-base --all HEAD other",
    "git merge-base --fork-point main",
    "git rev-parse HEAD",
    "git rev-parse --verify --short v1",
    "git rev-parse --git-dir",
    "git rev-parse --sq-quote --output=out",
    "git rev-parse -- --output=out",
    "git log -1 --format=--output=out",
    "git merge-base HEAD main; touch out",
];

/// Makes lines at random.
pub(crate) struct Lines {
    runner: TestRunner,
    programs: Vec<String>,
    /// The long options that each program names in its help.
    help: BTreeMap<String, Vec<String>>,
}

impl Lines {
    /// For the programs that are installed.
    pub(crate) fn new(world: &World) -> Self {
        let mut programs = read_only_programs();
        programs.retain(|name| !APART.contains(&first_word(name)));
        let firsts: Vec<&str> = programs.iter().map(|name| first_word(name)).collect();
        let ask = format!(
            "for p in {}; do type -p \"$p\" > /dev/null && echo \"$p\"; done",
            firsts.join(" ")
        );
        let installed = world.run(&ask, 0);
        let built_in = [
            "echo", "cd", "printf", "test", "read", "type", "command", "set", "exit", "pushd",
        ];
        programs.retain(|name| {
            let first = first_word(name);
            built_in.contains(&first) || installed.lines().any(|line| line == first)
        });
        let help = long_options(world, &programs, &built_in);
        Self {
            runner: TestRunner::new(Config {
                failure_persistence: None,
                ..Config::default()
            }),
            programs,
            help,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (0..end).new_tree(&mut self.runner).unwrap().current()
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        let at = self.below(words.len());
        words.get(at).copied().unwrap()
    }

    /// The next line: mostly one command, sometimes several.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = self.command();
        while self.below(4) == 0 {
            line += self.pick(&JOINTS);
            line += &self.command();
        }
        match self.below(12) {
            0 => format!("echo $({line})"),
            1 => format!("echo \"`{line}`\""),
            2 => format!("for f in in.txt out; do {line}\ndone"),
            3 => format!("cat <<E\n$({line})\nE"),
            4 => format!("cat <({line})"),
            _ => line,
        }
    }

    /// `[[ … ]]` and its like.
    fn condition(&mut self) -> String {
        let mut words = Vec::new();
        for _ in 0..=self.below(6) {
            words.push(self.pick(&CONDITION_WORDS));
        }
        let words = words.join(" ");
        match self.below(4) {
            0 => format!("[ {words} ]"),
            1 => format!("test {words}"),
            _ => format!("[[ {words} ]]"),
        }
    }

    /// The id of a commit, put in by a command.
    fn commit(&mut self) -> String {
        let command = self.pick(&COMMITS);
        match self.below(4) {
            0 => format!("\"$({command})\""),
            1 => format!("$({command})..HEAD"),
            2 => format!("--stat=$({command})"),
            _ => format!("$({command})"),
        }
    }

    fn command(&mut self) -> String {
        if self.below(10) == 0 {
            return self.condition();
        }
        let at = self.below(self.programs.len());
        let mut line = self.programs[at].clone();
        let program = line.clone();
        for _ in 0..self.below(5) {
            line.push(' ');
            line += &match self.below(9) {
                0 | 1 => self.letters(),
                2 | 3 => self.long_option(&program),
                4 => self.pick(&OPTIONS).to_owned(),
                5 if program.starts_with("git ") => self.commit(),
                _ => self.pick(&OPERANDS).to_owned(),
            };
        }
        match self.below(16) {
            0 => line + " < in.txt",
            1 => line + " > out",
            2 => line + " 2> out",
            3 => line + " > /dev/null 2>&1",
            4 => format!("timeout 1 {line}"),
            5 => format!("env LC_ALL=C {line}"),
            _ => line,
        }
    }

    fn letters(&mut self) -> String {
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let mut option = "-".to_owned();
        for _ in 0..=self.below(2) {
            let at = self.below(letters.len());
            option.extend(letters.get(at));
        }
        match self.below(4) {
            0 => option + " " + self.pick(&VALUES),
            1 => option + self.pick(&VALUES),
            _ => option,
        }
    }

    /// An option of the program's own help, sometimes cut off, with or without a value.
    fn long_option(&mut self, program: &str) -> String {
        let known = self.help.get(program).cloned().unwrap_or_default();
        if known.is_empty() {
            return self.letters();
        }
        let at = self.below(known.len());
        let mut option = known[at].clone();
        if self.below(3) == 0 {
            let length = 3 + self.below(option.len().saturating_sub(3).max(1));
            option.truncate(length);
        }
        match self.below(3) {
            0 => format!("{option}='{}'", self.pick(&VALUES)),
            1 => format!("{option} {}", self.pick(&VALUES)),
            _ => option,
        }
    }
}

/// Does a line name a program that is set apart?
pub(crate) fn is_apart(line: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    line.split(|c| !is_part(c))
        .any(|word| APART.contains(&word))
}

fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// The options that the programs' help names.
fn long_options(
    world: &World,
    programs: &[String],
    built_in: &[&str],
) -> BTreeMap<String, Vec<String>> {
    let mut script = String::new();
    for program in programs {
        if !built_in.contains(&program.as_str()) {
            let short = if program.starts_with("git ") {
                "-h"
            } else {
                "--help"
            };
            script += "echo; echo '=== ";
            script += program;
            script += "'; timeout 1 ";
            script += program;
            script += " ";
            script += short;
            script += " < /dev/null 2>&1\n";
        }
    }
    let text = world.run(&script, programs.len());
    let parts = text
        .split("\n=== ")
        .filter_map(|part| part.split_once('\n'));
    parts
        .map(|(program, help)| (program.to_owned(), named_in(help)))
        .collect()
}

fn named_in(help: &str) -> Vec<String> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    let words = help.split(part);
    let words = words.filter(|word| word.len() > 3 && word.starts_with("--"));
    let mut options: Vec<String> = words.map(str::to_owned).collect();
    options.sort();
    options.dedup();
    options
}
