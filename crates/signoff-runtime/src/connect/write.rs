//! Writes the changes. What can be undone is remembered first, so that a crash in between loses nothing.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_plan::guard::Agent;
use signoff_store::atomic;
use signoff_store::trust::connections::{self, WrittenFile, content_hash};

use super::change::{FileChange, Origin};
use super::missing_directories;
use crate::error::{ConnectError, Error};

/// What is connected.
#[derive(Debug)]
pub(super) struct Connection<'a> {
    pub(super) agent: Agent,
    pub(super) workspace: Option<&'a Path>,
    /// What was written before.
    pub(super) known: Option<&'a connections::Connection>,
}

pub(super) fn write(
    state: &Path,
    connection: &Connection<'_>,
    changes: &[FileChange],
    undo: bool,
) -> Result<(), Error> {
    let directories = directories(connection, changes);
    let record = |files| connections::Connection {
        agent: connection.agent.name().to_owned(),
        workspace: connection.workspace.map(Path::to_owned),
        files,
        directories: directories.clone(),
    };
    if !undo {
        connections::remember(state, record(written_files(changes)))?;
    }
    for change in changes.iter().filter(|change| change.is_change()) {
        apply(change)?;
    }
    if undo {
        connections::remember(state, record(Vec::new()))?;
        for directory in directories.iter().rev() {
            // One with something else in it stays.
            let _still_used = fs::remove_dir(directory);
        }
    }
    Ok(())
}

fn written_files(changes: &[FileChange]) -> Vec<WrittenFile> {
    let written = |change: &FileChange| {
        let Origin { before, created } = change.record.clone()?;
        Some(WrittenFile {
            path: change.path.clone(),
            before,
            after: content_hash(change.new.as_deref()?),
            created,
        })
    };
    changes.iter().filter_map(written).collect()
}

/// Directories that we made before, and those that are made now.
fn directories(connection: &Connection<'_>, changes: &[FileChange]) -> Vec<PathBuf> {
    let known = connection.known.map_or(&[][..], |known| &known.directories);
    let mut all = known.to_vec();
    for change in changes.iter().filter(|change| change.new.is_some()) {
        for directory in missing_directories(&change.path) {
            if !all.contains(&directory) {
                all.push(directory);
            }
        }
    }
    all
}

fn apply(change: &FileChange) -> Result<(), Error> {
    let path = &change.path;
    let failed = |why: String| ConnectError::Refused {
        path: path.clone(),
        why,
        paste: None,
    };
    match &change.new {
        Some(new) => {
            let directory = path.parent().unwrap_or(path);
            atomic::create_directories(directory).map_err(|why| failed(why.to_string()))?;
            let old = change.current.as_deref().map(str::as_bytes);
            let replaced = atomic::replace(path, old, new.as_bytes(), true);
            replaced.map_err(|why| failed(why.to_string()))?;
        }
        None => atomic::remove(path).map_err(|why| failed(why.to_string()))?,
    }
    Ok(())
}
