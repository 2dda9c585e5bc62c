//! The tools that read directories: `list_directory` and `search_files`.
//!
//! Links are shown and not followed: they may lead in circles. What belongs to git and to the harness
//! is not there.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;

use regex::Regex;
use rustix::fs::{AtFlags, Dir, FileType};
use serde::Deserialize;
use serde_json::{Value, json};
use signoff_plan::glob;

use super::read::LARGEST;
use super::workspace::{FinalLink, MissingDirectories, Workspace, is_never};
use crate::beneath::{open_file, open_folder};
use crate::call::{CallError, Limits};

/// Entries that a listing can have.
const MOST_ENTRIES: usize = 10_000;
/// Entries of one directory that are read.
const MOST_NAMES: usize = 1_000_000;
/// The default number of matches of a search.
const MOST_MATCHES: usize = 1_000;
/// Bytes of a matching line that are shown.
const SHOWN: usize = 1_000;
/// Directories within directories; deeper nesting is an attack.
const DEEPEST: usize = 200;

#[derive(Deserialize)]
pub(super) struct ListDirectoryArguments {
    path: Option<String>,
    #[serde(default)]
    recursive: bool,
}

pub(super) fn list_directory(
    workspace: &Workspace,
    args: ListDirectoryArguments,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let path = args.path.unwrap_or_else(|| ".".to_owned());
    let spot = workspace.find(&path, FinalLink::Target, MissingDirectories::Refuse)?;
    let directory = spot.open_directory()?;
    let mut entries = Vec::new();
    let mut truncated = false;
    let mut tour = DirectoryWalk {
        limits,
        deepest: if args.recursive { DEEPEST } else { 0 },
    };
    tour.visit(directory.as_fd(), "", 0, &mut |entry| {
        if entries.len() == MOST_ENTRIES {
            truncated = true;
            return Ok(VisitNext::Stop);
        }
        let kind = match entry.kind {
            FileType::RegularFile => "file",
            FileType::Directory => "directory",
            FileType::Symlink => "link",
            _ => "other",
        };
        let size = (entry.kind == FileType::RegularFile).then_some(entry.size);
        entries.push(json!({"path": entry.path, "type": kind, "size": size}));
        Ok(VisitNext::On)
    })?;
    let mut result = json!({"path": path, "entries": entries});
    tell_truncated(&mut result, truncated);
    Ok(result)
}

#[derive(Deserialize)]
pub(super) struct SearchFilesArguments {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    max_results: Option<usize>,
}

pub(super) fn search_files(
    workspace: &Workspace,
    args: &SearchFilesArguments,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let pattern = Regex::new(&args.pattern).map_err(|error| {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default();
        let last = last.trim_start_matches("error: ");
        CallError::lasting(format!("`pattern` is not a regular expression: {last}"))
    })?;
    let most = args.max_results.unwrap_or(MOST_MATCHES).min(MOST_MATCHES);
    let mut found = SearchResults {
        pattern,
        most,
        matches: Vec::new(),
        truncated: false,
    };
    let path = args.path.as_deref().unwrap_or(".");
    let spot = workspace.find(path, FinalLink::Target, MissingDirectories::Refuse)?;
    if spot.kind()? == Some(FileType::RegularFile) {
        found.in_file(path, spot.open()?);
    } else {
        let directory = spot.open_directory()?;
        let below = path.trim_end_matches('/');
        let prefix = if matches!(below, "." | "") {
            String::new()
        } else {
            format!("{below}/")
        };
        let mut tour = DirectoryWalk {
            limits,
            deepest: DEEPEST,
        };
        tour.visit(directory.as_fd(), &prefix, 0, &mut |entry| {
            let wanted = |glob: &String| covers(glob, &entry.path);
            if entry.kind == FileType::RegularFile
                && entry.size <= LARGEST
                && args.glob.as_ref().is_none_or(wanted)
                // What vanished or cannot be read has no matches.
                && let Ok(file) = open_file(entry.directory, entry.name.as_bytes())
            {
                return Ok(found.in_file(&entry.path, file));
            }
            Ok(VisitNext::On)
        })?;
    }
    let mut result = json!({"matches": found.matches});
    tell_truncated(&mut result, found.truncated);
    Ok(result)
}

/// A pattern without a folder is about names, wherever they are.
fn covers(pattern: &str, path: &str) -> bool {
    if pattern.contains('/') {
        return glob::matches(pattern, path);
    }
    glob::matches(pattern, path.rsplit('/').next().unwrap_or(path))
}

fn tell_truncated(result: &mut Value, truncated: bool) {
    if truncated && let Value::Object(members) = result {
        members.insert("truncated".to_owned(), Value::Bool(true));
    }
}

struct SearchResults {
    pattern: Regex,
    most: usize,
    matches: Vec<Value>,
    truncated: bool,
}

impl SearchResults {
    fn in_file(&mut self, path: &str, file: File) -> VisitNext {
        let mut bytes = Vec::new();
        let read = file.take(LARGEST).read_to_end(&mut bytes);
        let head = &bytes[..bytes.len().min(8000)];
        // What has a zero byte is not for reading.
        if read.is_err() || head.contains(&0) {
            return VisitNext::On;
        }
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in (1_u64..).zip(text.lines()) {
            if !self.pattern.is_match(line) {
                continue;
            }
            if self.matches.len() == self.most {
                self.truncated = true;
                return VisitNext::Stop;
            }
            let shown = line.get(..line.floor_char_boundary(SHOWN)).unwrap_or(line);
            self.matches
                .push(json!({"path": path, "line": number, "text": shown}));
        }
        VisitNext::On
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitNext {
    On,
    Stop,
}

struct DirectoryEntry<'e> {
    directory: BorrowedFd<'e>,
    name: &'e OsStr,
    path: String,
    kind: FileType,
    size: u64,
}

struct DirectoryWalk<'l> {
    limits: &'l Limits<'l>,
    deepest: usize,
}

impl DirectoryWalk<'_> {
    /// Shows what is in a directory, in the order of names, each directory before what is in it.
    fn visit(
        &mut self,
        directory: BorrowedFd<'_>,
        prefix: &str,
        depth: usize,
        show: &mut dyn FnMut(DirectoryEntry<'_>) -> Result<VisitNext, CallError>,
    ) -> Result<VisitNext, CallError> {
        for name in self.names(directory, prefix)? {
            self.limits.check()?;
            let Ok(stat) = rustix::fs::statat(directory, &*name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let kind = FileType::from_raw_mode(stat.st_mode);
            let name = OsStr::from_bytes(name.to_bytes());
            let path = format!("{prefix}{}", name.display());
            let below = format!("{path}/");
            let entry = DirectoryEntry {
                directory,
                name,
                path,
                kind,
                size: u64::try_from(stat.st_size).expect("a size is not negative"),
            };
            if show(entry)? == VisitNext::Stop {
                return Ok(VisitNext::Stop);
            }
            if kind == FileType::Directory
                && depth < self.deepest
                && let Ok(inner) = open_folder(directory, name.as_bytes())
                && self.visit(inner.as_fd(), &below, depth + 1, show)? == VisitNext::Stop
            {
                return Ok(VisitNext::Stop);
            }
        }
        Ok(VisitNext::On)
    }

    fn names(&self, directory: BorrowedFd<'_>, prefix: &str) -> Result<Vec<Box<CStr>>, CallError> {
        let failed = |error| CallError::from_io("list", prefix, error);
        let entries = Dir::read_from(directory).map_err(failed)?;
        let mut names = Vec::new();
        for entry in entries {
            self.limits.check()?;
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let known = matches!(name.to_bytes(), b"." | b"..");
            if !known && !is_never(OsStr::from_bytes(name.to_bytes())) {
                names.push(name.into());
            }
            if names.len() > MOST_NAMES {
                let message = format!("`{prefix}` has more than {MOST_NAMES} entries");
                return Err(CallError::lasting(message));
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}
