//! rawko's `.rawko/current-task.yaml`, which names the current task, its plan and its status: it follows the run that was
//! started last, and whatever else happens to that plan.

use std::path::PathBuf;

use signoff_engine::PlanState;
use signoff_store::atomic::{ReplaceError, replace};
use signoff_store::root::StoreKind;

use super::Project;
use crate::error::Error;

/// Names the plan whose run begins or goes on; makes the file where there is none. Every other byte stays.
pub(crate) fn begin(project: &Project, plan: &str, task: &str) -> Result<(), Error> {
    let status = PlanState::Executing.in_record();
    update(project, |text| {
        let text = with_field(text, "task", task);
        let text = with_field(&text, "planId", plan);
        Some(with_field(&text, "status", status))
    })
}

/// Brings the file's status up to date, if it is about this plan; every other byte stays.
pub(crate) fn update_status(project: &Project, plan: &str, state: PlanState) -> Result<(), Error> {
    update(project, |text| {
        let is_current = field_value(text, "planId") == Some(plan);
        is_current.then(|| with_field(text, "status", state.in_record()))
    })
}

/// Writes the text that `new` makes of the present one, if it makes any. A file that is not there has none.
fn update(project: &Project, new: impl Fn(&str) -> Option<String>) -> Result<(), Error> {
    let Some(path) = file(project) else {
        return Ok(());
    };
    loop {
        let present = match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => None,
            // What is not text is not ours.
            Err(_) => return Ok(()),
        };
        let before = present.as_deref().unwrap_or_default();
        let Some(new) = new(before).filter(|new| new != before) else {
            return Ok(());
        };
        let expected = present.as_deref().map(str::as_bytes);
        match replace(&path, expected, new.as_bytes(), true) {
            // The file changed meanwhile; it may be about another plan now.
            Err(ReplaceError::Changed { .. }) => {}
            replaced => return Ok(replaced.map(|_| ())?),
        }
    }
}

/// The file, where the store is one that has it.
pub(crate) fn file(project: &Project) -> Option<PathBuf> {
    let path = project.store.workspace().join(".rawko/current-task.yaml");
    (project.store.kind() == StoreKind::Rawko).then_some(path)
}

/// The text of a top-level field, without its quotes.
fn field_value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (written, _) = text
        .lines()
        .find_map(|line| after_name(line, name).map(split))?;
    Some(written.trim_matches(['"', '\'']))
}

/// The rest of a line that begins with the name of a field.
fn after_name<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix(name)?.strip_prefix(':')
}

/// A value as it is written, and the blanks and the comment behind it.
fn split(rest: &str) -> (&str, &str) {
    let line = rest.trim_end_matches(['\r', '\n']);
    let start = line.len() - line.trim_start().len();
    let inner = line.get(start..).unwrap_or_default();
    let quote = inner
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''));
    let closing = quote.and_then(|quote| closing_quote(inner, quote));
    // A comment begins behind a space.
    let end = closing.or_else(|| inner.find(" #")).unwrap_or(inner.len());
    let written = inner.get(..end).unwrap_or(inner).trim_end();
    (
        written,
        rest.get(start + written.len()..).unwrap_or_default(),
    )
}

/// Where a text in quotes ends.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = c == '\\' && quote == '"' && !is_escaped;
    }
    None
}

/// The text with this value of a top-level field: in its place, or on a line of its own at the end.
fn with_field(text: &str, name: &str, wanted: &str) -> String {
    let mut new = String::with_capacity(text.len() + wanted.len());
    let mut found = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = after_name(line, name).filter(|_| !found) else {
            new.push_str(line);
            continue;
        };
        found = true;
        let (written, behind) = split(rest);
        if written.trim_matches(['"', '\'']) == wanted || written == quote(wanted) {
            new.push_str(line);
            continue;
        }
        let is_plain = !written.starts_with(['"', '\'']) && is_word(wanted);
        let spelled = if is_plain {
            wanted.to_owned()
        } else {
            quote(wanted)
        };
        new.extend([name, ": ", &spelled, behind]);
        // A value over several lines stands indented below its name.
        while written.is_empty() || written.starts_with(['|', '>']) {
            if lines
                .next_if(|next| next.starts_with([' ', '\t']))
                .is_none()
            {
                break;
            }
        }
    }
    if !found {
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        let spelled = if is_word(wanted) {
            wanted.to_owned()
        } else {
            quote(wanted)
        };
        new.extend([name, ": ", &spelled, "\n"]);
    }
    new
}

/// Is it a text that YAML reads as it is?
fn is_word(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(part)
}

/// In double quotes, as YAML and JSON have them.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_field_changes() {
        for (before, after) in [
            (
                "task: \"x\" # status: y\nplanId: \"p\"\nstatus: in_progress # now\nother: 1\n",
                "task: \"x\" # status: y\nplanId: \"p\"\nstatus: complete # now\nother: 1\n",
            ),
            ("status: \"draft\"\r\n", "status: \"complete\"\r\n"),
            ("status:\n", "status: complete\n"),
            ("status: st\n", "status: complete\n"),
            ("planId: p", "planId: p\nstatus: complete\n"),
            ("", "status: complete\n"),
        ] {
            assert_eq!(with_field(before, "status", "complete"), after);
        }
    }

    #[test]
    fn a_task_may_be_any_text() {
        for before in [
            "",
            "task: old\n",
            "task: \"a # b\"\n",
            "task: |\n  old\n  text\n",
        ] {
            let after = with_field(before, "task", "say \"hi\": now\nand then");
            assert_eq!(after, "task: \"say \\\"hi\\\": now\\nand then\"\n");
            assert_eq!(
                with_field(&after, "task", "say \"hi\": now\nand then"),
                after
            );
        }
    }

    #[test]
    fn fields_are_read() {
        let text = "task: \"a: b\"\nplanId: 'plan-1' # the one\n";
        assert_eq!(field_value(text, "planId"), Some("plan-1"));
        assert_eq!(field_value(text, "plan"), None);
    }
}
