//! What is to be done to each file, before anything is written.

use std::path::{Path, PathBuf};

use signoff_api::connect::{ConnectedFile, FileAction};
use signoff_store::trust::connections::{Connection, WrittenFile};
use signoff_work::settings::{Uneditable, json, toml};

use super::agents::{FileContent, Integration, PlannedFile};
use super::{difference, files, undo};
use crate::error::{ConnectError, Error};

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: PathBuf,
    /// What it says now; none if it does not exist.
    pub(super) current: Option<String>,
    /// What it is to say; none if it is to be removed.
    pub(super) new: Option<String>,
    pub(super) action: FileAction,
    /// What `--undo` goes back to, and what was made for our entries. None once nothing of ours is left in it.
    pub(super) record: Option<Origin>,
}

/// What a file was before us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) before: Option<String>,
    pub(super) created: Vec<Vec<String>>,
}

impl FileChange {
    pub(super) fn report(&self) -> ConnectedFile {
        let real = self.path.canonicalize();
        let path = real.unwrap_or_else(|_| self.path.clone());
        let [old, new] = [&self.current, &self.new].map(|text| text.as_deref().unwrap_or_default());
        ConnectedFile {
            path: path.display().to_string(),
            action: self.action,
            difference: difference::unified_difference(old, new),
        }
    }

    pub(super) fn is_change(&self) -> bool {
        self.current != self.new
    }
}

/// The changes that connect the agent. Files of an earlier version of ours that are not needed any more are undone.
pub(super) fn changes(
    integration: &Integration,
    known: Option<&Connection>,
) -> Result<Vec<FileChange>, Error> {
    let written = |path: &Path| known?.files.iter().find(|file| file.path == path);
    let mut changes = Vec::new();
    for planned in &integration.files {
        changes.push(change(planned, written(&planned.path))?);
    }
    let is_planned = |file: &&WrittenFile| {
        let mut planned = integration.files.iter();
        planned.any(|planned| planned.path == file.path)
    };
    for old in known.into_iter().flat_map(|known| &known.files) {
        if !is_planned(&old) {
            changes.push(undo::change(&old.path, None, Some(old))?);
        }
    }
    Ok(changes)
}

fn change(planned: &PlannedFile, written: Option<&WrittenFile>) -> Result<FileChange, Error> {
    let path = &planned.path;
    let refuse = |why: String| ConnectError::Refused {
        path: path.clone(),
        why,
        paste: planned.content.snippet(),
    };
    let current = files::read(path).map_err(|error| with_snippet(error, planned))?;
    let is_ours = match (&current, written) {
        (Some(current), Some(written)) => written.is_written(current),
        _ => false,
    };
    let origin = match (written, &planned.content) {
        (Some(written), _) if is_ours => Origin {
            before: written.before.clone(),
            created: written.created.clone(),
        },
        (_, FileContent::Whole(_)) => Origin {
            before: None,
            created: Vec::new(),
        },
        (written, content) => {
            let created = written.map_or(&[][..], |written| &written.created);
            origin(content, current.as_deref(), created).map_err(|why| refuse(why.to_string()))?
        }
    };
    let new = match &planned.content {
        FileContent::Whole(text) => {
            let is_other = current.as_ref().is_some_and(|current| current != text);
            if is_other && !is_ours {
                return Err(refuse("`connect` did not write it as it is now".to_owned()).into());
            }
            Ok(text.clone())
        }
        FileContent::Json(entries) => json::with_entries(current.as_deref().unwrap_or(""), entries),
        FileContent::Toml(section) => toml::with_section(current.as_deref().unwrap_or(""), section),
    };
    let new = new.map_err(|why| refuse(why.to_string()))?;
    let action = match &current {
        None => FileAction::Created,
        Some(current) if *current == new => FileAction::Unchanged,
        Some(_) => FileAction::Changed,
    };
    if action == FileAction::Changed {
        files::require_writable(path).map_err(|error| with_snippet(error, planned))?;
    }
    Ok(FileChange {
        path: path.clone(),
        current,
        new: Some(new),
        action,
        record: Some(origin),
    })
}

/// What the file would be without us.
fn origin(
    content: &FileContent,
    current: Option<&str>,
    created: &[Vec<String>],
) -> Result<Origin, Uneditable> {
    let Some(text) = current else {
        return Ok(Origin {
            before: None,
            created: Vec::new(),
        });
    };
    let (before, missing) = match content {
        FileContent::Json(entries) => {
            let before = json::without_entries(text, entries, created)?;
            let missing = json::missing_containers(&before, entries)?;
            (before, missing)
        }
        FileContent::Toml(section) => (toml::without_section(text, section)?, Vec::new()),
        FileContent::Whole(_) => (text.to_owned(), Vec::new()),
    };
    Ok(Origin {
        before: Some(before),
        created: missing,
    })
}

fn with_snippet(error: Error, planned: &PlannedFile) -> Error {
    match error {
        Error::Connect(mut refused) => {
            if let ConnectError::Refused { paste, .. } = &mut *refused {
                *paste = planned.content.snippet();
            }
            Error::Connect(refused)
        }
        other => other,
    }
}
