//! The files that a step may not change, and what became of them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::readlinkat;
use sha2::{Digest as _, Sha256};
use signoff_plan::glob;

use crate::beneath::{Directory, Links, OpenError};

/// Directories that change by themselves and cannot be protected.
const NEVER: [&str; 2] = [".git", ".signoff"];
/// Bytes of a file that are read.
const LARGEST: u64 = 1 << 30;
/// Entries of one directory.
const MOST: usize = 1_000_000;
/// Directories within directories: less than the files that a process may have open.
const DEEPEST: usize = 200;

/// What each file that the patterns cover is now: content, permissions, number of hard links.
///
/// Ignored files count as well. A second hard link is another way to the content: it is told, so that
/// one made during the work is noticed. Links to directories are not followed.
pub fn protected(workspace: &Path, globs: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let root = match workspace
        .canonicalize()
        .and_then(|path| Directory::open(&path))
    {
        Ok(root) => root,
        Err(error) => return [("./".to_owned(), format!("unreadable: {error}"))].into(),
    };
    for pattern in globs {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let climbs = pattern.split('/').any(|part| part == "..");
        if climbs || pattern.is_empty() || pattern.starts_with(['/', '~']) {
            continue;
        }
        let folder = glob::fixed_folder(pattern);
        // What lies behind a link is another's.
        let Ok(directory) = root.directory(Path::new(folder)) else {
            continue;
        };
        let mut search = Search {
            root: &root,
            pattern,
            found: &mut found,
        };
        search.walk(&directory, Path::new(folder), 0);
    }
    found
}

/// Describes what differs between two records of the files.
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

/// Records the files in a folder that match; agents may write to `root` and its folders.
struct Search<'s> {
    root: &'s Directory,
    pattern: &'s str,
    found: &'s mut BTreeMap<String, String>,
}

impl Search<'_> {
    fn walk(&mut self, directory: &Directory, folder: &Path, depth: usize) {
        let names = match directory.names(MOST) {
            Ok(_) if depth > DEEPEST => Err("it lies too deep".to_owned()),
            names => names.map_err(|error| error.to_string()),
        };
        let names = match names {
            Ok(names) => names,
            // That it could not be read counts.
            Err(why) => {
                let folder = format!("{}/", folder.display());
                self.found.insert(folder, format!("unreadable: {why}"));
                return;
            }
        };
        for name in names {
            if NEVER.iter().any(|never| name == *never) {
                continue;
            }
            let path = folder.join(&name);
            // No pattern can name one that is not UTF-8, but `*` covers it.
            let text = path.to_string_lossy().into_owned();
            match directory.directory(Path::new(&name)) {
                Ok(inner) => self.walk(&inner, &path, depth + 1),
                Err(_) if !glob::covers(self.pattern, &text) || self.found.contains_key(&text) => {}
                Err(_) => {
                    let description = self.description(directory, &name, &path);
                    self.found.insert(text, description);
                }
            }
        }
    }

    fn description(&self, directory: &Directory, name: &OsStr, path: &Path) -> String {
        let described = || -> Result<String, OpenError> {
            let link = match readlinkat(directory, name, Vec::new()) {
                Ok(target) => format!("link to `{}`, ", target.to_string_lossy()),
                Err(_) => String::new(),
            };
            // The content that a reader of the path gets, also through a link inside the workspace.
            let content = match self.root.file(path, Links::Inside) {
                Ok(file) => content(file)?,
                Err(OpenError::System(error)) if link.is_empty() => return Err(error.into()),
                Err(OpenError::System(error)) => error.kind().to_string(),
                Err(error) => error.to_string(),
            };
            Ok(format!("{link}{content}"))
        };
        // That it could not be read counts.
        described().unwrap_or_else(|error| format!("unreadable: {error}"))
    }
}

/// Content, permissions and number of hard links of a file.
fn content(file: File) -> Result<String, OpenError> {
    let stat = file.metadata()?;
    let (mode, links) = (stat.mode() & 0o7777, stat.nlink());
    let content = if stat.len() > LARGEST {
        // Every change of the file changes these too.
        let (size, inode) = (stat.len(), stat.ino());
        let (seconds, rest) = (stat.ctime(), stat.ctime_nsec());
        format!("{size} bytes, inode {inode}, changed at {seconds}.{rest:09}")
    } else {
        hash(file.take(LARGEST))?
    };
    Ok(format!("{content}, mode {mode:o}, {links} hard links"))
}

fn hash(mut file: impl io::Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(&buffer[..count]),
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
