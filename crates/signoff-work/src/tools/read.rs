//! `read_file`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::{FinalLink, MissingDirectories, Workspace, WorkspacePath};
use crate::call::{CallError, Limits};

/// Bytes of a file that a result or an edit can hold.
pub(super) const LARGEST: u64 = 16 * 1024 * 1024;

#[derive(Deserialize)]
pub(super) struct ReadFileArguments {
    path: String,
    from_line: Option<u64>,
    to_line: Option<u64>,
}

pub(super) fn read_file(
    workspace: &Workspace,
    args: ReadFileArguments,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let spot = workspace.find(&args.path, FinalLink::Target, MissingDirectories::Refuse)?;
    let file = spot.open()?;
    let content = match (args.from_line, args.to_line) {
        (None, None) => read_text(&spot, file)?,
        (from, to) => {
            let range = from.unwrap_or(1)..=to.unwrap_or(u64::MAX);
            read_lines(&spot, file, range, limits)?
        }
    };
    Ok(json!({"path": args.path, "content": content}))
}

/// All of a file, which must be text.
pub(super) fn read_text(spot: &WorkspacePath, file: File) -> Result<String, CallError> {
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| CallError::from_io("read", &spot.written, error))?;
    to_text(spot, bytes)
}

/// Some lines of a file, however long the rest of it is: the time of the call is the limit.
fn read_lines(
    spot: &WorkspacePath,
    file: File,
    range: RangeInclusive<u64>,
    limits: &Limits<'_>,
) -> Result<String, CallError> {
    let mut reader = BufReader::new(file);
    let (mut wanted, mut line) = (Vec::new(), Vec::new());
    for number in 1..=*range.end() {
        limits.check()?;
        line.clear();
        let read = (&mut reader).take(LARGEST + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| CallError::from_io("read", &spot.written, error))?;
        if read == 0 {
            break;
        }
        if number >= *range.start() {
            wanted.extend_from_slice(&line);
        }
        if wanted.len().max(line.len()) as u64 > LARGEST {
            return Err(too_large(spot));
        }
    }
    to_text(spot, wanted)
}

fn to_text(spot: &WorkspacePath, bytes: Vec<u8>) -> Result<String, CallError> {
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(spot));
    }
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("cannot read `{}`: it is not UTF-8 text", spot.written);
        CallError::lasting(message)
    })
}

fn too_large(spot: &WorkspacePath) -> CallError {
    CallError::lasting(format!(
        "cannot read `{}`: it is larger than 16 MiB; `from_line` and `to_line` read a part of it",
        spot.written
    ))
}
