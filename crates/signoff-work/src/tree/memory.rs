//! A snapshot written down, for whoever has to know after a crash what was there before.
//!
//! One JSON value: the ignore rules as they were, and of each file what tells whether it is still the
//! same. What was in the files is not kept.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Snapshot;
use super::entry::{Content, Entry, Stamp, TreePath};
use super::ignore::{Above, Patterns};
use super::rules::Rules;
use super::snapshot::Tree;

#[derive(Serialize, Deserialize)]
struct Memory {
    /// The way from a file of patterns above the workspace, and its text.
    above: Vec<(String, String)>,
    /// Folders with patterns of their own, and their text.
    ignored: Vec<(String, String)>,
    files: Vec<Remembered>,
}

/// One file. Bytes are written as hexadecimal numbers where they are no text.
#[derive(Serialize, Deserialize)]
struct Remembered(String, Kept);

#[derive(Serialize, Deserialize)]
enum Kept {
    /// Its hash, and its mode.
    F(String, u32),
    /// It was not read.
    U(Stamp),
    L(String, u32),
    O(u32),
}

impl Snapshot {
    /// Writes it down. A crash leaves the whole of it or nothing.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let tree = self.tree();
        let above = tree.rules.above.iter();
        let ignored = tree.rules.folders.iter();
        let memory = Memory {
            above: above
                .map(|above| (written(&above.way), written(above.patterns.text())))
                .collect(),
            ignored: ignored
                .map(|(folder, patterns)| (written(folder), written(patterns.text())))
                .collect(),
            files: tree.entries.iter().map(remembered).collect(),
        };
        let half = path.with_extension("half");
        std::fs::write(&half, serde_json::to_vec(&memory)?)?;
        std::fs::rename(&half, path)
    }

    /// What was written down. It can be compared, and nothing can be put back from it.
    pub fn load(path: &Path) -> io::Result<Self> {
        let memory: Memory = serde_json::from_slice(&std::fs::read(path)?)?;
        let patterns = |text: &str| Ok::<_, io::Error>(Arc::new(Patterns::read(&bytes(text)?)));
        let mut rules = Rules::default();
        for (way, text) in &memory.above {
            let way = bytes(way)?.into_vec();
            let patterns = patterns(text)?;
            rules.above.push(Above { patterns, way });
        }
        for (folder, text) in &memory.ignored {
            rules.folders.insert(bytes(folder)?, patterns(text)?);
        }
        let entries = memory.files.into_iter().map(entry);
        Ok(Self::new(Arc::new(Tree {
            entries: entries.collect::<io::Result<_>>()?,
            folders: BTreeMap::new(),
            rules,
            warnings: Vec::new(),
        })))
    }
}

fn remembered(entry: &Entry) -> Remembered {
    let mode = entry.stamp.mode;
    let kept = match &entry.content {
        Content::File(Some(hash)) => Kept::F(hex(hash), mode),
        Content::File(None) => Kept::U(entry.stamp),
        Content::Link(target) => Kept::L(written(target), mode),
        Content::Other => Kept::O(mode),
    };
    Remembered(written(&entry.path), kept)
}

fn entry(Remembered(path, kept): Remembered) -> io::Result<Entry> {
    let (stamp, content) = match kept {
        Kept::F(hash, mode) => {
            let hash = unhex(&hash)?.try_into().map_err(|_| damaged())?;
            (Stamp::of_mode(mode), Content::File(Some(hash)))
        }
        Kept::U(stamp) => (stamp, Content::File(None)),
        Kept::L(target, mode) => (Stamp::of_mode(mode), Content::Link(bytes(&target)?)),
        Kept::O(mode) => (Stamp::of_mode(mode), Content::Other),
    };
    Ok(Entry {
        path: bytes(&path)?,
        stamp,
        content,
        settled: false,
        ignored_now: false,
    })
}

/// Text as it is, after a `=`; other bytes as numbers.
fn written(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("={text}"),
        Err(_) => hex(bytes),
    }
}

fn bytes(written: &str) -> io::Result<TreePath> {
    match written.strip_prefix('=') {
        Some(text) => Ok(text.as_bytes().into()),
        None => unhex(written).map(Vec::into_boxed_slice),
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes everything.
        write!(text, "{byte:02x}").ok();
        text
    })
}

fn unhex(text: &str) -> io::Result<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let digits = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    pairs.map(|pair| byte(pair).ok_or_else(damaged)).collect()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::super::Keeper;
    use super::*;

    #[test]
    fn what_was_written_down_is_compared_as_if_it_had_just_been_seen() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().join("tree");
        fs::create_dir_all(tree.join(".git")).unwrap();
        let at = |name: &str| tree.join(name);
        for name in ["same", "changed", "gone", "hidden"] {
            fs::write(at(name), name).unwrap();
        }
        fs::write(tree.join(OsStr::from_bytes(b"not\xffutf8")), "x").unwrap();
        fs::write(at(".gitignore"), "out\n").unwrap();
        symlink("same", at("link")).unwrap();
        let store = directory.path().join("store");
        let kept = directory.path().join("before");
        let before = Keeper::new(&tree, &store).snapshot().unwrap();
        before.save(&kept).unwrap();

        fs::write(at("changed"), "CHANGED").unwrap();
        fs::remove_file(at("gone")).unwrap();
        fs::remove_file(at("link")).unwrap();
        symlink("gone", at("link")).unwrap();
        fs::write(at("out"), "ignored before and now").unwrap();
        // Nobody hides a file by ignoring it.
        fs::write(at(".gitignore"), "out\nnew\nhidden\n").unwrap();
        fs::write(at("new"), "new").unwrap();

        let before = Snapshot::load(&kept).unwrap();
        let mut keeper = Keeper::new(&tree, &store);
        let after = keeper.snapshot_since(&before).unwrap();
        let changes = keeper.changes(&before, &after);
        let mut paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        // It is told by its stamp, which another look does not compare with what was read.
        paths.retain(|path| *path != "hidden");
        assert_eq!(paths, [".gitignore", "changed", "gone", "link", "new"]);
    }

    #[test]
    fn what_is_damaged_is_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("before");
        assert!(Snapshot::load(&path).is_err());
        for text in [
            "",
            "{",
            r#"{"above":[],"ignored":[],"files":[["=a",{"F":["0",1]}]]}"#,
        ] {
            fs::write(&path, text).unwrap();
            assert!(Snapshot::load(&path).is_err(), "{text}");
        }
    }
}
