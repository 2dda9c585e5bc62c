//! Threads: directories that are one plan, and their files.

use std::path::{Path, PathBuf};

use signoff_runtime::plan_file::{is_thread, read_source};

use crate::dialect_guess::{extension, guess_dialect, is_task};
use crate::failure::Failure;
use crate::shell_words::shell_word;

/// The directory of the thread that a file belongs to, in the style of the typed path.
pub(super) fn enclosing_thread(typed: &Path, full: &Path) -> Option<PathBuf> {
    let parent = full.parent()?;
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let (directory, up) = match (name(full)?.as_str(), name(parent).as_deref()) {
        ("plan.md", _) if parent.join("tasks").is_dir() => (parent, 1),
        (_, Some("tasks")) => (parent.parent()?, 2),
        _ => return None,
    };
    if !holds_thread(directory) {
        return None;
    }
    match typed.ancestors().nth(up) {
        Some(above) if above.as_os_str().is_empty() => Some(PathBuf::from(".")),
        Some(above) => Some(above.to_owned()),
        // The path was typed inside the thread.
        None => Some(directory.to_owned()),
    }
}

pub(super) fn part_of(path: &Path, thread: &Path) -> Failure {
    let message = format!(
        "{} belongs to the thread `{}`, which is one plan",
        path.display(),
        thread.display()
    );
    let word = shell_word(&thread.display().to_string());
    Failure::new(2, "part-of-thread", message)
        .hint(format!("name the directory: `signoff verify {word}`"))
}

/// Is this directory a thread? Not if its `plan.md` looks like a plan of its own.
pub(super) fn holds_thread(directory: &Path) -> bool {
    let own = || {
        let plan = directory.join("plan.md");
        let source = read_source(&plan, "plan.md");
        source.is_ok_and(|source| guess_dialect(&source).is_some())
    };
    is_thread(directory) && !own()
}

/// Is a directory that a search finds a thread? Without a `plan.md`, a file in `tasks` must look like a task, because
/// many projects have a directory of that name.
pub(super) fn is_thread_below(directory: &Path) -> bool {
    let tasks = directory.join("tasks");
    if !tasks.is_dir() {
        return false;
    }
    if directory.join("plan.md").is_file() {
        return holds_thread(directory);
    }
    let entries = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
    let mut files = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && extension(path) == "md");
    files.any(|path| read_source(&path, "task").is_ok_and(|source| is_task(&source)))
}
