//! Whether directories that a process could write to are exactly as they were before.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Entries of one directory, and bytes of one file, that are looked at. More is more than was put there.
const MOST_ENTRIES: usize = 1_000;
const MOST_BYTES: u64 = 64 << 10;

/// How directories look, with everything in them but their times: clocks of file systems are too coarse to tell that
/// nothing was written since.
#[derive(Debug)]
pub struct Looks(BTreeMap<PathBuf, Entry>);

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    mode: u32,
    owner: (u32, u32),
    attributes: Vec<u8>,
    content: Content,
}

#[derive(Debug, PartialEq, Eq)]
enum Content {
    Directory(BTreeSet<OsString>),
    File(Vec<u8>),
    Link(PathBuf),
}

impl Looks {
    /// Of these directories, without what is `apart`.
    pub fn of(roots: &[&Path], apart: &[PathBuf]) -> io::Result<Self> {
        let mut entries = BTreeMap::new();
        let mut waiting: Vec<PathBuf> = roots.iter().map(|root| (*root).to_owned()).collect();
        while let Some(path) = waiting.pop() {
            if apart.contains(&path) {
                continue;
            }
            let entry = Entry::at(&path)?;
            if let Content::Directory(names) = &entry.content {
                waiting.extend(names.iter().map(|name| path.join(name)));
            }
            entries.insert(path, entry);
        }
        Ok(Self(entries))
    }

    /// Does everything look the same now? What cannot be looked at does not.
    pub fn are_same(&self) -> bool {
        let is_same =
            |(path, entry): (&PathBuf, &Entry)| Entry::at(path).is_ok_and(|now| now == *entry);
        self.0.iter().all(is_same)
    }
}

impl Entry {
    fn at(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let kind = found.file_type();
        let content = if kind.is_dir() {
            Content::Directory(names(path)?)
        } else if kind.is_symlink() {
            Content::Link(fs::read_link(path)?)
        } else if kind.is_file() && found.len() <= MOST_BYTES && found.nlink() == 1 {
            Content::File(fs::read(path)?)
        } else {
            return Err(io::Error::other("nothing that was put there"));
        };
        Ok(Self {
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            attributes: attributes(path)?,
            content,
        })
    }
}

fn names(path: &Path) -> io::Result<BTreeSet<OsString>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(path)? {
        names.insert(entry?.file_name());
        if names.len() > MOST_ENTRIES {
            return Err(io::Error::other("more than was put there"));
        }
    }
    Ok(names)
}

/// The names of its extended attributes: an access list is one.
fn attributes(path: &Path) -> io::Result<Vec<u8>> {
    let mut names = [0_u8; 1024];
    match rustix::fs::llistxattr(path, &mut names[..]) {
        Ok(length) => Ok(names.get(..length).unwrap_or_default().to_vec()),
        Err(rustix::io::Errno::NOTSUP) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn made() -> (tempfile::TempDir, Looks) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("home/.cargo")).unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        fs::write(dir.path().join("home/.gitconfig"), "[user]\n").unwrap();
        symlink(".cargo", dir.path().join("home/tools")).unwrap();
        let looks = Looks::of(&[dir.path()], &[dir.path().join("work")]).unwrap();
        (dir, looks)
    }

    #[test]
    fn what_nobody_touched_looks_the_same() {
        let (dir, looks) = made();
        assert!(looks.are_same());
        fs::write(dir.path().join("work/kernel"), "").unwrap();
        assert!(looks.are_same());
    }

    #[test]
    fn whatever_is_left_is_seen() {
        type Change = fn(&Path) -> io::Result<()>;
        let changes: [(&str, Change); 7] = [
            ("a file", |home| fs::write(home.join(".cargo/x"), "")),
            ("a directory", |home| fs::create_dir(home.join("x"))),
            ("as many bytes", |home| {
                fs::write(home.join(".gitconfig"), "[uses]\n")
            }),
            ("a right", |home| {
                fs::set_permissions(home.join(".cargo"), fs::Permissions::from_mode(0o777))
            }),
            ("another link", |home| {
                fs::remove_file(home.join("tools"))?;
                symlink("/", home.join("tools"))
            }),
            ("something gone", |home| {
                fs::remove_file(home.join(".gitconfig"))
            }),
            ("another name", |home| {
                fs::hard_link(home.join(".gitconfig"), home.join("../b"))
            }),
        ];
        for (what, change) in changes {
            let (dir, looks) = made();
            change(&dir.path().join("home")).unwrap();
            assert!(!looks.are_same(), "{what}");
        }
    }
}
