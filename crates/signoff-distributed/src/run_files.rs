//! The files of a run's directory that every machine needs, or whoever looks at the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use signoff_store::runs::RunDir;

use crate::database::Database;
use crate::error::ClusterError;

/// As much of a log as is kept: the end of it.
const LOG: usize = 256 * 1024;

/// Brings the files of a run here that came after this number; returns the number of the last.
pub(crate) fn fetch(
    database: &Database,
    run: &str,
    dir: &RunDir,
    after: i64,
) -> Result<i64, ClusterError> {
    let mut last = after;
    for (number, path, bytes) in database.files_after(run, after)? {
        let target = path_inside(dir, &path)?;
        write_received(&target, &bytes)?;
        last = last.max(number);
    }
    Ok(last)
}

/// Where a file of this name is in the run's directory. No name leads out of it, or replaces what this machine wrote.
fn path_inside(dir: &RunDir, path: &str) -> Result<PathBuf, ClusterError> {
    let relative = Path::new(path);
    let plain = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let first = path.split('/').next().unwrap_or_default();
    let is_known = matches!(first, "blobs" | "signatures" | "steps") || is_version(first);
    if !plain || !is_known {
        return Err(ClusterError::Untrusted(format!(
            "a file of the run is called `{}`",
            path.escape_debug()
        )));
    }
    Ok(dir.path().join(relative))
}

/// Is it a version of the plan: one that was carried out, drafted, handed in, or is to be taken up next?
fn is_version(name: &str) -> bool {
    let mut words = ["plan", "draft-", "handed-in-", "next."].into_iter();
    words.any(|word| name.starts_with(word))
}

fn write_received(path: &Path, bytes: &[u8]) -> Result<(), ClusterError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let failed = ClusterError::machine("a file of the run cannot be written");
    let parent = path.parent().unwrap_or(path);
    let mut builder = fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(parent);
    let partial = path.with_extension("partial");
    made.and_then(|()| fs::write(&partial, bytes))
        .and_then(|()| fs::rename(&partial, path))
        .map_err(failed)
}

/// Shares every file below one of these directories or files of the run, unless it is known to be shared.
pub(crate) fn share(
    database: &Database,
    run: &str,
    dir: &RunDir,
    names: &[&str],
) -> Result<(), ClusterError> {
    let mut files = BTreeMap::new();
    for name in names {
        read_below(dir, &dir.path().join(name), &mut files)?;
    }
    database.put_files(run, &files)
}

fn read_below(
    dir: &RunDir,
    path: &Path,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), ClusterError> {
    let failed = ClusterError::machine;
    if path.is_dir() {
        let entries =
            fs::read_dir(path).map_err(failed("a directory of the run cannot be read"))?;
        for entry in entries {
            let entry = entry.map_err(failed("a directory of the run cannot be read"))?;
            read_below(dir, &entry.path(), files)?;
        }
        return Ok(());
    }
    let bytes = match fs::read(path) {
        // It was listed while somebody wrote it under another name first, or the plan has one file only.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(failed("a file of the run cannot be read"))?,
    };
    files.insert(name_of(dir, path), bytes);
    Ok(())
}

/// The name of a file of the run, for other machines.
fn name_of(dir: &RunDir, path: &Path) -> String {
    let name = path.strip_prefix(dir.path()).unwrap_or(path);
    name.to_string_lossy().into_owned()
}

/// The names of what a run began with: the versions of its plan, and their signatures.
pub(crate) fn first_files(dir: &RunDir) -> Result<Vec<String>, ClusterError> {
    let failed = ClusterError::machine("the run's directory cannot be read");
    let entries = fs::read_dir(dir.path()).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let names = entries.map_err(failed)?;
    let names = names
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names
        .filter(|name| is_version(name) || name == "signatures" || name == "blobs")
        .collect())
}

/// The end of a log, as `hide` shows it to others, and its name. An agent that said nothing has no log.
pub(crate) fn shared_log(
    dir: &RunDir,
    path: &Path,
    hide: impl Fn(&str) -> String,
) -> Result<Option<(String, Vec<u8>)>, ClusterError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(ClusterError::machine("a log cannot be read"))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut from = text.len().saturating_sub(LOG);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let shown = hide(text.get(from..).unwrap_or_default());
    Ok(Some((name_of(dir, path), shown.into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_run() {
        let dir = RunDir::seen_from_workspace("r");
        for name in [
            "../x",
            "/etc/passwd",
            "steps/../../x",
            "journal.jsonl",
            "lock",
            "requests/x",
            "",
        ] {
            assert!(path_inside(&dir, name).is_err(), "{name}");
        }
        for name in [
            "plan.md",
            "plan-2.md",
            "draft-0.md",
            "next.json",
            "plan/tasks/a.md",
            "steps/a/1/prompt",
            "blobs/ab",
        ] {
            assert!(path_inside(&dir, name).is_ok(), "{name}");
        }
    }
}
