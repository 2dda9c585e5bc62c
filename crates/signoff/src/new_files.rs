//! Writes new files: each completely or not at all, and over existing ones only if asked to.

use std::path::Path;

use signoff_store::atomic::{ReplaceError, replace};

use crate::failure::Failure;

/// Writes a plan's files: a single file to the path itself, the files of a thread into that directory.
pub(crate) fn write(
    target: &Path,
    shown: &Path,
    files: &[(String, String)],
    force: bool,
) -> Result<Vec<String>, Failure> {
    if let [(name, text)] = files
        && name.is_empty()
    {
        write_file(target, shown, text, force)?;
        return Ok(vec![shown.display().to_string()]);
    }
    nothing_in_the_way(target, shown, files, force)?;
    let mut written = Vec::new();
    for (name, text) in files {
        write_file(&target.join(name), &shown.join(name), text, force)?;
        written.push(shown.join(name).display().to_string());
    }
    Ok(written)
}

fn write_file(target: &Path, shown: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let failed = |why: String| Failure::new(6, "file", format!("{}: {why}", shown.display()));
    if let Some(directory) = target.parent() {
        std::fs::create_dir_all(directory).map_err(|why| failed(why.to_string()))?;
    }
    let old = match std::fs::read(target) {
        Ok(bytes) => Some(bytes),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => None,
        Err(why) => return Err(failed(why.to_string())),
    };
    if old.is_some() && !force {
        return Err(exists(shown));
    }
    match replace(target, old.as_deref(), text.as_bytes(), true) {
        Ok(_) => Ok(()),
        Err(ReplaceError::Changed { .. }) => Err(exists(shown)),
        Err(error) => Err(failed(error.to_string())),
    }
}

pub(crate) fn exists(shown: &Path) -> Failure {
    let message = format!("{} exists; nothing was written", shown.display());
    Failure::new(5, "exists", message).hint("`--force` replaces it")
}

/// Refuses before the first file is written. An old task file would become part of the new plan.
fn nothing_in_the_way(
    target: &Path,
    shown: &Path,
    files: &[(String, String)],
    force: bool,
) -> Result<(), Failure> {
    if target.is_file() {
        let message = format!("{} is a file; a thread is a directory", shown.display());
        return Err(Failure::new(2, "not-a-directory", message));
    }
    let is_new = |name: &str| !files.iter().any(|(other, _)| other == name);
    let mut strays = Vec::new();
    for entry in std::fs::read_dir(target.join("tasks"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = format!("tasks/{}", entry.file_name().to_string_lossy());
        if is_new(&name) && !name.starts_with("tasks/.") {
            strays.push(name);
        }
    }
    strays.sort();
    if let Some(stray) = strays.first() {
        let path = shown.join(stray);
        let message = format!(
            "{} would become part of the plan, so nothing was written",
            path.display()
        );
        return Err(Failure::new(5, "exists", message)
            .hint("move it away first, or write into a new directory"));
    }
    match files.iter().find(|(name, _)| target.join(name).exists()) {
        Some((name, _)) if !force => Err(exists(&shown.join(name))),
        Some(_) | None => Ok(()),
    }
}
