//! How what was written is taken out again.

use std::path::Path;

use signoff_api::connect::FileAction;
use signoff_store::trust::connections::{Connection, WrittenFile};
use signoff_work::settings::{Uneditable, json, toml};

use super::agents::{FileContent, Integration};
use super::change::FileChange;
use super::files;
use crate::error::{ConnectError, Error};

/// The changes that disconnect the agent.
pub(super) fn changes(
    integration: &Integration,
    known: Option<&Connection>,
) -> Result<Vec<FileChange>, Error> {
    let written = known.map_or(&[][..], |known| &known.files);
    let mut changes = Vec::new();
    for planned in &integration.files {
        let record = written.iter().find(|file| file.path == planned.path);
        changes.push(change(&planned.path, Some(&planned.content), record)?);
    }
    for record in written {
        if !integration
            .files
            .iter()
            .any(|file| file.path == record.path)
        {
            changes.push(change(&record.path, None, Some(record))?);
        }
    }
    changes.retain(|change| change.current.is_some());
    Ok(changes)
}

/// Takes our part out of one file: all of it is restored if nobody changed it since, else only our entries go.
pub(super) fn change(
    path: &Path,
    content: Option<&FileContent>,
    written: Option<&WrittenFile>,
) -> Result<FileChange, Error> {
    let current = files::read(path)?;
    let (new, action) = match (&current, written) {
        (None, _) => (None, FileAction::Unchanged),
        (Some(text), Some(written)) if written.is_written(text) => match &written.before {
            Some(before) => (Some(before.clone()), FileAction::Restored),
            None => (None, FileAction::Removed),
        },
        (Some(text), written) => removed_entries(path, text, content, written)?,
    };
    if current != new {
        files::require_writable(path)?;
    }
    Ok(FileChange {
        path: path.to_owned(),
        current,
        new,
        action,
        record: None,
    })
}

fn removed_entries(
    path: &Path,
    text: &str,
    content: Option<&FileContent>,
    written: Option<&WrittenFile>,
) -> Result<(Option<String>, FileAction), Error> {
    let created = written.map_or(&[][..], |written| &written.created);
    let new = match content {
        Some(FileContent::Json(entries)) => json::without_entries(text, entries, created),
        Some(FileContent::Toml(section)) => toml::without_section(text, section),
        Some(FileContent::Whole(ours)) if ours == text => return Ok((None, FileAction::Removed)),
        Some(FileContent::Whole(_)) | None => {
            return Ok((Some(text.to_owned()), FileAction::Left));
        }
    };
    let new = new.map_err(|why: Uneditable| ConnectError::Refused {
        path: path.to_owned(),
        why: why.to_string(),
        paste: None,
    })?;
    let was_made = written.is_some_and(|written| written.before.is_none());
    if was_made && matches!(new.trim(), "" | "{}") {
        return Ok((None, FileAction::Removed));
    }
    let action = if new == text {
        FileAction::Unchanged
    } else {
        FileAction::Changed
    };
    Ok((Some(new), action))
}
