//! When the files of the checkout were last written.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::git::names::Name;
use crate::git::{GitError, HarnessGit, Id};

/// The times of the checkout's files, with the content that each had at that time.
#[derive(Debug, Clone)]
pub struct CheckoutTimes {
    /// The tree that the checkout was recorded as.
    tree: Id,
    files: BTreeMap<Name, (Id, FileTime)>,
    made: FileTime,
    id: String,
}

/// Seconds and nanoseconds since 1970.
pub(crate) type FileTime = (i64, i64);

impl CheckoutTimes {
    /// The time of a file in the checkout, if it has this content there.
    pub(crate) fn time_of(&self, name: &[u8], content: &Id) -> Option<FileTime> {
        let (id, time) = self.files.get(name)?;
        (id == content).then_some(*time)
    }

    /// When these times were taken: files that differ from the checkout's are newer.
    pub(crate) fn taken_at(&self) -> FileTime {
        self.made
    }

    /// What tells these times from others.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The same times, taken now: for trees that are shown after something was built, so that what differs from the
    /// checkout is newer than what was built.
    #[must_use]
    pub fn taken_now(mut self) -> Self {
        self.made = now();
        self.id = id_of(self.made);
        self
    }

    /// All files of this tree, if it is the one that the checkout was recorded as.
    pub(crate) fn files_of(&self, tree: &Id) -> Option<Vec<(Name, Id)>> {
        let files = self.files.iter();
        let named = files.map(|(name, (id, _))| (name.clone(), id.clone()));
        (*tree == self.tree).then(|| named.collect())
    }

    fn read(tree: Id, listing: &[u8]) -> Result<Self, GitError> {
        let made = now();
        let mut files = BTreeMap::new();
        let mut rest = listing;
        while let Some(tab) = rest.iter().position(|byte| *byte == b'\t') {
            let (entry, after) = rest.split_at(tab);
            let (name, after) = split_once(&after[1..], 0)?;
            let (lines, after) = debug_lines(after)?;
            let text = String::from_utf8_lossy(entry);
            let id = text.split(' ').nth(1).unwrap_or_default().parse()?;
            files.insert(name.to_vec(), (id, modified(lines)?));
            rest = after;
        }
        let id = id_of(made);
        Ok(Self {
            tree,
            files,
            made,
            id,
        })
    }
}

impl HarnessGit {
    /// The checkout as it is, as [`HarnessGit::snapshot`] has it, with the times of its files.
    pub fn snapshot_with_times(&self) -> Result<(Id, CheckoutTimes), GitError> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        self.record_checkout(&index)?;
        let tree = self.write_tree(&index)?;
        let words = ["ls-files", "--stage", "--debug", "-z"];
        let out = self
            .call_in(self.repository.top(), &index)
            .args(words)
            .run()?;
        Ok((tree.clone(), CheckoutTimes::read(tree, &out)?))
    }
}

/// The five lines about an entry.
fn debug_lines(text: &[u8]) -> Result<(&[u8], &[u8]), GitError> {
    let mut ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let (end, _) = ends.nth(4).ok_or_else(|| unexpected_output(text))?;
    Ok(text.split_at(end + 1))
}

/// From the line `  mtime: seconds:nanoseconds`.
fn modified(lines: &[u8]) -> Result<FileTime, GitError> {
    let text = String::from_utf8_lossy(lines);
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("mtime: "));
    let (seconds, nanos) = line
        .and_then(|time| time.split_once(':'))
        .ok_or_else(|| unexpected_output(lines))?;
    match (seconds.parse(), nanos.parse()) {
        (Ok(seconds), Ok(nanos)) => Ok((seconds, nanos)),
        _ => Err(unexpected_output(lines)),
    }
}

fn split_once(text: &[u8], at: u8) -> Result<(&[u8], &[u8]), GitError> {
    let end = text.iter().position(|byte| *byte == at);
    let end = end.ok_or_else(|| unexpected_output(text))?;
    let (first, rest) = text.split_at(end);
    Ok((first, &rest[1..]))
}

fn unexpected_output(text: &[u8]) -> GitError {
    GitError::unexpected("the times of a file", &String::from_utf8_lossy(text))
}

fn now() -> FileTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    (seconds, i64::from(since.subsec_nanos()))
}

fn id_of((seconds, nanos): FileTime) -> String {
    format!("{seconds}.{nanos:09}.{}", std::process::id())
}
