//! Commands of ours in what an agent wants to run: those of people, and those with which agents plan.

use crate::shell::{Invocation, Programs, Script, programs_by_own_parser, single_command};

/// What a command of ours means for the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnCommand {
    /// Only a person may give it.
    Person,
    /// It plans, or shows something, and runs nothing of a project.
    Planning,
    /// It refuses by itself what an agent may not do; it is not for plan mode.
    Other,
    /// There is no such command in this version.
    Unknown,
}

/// Commands that only a person may give, with every option that they have.
const PERSON: [&str; 19] = [
    "abort",
    "answer",
    "approve",
    "archive",
    "cancel",
    "connect",
    "delete",
    "land",
    "orchestrator",
    "prune",
    "reject",
    "replan",
    "retry",
    "review",
    "step",
    "trust",
    "undo",
    "watch",
    "worker",
];
/// Options that make another command one of a person, or one that does more than planning.
const PERSON_OPTIONS: [(&str, &str); 6] = [
    ("comment", "--resolve"),
    // It starts a model at the person's expense.
    ("revise", "--plan"),
    ("run", "--approve"),
    ("run", "--task"),
    ("list", "--expire"),
    ("doctor", "--accept-level"),
];
/// Options with which a command that shows something writes it over a file that is named.
const WRITING_OPTIONS: [(&str, &str, &str); 1] = [("report", "-o", "--output")];
const PLANNING: [&str; 22] = [
    "agentctl",
    "comment",
    "config",
    "diff",
    "edit",
    "explain",
    "graph",
    "inbox",
    "list",
    "log",
    "propose",
    "prompt",
    "report",
    "revise",
    "runs",
    "show",
    "stats",
    "status",
    "verify",
    "--help",
    "-h",
    "--version",
];
const OTHER: [&str; 20] = [
    "clone",
    "completions",
    "convert",
    "demo",
    "doctor",
    "fmt",
    "guard",
    "import",
    "init",
    "man",
    "mcp",
    "mcp-proxy",
    "new",
    "pause",
    "resume",
    "run",
    "scripted-agent",
    "serve",
    "stop",
    "tools",
];

/// Programs that run what they are given as text, so that a command of ours can hide in it.
const RUN_TEXT: [&str; 22] = [
    "awk", "bun", "deno", "eval", "expect", "find", "fish", "gdb", "lua", "make", "node",
    "parallel", "perl", "php", "python", "python3", "ruby", "screen", "script", "ssh", "tmux",
    "xargs",
];

/// What a command of ours means, by its arguments.
pub fn own_command(arguments: &[&str]) -> OwnCommand {
    let Some((name, rest)) = command_name(arguments) else {
        return OwnCommand::Planning;
    };
    let gives = |option: &str| {
        let with_value = format!("{option}=");
        (rest.iter()).any(|word| *word == option || word.starts_with(&with_value))
    };
    let is_persons_option = |(command, option): &(&str, &str)| *command == name && gives(option);
    if PERSON.contains(&name) || PERSON_OPTIONS.iter().any(is_persons_option) {
        OwnCommand::Person
    } else if name == "guard" {
        guard_command(rest)
    } else if PLANNING.contains(&name) && !writes_file(name, rest) {
        OwnCommand::Planning
    } else if PLANNING.contains(&name) || OTHER.contains(&name) {
        OwnCommand::Other
    } else {
        OwnCommand::Unknown
    }
}

/// The command and its arguments, behind options of the program and the word `plan`.
fn command_name<'a>(arguments: &'a [&'a str]) -> Option<(&'a str, &'a [&'a str])> {
    let mut rest = arguments;
    loop {
        let (first, after) = rest.split_first()?;
        rest = match *first {
            "--color" => after.get(1..).unwrap_or_default(),
            option if option.starts_with("--color=") => after,
            "plan" => after,
            name => return Some((name, after)),
        };
    }
}

fn writes_file(name: &str, rest: &[&str]) -> bool {
    let mut options = WRITING_OPTIONS.iter().filter(|(of, _, _)| *of == name);
    // A value may be joined to either.
    options.any(|(_, short, long)| {
        (rest.iter()).any(|word| word.starts_with(short) || word.starts_with(long))
    })
}

fn guard_command(rest: &[&str]) -> OwnCommand {
    let words: Vec<&str> = (rest.iter().copied())
        .filter(|word| !word.starts_with('-'))
        .collect();
    match words.as_slice() {
        ["plan-mode", "show" | "on", ..] | ["check" | "report", ..] => OwnCommand::Planning,
        ["plan-mode", ..] => OwnCommand::Person,
        _ => OwnCommand::Other,
    }
}

/// Whether a text is one command of ours that agents may give in plan mode, and nothing else.
pub(super) fn is_planning(text: &str) -> bool {
    let Some(command) = single_command(text) else {
        return false;
    };
    // Agents that have no way to set it for all of their commands are told to set it for each.
    let names_session = |(name, _): &(String, String)| name == "AGENTCTL_SESSION_ID";
    if !command.variables.iter().all(names_session) {
        return false;
    }
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    match words.split_first() {
        Some((&"agentctl", _)) => true,
        // By its name only: what lies at a path may be another program.
        Some((&"signoff", arguments)) => own_command(arguments) == OwnCommand::Planning,
        _ => false,
    }
}

/// The command of a person in a text, as far as the text tells.
pub(super) fn persons_command(text: &str) -> Option<String> {
    let Programs {
        invocations,
        scripts,
        unread,
    } = programs_by_own_parser(text);
    if let Some(found) = invocations.iter().find_map(persons_invocation) {
        return Some(found);
    }
    let runs_text = |one: &Invocation| RUN_TEXT.contains(&base_name(&one.program));
    let words = plain_words(text);
    let is_opaque = unread
        || invocations.is_empty()
        || invocations.iter().any(runs_text)
        || words
            .iter()
            .any(|word| ["xargs", "parallel"].contains(&word.as_str()))
        || (scripts.iter()).any(|script| matches!(script.value, Script::Unknown(_)));
    is_opaque.then(|| persons_word(&words)).flatten()
}

fn persons_invocation(one: &Invocation) -> Option<String> {
    if base_name(&one.program) != "signoff" {
        return None;
    }
    let arguments = &one.arguments;
    // A word that the text does not tell may be anything.
    let told: Vec<&str> = (arguments.iter())
        .map_while(|word| word.as_deref())
        .collect();
    let all_told = told.len() == arguments.len();
    let named = command_name(&told).map(|(name, _)| name);
    let known: Vec<&str> = arguments
        .iter()
        .filter_map(|word| word.as_deref())
        .collect();
    match (own_command(&known), named) {
        (OwnCommand::Person, name) => Some(format!("signoff {}", name.unwrap_or("…"))),
        (_, None) if !all_told => Some("signoff …".to_owned()),
        _ => None,
    }
}

/// The words of a text without its quotes.
fn plain_words(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|c| !"'\"\\".contains(*c)).collect();
    let is_between = |c: char| !(c.is_alphanumeric() || "-_".contains(c));
    let words = plain.split(is_between).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A command of a person in a text that is not understood: its words, in any order.
fn persons_word(words: &[String]) -> Option<String> {
    words.iter().find(|word| *word == "signoff")?;
    let is_persons = |word: &&String| {
        PERSON.contains(&word.as_str()) || PERSON_OPTIONS.iter().any(|(_, option)| option == *word)
    };
    let found = words.iter().find(is_persons)?;
    Some(format!("signoff {found}"))
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_command_is_found_however_it_is_spelled() {
        for text in [
            "signoff approve plan.md",
            "env signoff approve plan.md",
            "A=b signoff reject x",
            "/usr/local/bin/signoff approve plan.md",
            "./target/debug/signoff retry x",
            "sh -c 'signoff approve plan.md'",
            "bash -lc \"bash -c 'signoff delete x'\"",
            "cd x && signoff trust",
            "echo $(signoff answer 1 retry)",
            "true || signoff land",
            "s'ign'off approve x",
            "signoff --color never approve x",
            "signoff --color=never plan approve x",
            "signoff run x.md --approve",
            "signoff run --task 'do it'",
            "signoff list --expire",
            "signoff doctor --accept-level",
            "signoff step skip r s",
            "signoff guard plan-mode off --session x",
            "signoff guard plan-mode --session x off",
            "signoff connect claude --undo",
            "signoff $WHAT plan.md",
            "eval \"signoff approve x\"",
            "echo approve | xargs signoff",
            "echo x | xargs signoff approve",
            "python3 -c 'import os; os.system(\"signoff approve x\")'",
            "X=signoff; $X approve x",
            "signoff approve x\n)",
            "timeout 5 nohup signoff cancel x",
            "find . -exec signoff approve {} ;",
            // Our own parser declines these.
            "echo ${a[1]}; signoff approve x",
            "ls; bash -c 'echo ${a[1]}; s\\ignoff approve x'",
            "coproc signoff trust",
        ] {
            assert!(persons_command(text).is_some(), "{text}");
        }
        for text in [
            "signoff show plan.md",
            "signoff run plan.md",
            "signoff resume",
            "grep -rn 'signoff approve' docs",
            "git commit -m 'signoff approve works'",
            "echo approve",
            "cargo test",
            "cat signoff/approve.md",
            "echo ${a[1]}; signoff show x",
            "signoff guard plan-mode on --session x",
        ] {
            assert_eq!(persons_command(text), None, "{text}");
        }
    }

    #[test]
    fn planning_is_one_command() {
        for text in [
            "signoff propose plan.md",
            "signoff propose - < plan.json",
            "signoff propose - <<'END'\n# Plan\n$(rm x); rm y\nEND",
            "signoff propose - <<< '{\"title\": \"x\"}'",
            "signoff verify 'my plan.md' --format json",
            "signoff show x 2>&1",
            "agentctl plan commit",
            "AGENTCTL_SESSION_ID=5f0c2a agentctl plan commit",
            "AGENTCTL_SESSION_ID='a b' signoff prompt overseer",
            "signoff agentctl plan dir",
            "signoff guard plan-mode show --session x",
            "signoff report r --format json",
            "signoff --help",
            "signoff",
        ] {
            assert!(is_planning(text), "{text}");
        }
        for text in [
            "signoff propose x; rm y",
            "signoff propose x && rm y",
            "signoff propose x | tee y",
            "signoff show x > y",
            "signoff show x >> y",
            "signoff show x &> y",
            "signoff show x &",
            "signoff propose - <<END\n$(rm y)\nEND",
            "signoff propose \"$(rm y)\"",
            "PATH=. signoff propose x",
            "AGENTCTL_SESSION_ID=x PATH=. agentctl plan dir",
            "AGENTCTL_SESSION_ID=$(rm y) agentctl plan dir",
            "AGENTCTL_SESSION_ID=$x agentctl plan dir",
            "AGENTCTL_SESSION_ID=x",
            "AGENTCTL_SESSION_ID=x rm y",
            "./signoff propose x",
            "/tmp/signoff propose x",
            "signoff approve x",
            "signoff run x",
            "signoff convert x --to record -o y",
            "signoff list --expire",
            "signoff report -o src/main.rs --force",
            "signoff report r -osrc/main.rs --force",
            "signoff plan report --output=src/main.rs",
            "signoff report --output src/main.rs",
            "signoff guard plan-mode off --session x",
            "agentctl plan commit; rm y",
            "(signoff propose x)",
            "! signoff propose x",
            "time signoff propose x\nrm y",
        ] {
            assert!(!is_planning(text), "{text}");
        }
    }
}
