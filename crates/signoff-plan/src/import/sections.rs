//! The files of a source: the one with the tasks, and those around it.

use super::ImportError;
use super::imported::ImportedPlan;
use crate::source::Source;

/// Reads the tasks of a file with this name.
pub(super) type TaskReader = fn(name: &str, text: &str) -> ImportedPlan;

/// The file that has the tasks of a directory.
pub(super) const TASKS: &str = "tasks.md";

/// Files that say what is wanted come before those that say how.
const ORDER: [&str; 5] = [
    "proposal.md",
    "requirements.md",
    "spec.md",
    "plan.md",
    "design.md",
];

/// Reads a file, or the tasks of a directory with the other files as context.
pub(super) fn read(source: &Source, tasks: TaskReader) -> Result<ImportedPlan, ImportError> {
    let files = files(source);
    if !source.parts().is_empty() {
        return directory(source, &files, tasks);
    }
    let text = files.first().map_or("", |(_, text)| *text);
    let mut imported = tasks(source.name(), text);
    if imported.title.is_none() {
        imported.title = name_as_title(source.name());
    }
    Ok(imported)
}

fn directory(
    source: &Source,
    files: &[(String, &str)],
    tasks: TaskReader,
) -> Result<ImportedPlan, ImportError> {
    let is_tasks = |name: &str| name == TASKS;
    let Some((name, text)) = files.iter().find(|(name, _)| is_tasks(name)) else {
        return Err(ImportError {
            file: source.name().to_owned(),
            line: None,
            message: format!("there is no `{TASKS}` in this directory"),
        });
    };
    let shown = format!("{}/{name}", source.name().trim_end_matches('/'));
    let mut imported = tasks(&shown, text);
    let own = std::mem::take(&mut imported.context);
    let mut others: Vec<_> = files.iter().filter(|(name, _)| !is_tasks(name)).collect();
    others.sort_by_key(|(name, _)| {
        ORDER
            .iter()
            .position(|first| first == name)
            .unwrap_or(ORDER.len())
    });
    for (name, text) in others {
        if !text.trim().is_empty() {
            imported.add_context(&format!(
                "From `{name}`:\n\n{}",
                with_line_feeds(text).trim()
            ));
        }
    }
    imported.context.extend(own);
    if imported.title.is_none() {
        imported.title = name_as_title(source.name());
    }
    Ok(imported)
}

/// The files with their texts, without byte order marks.
pub(super) fn files(source: &Source) -> Vec<(String, &str)> {
    let text = |(name, bytes): (&str, _)| {
        // All of it has been found to be UTF-8.
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        (name.to_owned(), text)
    };
    source.split().map(text).collect()
}

/// A text with the line ends that plans have.
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The name of a file or directory as a title; none for what has no name.
pub(super) fn name_as_title(name: &str) -> Option<String> {
    let mut parts = name.trim_end_matches('/').rsplit('/');
    let last = parts
        .next()
        .filter(|last| !last.starts_with('<') && *last != "-")?;
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let general = ["tasks", "issues", "plan", "body"].contains(&stem);
    let parent = parts
        .next()
        .filter(|parent| general && !parent.starts_with('.'));
    let title = parent.unwrap_or(stem);
    (!title.is_empty()).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_title_are_called_by_their_name() {
        let title = |name| name_as_title(name);
        assert_eq!(
            title("specs/001-login/tasks.md").as_deref(),
            Some("001-login")
        );
        assert_eq!(
            title("openspec/changes/add-2fa/").as_deref(),
            Some("add-2fa")
        );
        assert_eq!(title("fix-login.md").as_deref(), Some("fix-login"));
        assert_eq!(title(".beads/issues.jsonl").as_deref(), Some("issues"));
        assert_eq!(title("<stdin>"), None);
    }
}
