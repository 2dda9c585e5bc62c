//! rawko's `.rawko/current-task.yaml`, which names the plan of the current task and its status:
//! its status is updated when something happens to that plan.

use std::path::PathBuf;

use signoff_engine::PlanState;
use signoff_store::atomic::{ReplaceError, replace};
use signoff_store::root::StoreKind;

use super::Project;
use crate::error::Error;

/// Brings the file's status up to date, if it is about this plan; every other byte stays.
pub(crate) fn update_status(project: &Project, plan: &str, state: PlanState) -> Result<(), Error> {
    let Some(path) = file(project) else {
        return Ok(());
    };
    loop {
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Ok(());
        };
        if value(&text, "planId") != Some(plan) {
            return Ok(());
        }
        let new = with_status(&text, state.in_record());
        if new == text {
            return Ok(());
        }
        match replace(&path, Some(text.as_bytes()), new.as_bytes(), true) {
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
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| {
        line.strip_prefix(name)
            .and_then(|rest| rest.strip_prefix(':'))
    })?;
    // A comment begins behind a space.
    let line = line.split(" #").next().unwrap_or_default().trim();
    Some(line.trim_matches(['"', '\'']))
}

fn with_status(text: &str, status: &str) -> String {
    let mut found = false;
    let lines = text.split_inclusive('\n').map(|line| {
        if !line.starts_with("status:") {
            return line.to_owned();
        }
        found = true;
        let old = value(line, "status").unwrap_or_default();
        if old.is_empty() {
            return line.replacen("status:", &format!("status: {status}"), 1);
        }
        line.replacen(old, status, 1)
    });
    let mut new: String = lines.collect();
    if !found {
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        new.extend(["status: ", status, "\n"]);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_status_changes() {
        for (before, after) in [
            (
                "task: \"x\" # status: y\nplanId: \"p\"\nstatus: in_progress # now\nother: 1\n",
                "task: \"x\" # status: y\nplanId: \"p\"\nstatus: complete # now\nother: 1\n",
            ),
            ("status: \"draft\"\r\n", "status: \"complete\"\r\n"),
            ("status:\n", "status: complete\n"),
            ("planId: p", "planId: p\nstatus: complete\n"),
        ] {
            assert_eq!(with_status(before, "complete"), after);
        }
    }

    #[test]
    fn fields_are_read() {
        let text = "task: \"a: b\"\nplanId: 'plan-1' # the one\n";
        assert_eq!(value(text, "planId"), Some("plan-1"));
        assert_eq!(value(text, "plan"), None);
    }
}
