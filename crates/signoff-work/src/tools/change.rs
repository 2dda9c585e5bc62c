//! The tools that change single files: `write_file`, `edit_file`, `delete_file` and `move_file`.

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::{Value, json};

use super::read::read_text;
use super::replace::{Overwrite, appeared_error, rename, replace, sync};
use super::workspace::{FinalLink, MissingDirectories, Workspace, WorkspacePath};
use crate::call::CallError;

#[derive(Deserialize)]
pub(super) struct WriteFileArguments {
    path: String,
    content: String,
}

/// `agreed`: whether an existing file may be overwritten.
pub(super) fn write_file(
    workspace: &Workspace,
    args: WriteFileArguments,
    agreed: bool,
) -> Result<Value, CallError> {
    let spot = workspace.find(&args.path, FinalLink::Target, MissingDirectories::Make)?;
    let expected = if agreed {
        Overwrite::Anything
    } else {
        Overwrite::Nothing
    };
    refuse_directory(&spot)?;
    replace(&spot, args.content.as_bytes(), expected)?;
    Ok(json!({"path": args.path, "bytes": args.content.len()}))
}

#[derive(Deserialize)]
pub(super) struct EditFileArguments {
    path: String,
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: bool,
}

pub(super) fn edit_file(
    workspace: &Workspace,
    args: EditFileArguments,
) -> Result<Value, CallError> {
    let spot = workspace.find(&args.path, FinalLink::Target, MissingDirectories::Refuse)?;
    let file = spot.open()?;
    let seen = rustix::fs::fstat(&file);
    let seen = seen.map_err(|error| CallError::from_io("read", &args.path, error))?;
    let content = read_text(&spot, file)?;
    if args.old_text.is_empty() {
        return Err(CallError::lasting(
            "`old_text` is empty, so that it is everywhere",
        ));
    }
    let found = content.matches(&args.old_text).count();
    match found {
        0 => {
            let message = format!("`old_text` is not in `{}`", args.path);
            return Err(CallError::lasting(message));
        }
        1 => {}
        _ if args.replace_all => {}
        _ => {
            let message = format!(
                "`old_text` is in `{}` {found} times; make it longer, or set `replace_all`",
                args.path
            );
            return Err(CallError::lasting(message));
        }
    }
    let edited = content.replace(&args.old_text, &args.new_text);
    replace(&spot, edited.as_bytes(), Overwrite::Exactly(seen))?;
    Ok(json!({"path": args.path, "replaced": found}))
}

#[derive(Deserialize)]
pub(super) struct DeleteFileArguments {
    path: String,
}

/// A link is deleted, not what it leads to.
pub(super) fn delete_file(
    workspace: &Workspace,
    args: DeleteFileArguments,
) -> Result<Value, CallError> {
    let spot = workspace.find(&args.path, FinalLink::Itself, MissingDirectories::Refuse)?;
    refuse_directory(&spot)?;
    let removed = rustix::fs::unlinkat(&spot.directory, spot.file_name()?, AtFlags::empty());
    removed.map_err(|error| CallError::from_io("delete", &args.path, error))?;
    sync(&spot.directory);
    Ok(json!({"path": args.path}))
}

#[derive(Deserialize)]
pub(super) struct MoveFileArguments {
    from: String,
    to: String,
}

/// `agreed`: whether an existing file may be overwritten.
pub(super) fn move_file(
    workspace: &Workspace,
    args: MoveFileArguments,
    agreed: bool,
) -> Result<Value, CallError> {
    let from = workspace.find(&args.from, FinalLink::Itself, MissingDirectories::Refuse)?;
    refuse_directory(&from)?;
    if from.kind()?.is_none() {
        return Err(CallError::from_io("move", &args.from, Errno::NOENT));
    }
    let to = workspace.find(&args.to, FinalLink::Itself, MissingDirectories::Make)?;
    refuse_directory(&to)?;
    let (old, new) = (from.file_name()?, to.file_name()?);
    let renamed = rename(&from.directory, old, &to.directory, new, !agreed);
    renamed.map_err(|error| match error {
        Errno::EXIST if !agreed => appeared_error(&to),
        error => CallError::from_io("move", &args.from, error),
    })?;
    sync(&to.directory);
    sync(&from.directory);
    Ok(json!({"from": args.from, "to": args.to}))
}

fn refuse_directory(spot: &WorkspacePath) -> Result<(), CallError> {
    match spot.kind()? {
        Some(FileType::Directory) => {
            let message = format!("`{}` is a directory, not a file", spot.written);
            Err(CallError::lasting(message))
        }
        _ => Ok(()),
    }
}
