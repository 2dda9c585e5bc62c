//! The files that a step may not change, and what became of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use signoff_plan::glob;

/// What changes by itself and is nobody's to protect.
const NEVER: [&str; 2] = [".git", ".signoff"];

/// What each file that the patterns cover is now: content, permissions, number of hard links.
///
/// Ignored files count as well. A second hard link is another way to the content: it is told, so that
/// one made during the work is noticed. Links to directories are not followed.
pub fn protected(workspace: &Path, globs: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for pattern in globs {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let climbs = pattern.split('/').any(|part| part == "..");
        if climbs || pattern.is_empty() || pattern.starts_with(['/', '~']) {
            continue;
        }
        let fixed = pattern.find(['*', '?']).unwrap_or(pattern.len());
        let folder = pattern.get(..fixed).unwrap_or_default();
        let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !is_real(workspace, folder) {
            continue;
        }
        walk(workspace, folder, pattern, &mut found);
    }
    found
}

/// What differs between two looks, in words.
pub fn protected_changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (path, was) in before {
        match after.get(path) {
            Some(is) if is == was => {}
            Some(is) => found.push(format!("`{path}` was changed ({was}, now {is})")),
            None => found.push(format!("`{path}` was removed")),
        }
    }
    let new = after.keys().filter(|path| !before.contains_key(*path));
    found.extend(new.map(|path| format!("`{path}` was added")));
    found
}

/// Is the way to this folder free of links? What lies behind one is another's.
fn is_real(root: &Path, folder: &str) -> bool {
    let mut path = root.to_path_buf();
    folder
        .split('/')
        .filter(|part| !part.is_empty())
        .all(|part| {
            path.push(part);
            path.symlink_metadata().is_ok_and(|found| found.is_dir())
        })
}

fn walk(root: &Path, folder: &str, pattern: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        // No pattern can name one that is not UTF-8, but `*` covers it.
        let name = name.to_string_lossy();
        if NEVER.contains(&&*name) {
            continue;
        }
        let path = if folder.is_empty() {
            name.into_owned()
        } else {
            format!("{folder}/{name}")
        };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, pattern, found);
        } else if glob::matches(pattern, &path) && !found.contains_key(&path) {
            found.insert(path, described(&entry.path()));
        }
    }
}

fn described(path: &Path) -> String {
    match look(path) {
        Ok(text) => text,
        // That it could not be read counts.
        Err(error) => format!("unreadable: {error}"),
    }
}

fn look(path: &Path) -> io::Result<String> {
    let itself = path.symlink_metadata()?;
    let mut text = String::new();
    if itself.is_symlink() {
        text = format!("link to `{}`, ", fs::read_link(path)?.display());
    }
    // The content that a reader of the path gets, also through a link.
    let target = match path.metadata() {
        Ok(target) => target,
        Err(error) if itself.is_symlink() => return Ok(format!("{text}{}", error.kind())),
        Err(error) => return Err(error),
    };
    let content = if target.is_file() {
        hash(path)?
    } else {
        "no file".to_owned()
    };
    let (mode, links) = (target.mode() & 0o7777, target.nlink());
    Ok(format!(
        "{text}{content}, mode {mode:o}, {links} hard links"
    ))
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut text = "sha256 ".to_owned();
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").map_err(io::Error::other)?;
    }
    Ok(text)
}
