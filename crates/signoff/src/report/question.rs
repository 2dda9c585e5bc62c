//! A question to a person, with what they need to answer it.

use signoff_api::inbox::{Item, StepDetails};

use crate::report::columns::width;
use crate::report::run::evidence::first_names;
use crate::shell_words::shell_word;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, escape_command, paint, sanitize};

/// Lines of a difference that are shown of one step.
const DIFF: usize = 40;
/// Lines of an agent's last words that are shown.
const WORDS: usize = 6;
/// Columns of the names of fields and choices.
const NAME: usize = 9;

/// The question, what is known about it, and what each answer leads to.
pub(crate) fn question_lines(item: &Item) -> Vec<String> {
    let question = format!("{} {}", paint(CARE, "?"), sanitize(&item.question));
    let mut lines = vec![question];
    lines.push(paint(DIM, format!("  {}", sanitize(&plan_and_steps(item)))).to_string());
    for details in &item.about {
        if item.about.len() > 1 {
            let heading = format!("`{}` {}", details.step, details.title);
            lines.push(format!("  {}", paint(TITLE, sanitize(&heading))));
        }
        lines.extend(detail_lines(details));
    }
    if let Some(worktree) = &item.worktree {
        lines.push(field("repair in", &sanitize(worktree)));
    }
    lines.extend(choice_lines(item));
    lines
}

/// How the question is answered, as a command that can be typed.
pub(crate) fn answer_command(item: &Item) -> String {
    let first = item.choices.first().map_or("", String::as_str);
    // A reply is any text.
    let word = if first == "reply" { "TEXT" } else { first };
    let (id, word) = (shell_word(&item.id), shell_word(word));
    format!("  signoff answer {} {}", sanitize(&id), sanitize(&word))
}

/// The plan and the steps.
fn plan_and_steps(item: &Item) -> String {
    match &item.about[..] {
        _ if item.steps.is_empty() && item.title.is_empty() => "asked by an agent".to_owned(),
        _ if item.steps.is_empty() => format!("asked by an agent about {}", item.title),
        [one] if !one.title.is_empty() && one.title != item.title => {
            format!("{}, step `{}`: {}", item.title, one.step, one.title)
        }
        _ => {
            let plural = if item.steps.len() == 1 { "" } else { "s" };
            format!("{}, step{plural} `{}`", item.title, item.steps.join("`, `"))
        }
    }
}

fn detail_lines(details: &StepDetails) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(command) = &details.command {
        lines.extend(fields("contract", command.lines().map(escape_command)));
    }
    lines.extend(
        details
            .ended
            .as_ref()
            .map(|ended| field("ended", &sanitize(ended))),
    );
    // Runners colour what they print.
    let plain = |line: &String| sanitize(&anstream::adapter::strip_str(line).to_string());
    lines.extend(fields("output", details.output.iter().map(plain)));
    if let Some(said) = &details.said {
        let said: Vec<&str> = said.lines().collect();
        let from = said.len().saturating_sub(WORDS);
        let last = said.into_iter().skip(from).map(sanitize);
        lines.extend(fields("agent", last));
    }
    let ended = details.agent_ended.as_ref();
    lines.extend(ended.map(|ended| field("agent end", &sanitize(ended))));
    lines.extend(change_lines(details));
    let logs: Vec<String> = details.logs.iter().map(|log| sanitize(&log.path)).collect();
    lines.extend(fields("logs", logs.into_iter()));
    lines
}

/// The difference, or the names of the files.
fn change_lines(details: &StepDetails) -> Vec<String> {
    let files = match &details.changed {
        None => return Vec::new(),
        Some(files) if files.is_empty() => "nothing that is versioned".to_owned(),
        Some(files) => sanitize(&first_names(files)),
    };
    let mut lines = vec![field("changed", &files)];
    let Some(diff) = &details.diff else {
        return lines;
    };
    let all: Vec<&str> = diff.lines().filter(|line| !is_header(line)).collect();
    lines.extend(all.iter().take(DIFF).map(|line| diff_line(line)));
    if let Some(more) = all.len().checked_sub(DIFF).filter(|more| *more > 0) {
        let text = format!("… {more} more lines: `signoff inbox --format json` has them");
        lines.push(field("", &paint(DIM, text).to_string()));
    }
    lines
}

/// Lines of a patch that say nothing to a person: the names of blobs and the modes of ordinary files.
fn is_header(line: &str) -> bool {
    line.starts_with("index ") || line.starts_with("diff --git ")
}

fn diff_line(line: &str) -> String {
    let text = sanitize(line);
    let shown = match line.as_bytes().first() {
        Some(b'+') => paint(GOOD, text),
        Some(b'-') => paint(ERROR, text),
        Some(b'@') => paint(DIM, text),
        _ => return field("", &text),
    };
    field("", &shown.to_string())
}

/// What each answer leads to.
fn choice_lines(item: &Item) -> Vec<String> {
    let mut lines = Vec::new();
    for choice in &item.choices {
        let name = sanitize(choice);
        lines.push(match item.meanings.get(choice) {
            Some(meaning) => format!(
                "  {}{} {meaning}",
                paint(TITLE, &name),
                padding_after(&name)
            ),
            None => format!("  {}", paint(TITLE, &name)),
        });
    }
    lines
}

fn fields(name: &str, values: impl Iterator<Item = String>) -> Vec<String> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let lines = values.zip(names);
    lines.map(|(value, name)| field(name, &value)).collect()
}

fn field(name: &str, value: &str) -> String {
    format!("  {}{} {value}", paint(DIM, name), padding_after(name))
}

fn padding_after(name: &str) -> String {
    " ".repeat(NAME.saturating_sub(width(name)))
}

#[cfg(test)]
mod tests {
    use signoff_api::event::{InboxKind, LogEntry};

    use super::*;

    fn text(item: &Item) -> String {
        anstream::adapter::strip_str(&question_lines(item).join("\n")).to_string()
    }

    fn item(kind: InboxKind, choices: &[(&str, &str)], about: Vec<StepDetails>) -> Item {
        let owned = |text: &&str| (*text).to_owned();
        Item {
            id: "r1/a-1".to_owned(),
            kind,
            run: "r1".to_owned(),
            title: "Greet".to_owned(),
            step: about[0].step.clone(),
            steps: about.iter().map(|one| one.step.clone()).collect(),
            question: "is it done?".to_owned(),
            choices: choices.iter().map(|(name, _)| owned(name)).collect(),
            meanings: choices
                .iter()
                .map(|(name, text)| (owned(name), owned(text)))
                .collect(),
            about,
            worktree: None,
        }
    }

    #[test]
    fn an_escalation_has_everything_a_person_decides_by() {
        let details = StepDetails {
            step: "a".to_owned(),
            title: "Write it".to_owned(),
            attempts: 2,
            command: Some("make\nmake test".to_owned()),
            ended: Some("exit code 3".to_owned()),
            output: vec!["one".to_owned(), "two\u{1b}[31m".to_owned()],
            said: Some("Done!".to_owned()),
            agent_ended: Some("exit code 1".to_owned()),
            changed: Some(vec!["a.txt".to_owned()]),
            diff: None,
            logs: vec![LogEntry {
                source: "agent".to_owned(),
                path: ".signoff/agent.log".to_owned(),
            }],
        };
        let mut item = item(
            InboxKind::Escalation,
            &[("retry", "one more"), ("skip", "go on")],
            vec![details],
        );
        item.worktree = Some("/w".to_owned());
        assert_eq!(
            text(&item),
            "? is it done?\n  Greet, step `a`: Write it\n  contract  make\n            make test\n  \
             ended     exit code 3\n  output    one\n            two\n  agent     Done!\n  \
             agent end exit code 1\n  changed   a.txt\n  logs      .signoff/agent.log\n  \
             repair in /w\n  retry     one more\n  skip      go on"
        );
        assert_eq!(answer_command(&item), "  signoff answer r1/a-1 retry");
    }

    #[test]
    fn an_acceptance_has_title_words_and_difference_of_every_step() {
        let details = |step: &str, diff: Option<&str>| StepDetails {
            step: step.to_owned(),
            title: format!("Title of {step}"),
            said: Some("All good.".to_owned()),
            changed: Some(vec!["n.txt".to_owned()]),
            diff: diff.map(str::to_owned),
            ..StepDetails::default()
        };
        let patch =
            "diff --git a/n.txt b/n.txt\nindex 1..2\n--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-x\n+y";
        let long = "+\n".repeat(DIFF + 2);
        let about = vec![details("a", Some(patch)), details("b", Some(&long))];
        let shown = text(&item(InboxKind::Acceptance, &[("accept", "done")], about));
        assert!(
            shown.contains(
                "  `a` Title of a\n  agent     All good.\n  changed   n.txt\n            --- a/n.txt\n            \
                 +++ b/n.txt\n            @@ -1 +1 @@\n            -x\n            +y\n  `b` Title of b"
            ),
            "{shown}"
        );
        assert!(shown.contains("… 2 more lines"), "{shown}");
    }
}
