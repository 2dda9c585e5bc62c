//! Entries of indexes and trees, and what differs between two, as git lists them.

use crate::git::names::{Name, nul_separated};
use crate::git::{GitError, Id};

/// The mode of a symbolic link in a tree.
pub(crate) const LINK: u32 = 0o120_000;
/// The mode of another repository in a tree.
pub(crate) const GITLINK: u32 = 0o160_000;

/// One file of an index or a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) mode: u32,
    pub(crate) id: Id,
    /// 0, or which side of a conflict.
    pub(crate) stage: u8,
    pub(crate) name: Name,
    /// Git was told to take it for unchanged.
    pub(crate) is_assumed: bool,
    /// Git was told that it need not be there.
    pub(crate) is_skipped: bool,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) name: Name,
    pub(crate) before: Option<(u32, Id)>,
    pub(crate) after: Option<(u32, Id)>,
}

impl IndexEntry {
    /// Reads `ls-files --stage -v -z`: `H 100644 id 0<TAB>name`.
    pub(crate) fn read_index(listing: &[u8]) -> Result<Vec<Self>, GitError> {
        nul_separated(listing)
            .map(|part| {
                let (head, name) = split_at_tab(part)?;
                let mut words = head.split(' ');
                let tag = words.next().unwrap_or_default();
                let (mode, id) = (
                    mode(words.next())?,
                    words.next().unwrap_or_default().parse()?,
                );
                let stage = words.next().and_then(|stage| stage.parse().ok());
                Ok(Self {
                    mode,
                    id,
                    stage: stage.ok_or_else(|| unexpected_output(part))?,
                    name,
                    is_assumed: tag.starts_with(|tag: char| tag.is_ascii_lowercase()),
                    is_skipped: tag.eq_ignore_ascii_case("s"),
                })
            })
            .collect()
    }
}

/// Reads `ls-tree -r -z`: `100644 blob id<TAB>name`.
pub(crate) fn tree_entries(listing: &[u8]) -> Result<Vec<IndexEntry>, GitError> {
    nul_separated(listing)
        .map(|part| {
            let (head, name) = split_at_tab(part)?;
            let mut words = head.split(' ');
            Ok(IndexEntry {
                mode: mode(words.next())?,
                id: words.nth(1).unwrap_or_default().parse()?,
                stage: 0,
                name,
                is_assumed: false,
                is_skipped: false,
            })
        })
        .collect()
}

/// Reads the raw output of `diff-tree` and `diff-index`: `:100644 100755 id id M`, then the name.
pub(crate) fn differences(listing: &[u8]) -> Result<Vec<Difference>, GitError> {
    let mut parts = nul_separated(listing);
    let mut found = Vec::new();
    while let (Some(head), Some(name)) = (parts.next(), parts.next()) {
        let text = String::from_utf8_lossy(head);
        let words: Vec<&str> = text.trim_start_matches(':').split(' ').collect();
        let [before, after, old, new, _] = words[..] else {
            return Err(unexpected_output(head));
        };
        found.push(Difference {
            name: name.to_vec(),
            before: parse_side(before, old)?,
            after: parse_side(after, new)?,
        });
    }
    Ok(found)
}

/// What makes an index hold these: a line for each, `None` for what it should not hold.
pub(crate) fn index_lines<'e>(
    entries: impl IntoIterator<Item = (&'e Name, &'e Option<(u32, Id)>)>,
    none: &str,
) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, entry) in entries {
        let head = match entry {
            Some((mode, id)) => format!("{mode:06o} {id}\t"),
            None => format!("0 {none}\t"),
        };
        lines.extend_from_slice(head.as_bytes());
        lines.extend_from_slice(name);
        lines.push(0);
    }
    lines
}

fn parse_side(mode_word: &str, id: &str) -> Result<Option<(u32, Id)>, GitError> {
    match mode(Some(mode_word))? {
        0 => Ok(None),
        mode => Ok(Some((mode, id.parse()?))),
    }
}

fn mode(word: Option<&str>) -> Result<u32, GitError> {
    let word = word.unwrap_or_default();
    u32::from_str_radix(word, 8).map_err(|_| GitError::unexpected("the mode of a file", word))
}

fn split_at_tab(part: &[u8]) -> Result<(String, Name), GitError> {
    let tab = part.iter().position(|byte| *byte == b'\t');
    let tab = tab.ok_or_else(|| unexpected_output(part))?;
    let head = String::from_utf8_lossy(&part[..tab]).into_owned();
    Ok((head, part[tab + 1..].to_vec()))
}

fn unexpected_output(part: &[u8]) -> GitError {
    GitError::unexpected("an entry", &String::from_utf8_lossy(part))
}
