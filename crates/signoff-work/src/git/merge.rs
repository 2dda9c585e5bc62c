//! Two commits made one, without a working tree.

use std::fmt::Write as _;

use super::names::{Name, text, texts};
use super::{GitError, Id, Own};

/// What came of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The tree that has both.
    Clean(Id),
    /// They do not go together.
    Conflict {
        /// The files in which they do not.
        files: Vec<String>,
        /// The conflicting parts as people read them, between markers; at most 16 KiB.
        text: String,
    },
}

const LONGEST: usize = 16 << 10;
/// Lines shown around a conflict.
const AROUND: usize = 3;
/// Files that are shown: more fit into no prompt.
const SHOWN: usize = 40;

/// What `merge-tree -z` printed.
struct Answer {
    tree: Id,
    files: Vec<Name>,
    /// What git says about conflicts.
    messages: Vec<String>,
}

impl Own {
    /// Merges what `theirs` did since `base` into `ours`; all are commits.
    pub fn merge(&self, base: &Id, ours: &Id, theirs: &Id) -> Result<Merge, GitError> {
        self.merge_by(base, ours, theirs, ours)
    }

    /// The same, with the attributes that this commit or tree says.
    pub(super) fn merge_by(
        &self,
        base: &Id,
        ours: &Id,
        theirs: &Id,
        attributes: &Id,
    ) -> Result<Merge, GitError> {
        let base = format!("--merge-base={base}");
        let said = self
            .call()
            // Which files are merged line by line is said in the tree itself.
            .env("GIT_ATTR_SOURCE", attributes.as_str())
            .words(["merge-tree", "--write-tree", "--messages", "-z", &base])
            .words([ours.as_str(), theirs.as_str()])
            .run_to(&[0, 1])?;
        let answer = Answer::read(&said.out)?;
        if said.code == 0 {
            return Ok(Merge::Clean(answer.tree));
        }
        let text = self.conflict(&answer, ours, theirs)?;
        Ok(Merge::Conflict {
            files: texts(&answer.files),
            text,
        })
    }

    fn conflict(&self, answer: &Answer, ours: &Id, theirs: &Id) -> Result<String, GitError> {
        let mut text = answer.messages.concat();
        for name in answer.files.iter().take(SHOWN) {
            let Some(content) = self.content(&answer.tree, name)? else {
                continue;
            };
            let content = content
                .replace(&format!("<<<<<<< {ours}"), "<<<<<<< merged before")
                .replace(&format!(">>>>>>> {theirs}"), ">>>>>>> this attempt");
            let parts = conflicting_parts(&content);
            if !parts.is_empty() {
                let shown = super::names::text(name);
                write!(text, "\n{shown}:\n{parts}").expect("a string takes everything");
            }
            if text.len() > LONGEST {
                break;
            }
        }
        Ok(cut(text))
    }

    /// What a file of a tree holds, if it is text.
    fn content(&self, tree: &Id, name: &Name) -> Result<Option<String>, GitError> {
        let question = [tree.as_str().as_bytes(), b":", name, b"\0"].concat();
        let out = self
            .call()
            .words(["cat-file", "--batch", "-z"])
            .stdin(question)
            .run();
        let out = match out {
            // Nobody reads as much.
            Err(GitError::TooMuch { .. }) => return Ok(None),
            out => out?,
        };
        // `id blob size`, the content, and a line feed; or `… missing`.
        let line = out.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        let (head, rest) = out.split_at(line);
        let is_blob = String::from_utf8_lossy(head).split(' ').nth(1) == Some("blob");
        let content = rest.get(1..).unwrap_or_default();
        if !is_blob || content.contains(&0) {
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(content).into_owned()))
    }
}

impl Answer {
    /// The tree; each conflicting entry as `mode id stage<TAB>name`; nothing; then messages, each as a number of
    /// paths, the paths, what kind it is, and the text.
    fn read(out: &[u8]) -> Result<Self, GitError> {
        let mut parts = out.split(|byte| *byte == 0);
        let tree = Id::read(parts.next().unwrap_or_default())?;
        let mut files: Vec<Name> = Vec::new();
        for entry in parts.by_ref().take_while(|part| !part.is_empty()) {
            let name = entry.splitn(2, |byte| *byte == b'\t').nth(1);
            files.extend(name.map(<[u8]>::to_vec));
        }
        let mut messages = Vec::new();
        while let Some(count) = parts.next().filter(|part| !part.is_empty()) {
            let count: usize = text(count)
                .parse()
                .map_err(|_| GitError::unexpected("a number of paths", &text(count)))?;
            let paths: Vec<&[u8]> = parts.by_ref().take(count).collect();
            let (kind, words) = (parts.next().unwrap_or_default(), parts.next());
            if kind.starts_with(b"CONFLICT") {
                // A conflict may be of names only, such as a file in the way of a directory.
                files.extend(paths.into_iter().map(<[u8]>::to_vec));
                messages.push(String::from_utf8_lossy(words.unwrap_or_default()).into_owned());
            }
        }
        files.sort();
        files.dedup();
        Ok(Self {
            tree,
            files,
            messages,
        })
    }
}

/// What is between markers, with a few lines around it.
fn conflicting_parts(content: &str) -> String {
    let lines: Vec<&str> = content.lines().collect();
    let mut shown = vec![false; lines.len()];
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        inside |= line.starts_with("<<<<<<< ");
        if inside {
            let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
            shown.get_mut(around).unwrap_or_default().fill(true);
        }
        inside &= !line.starts_with(">>>>>>> ");
    }
    let mut text = String::new();
    let mut gap = false;
    for (line, shown) in lines.iter().zip(shown) {
        if shown {
            if gap && !text.is_empty() {
                text.push_str("[…]\n");
            }
            text.push_str(line);
            text.push('\n');
        }
        gap = !shown;
    }
    text
}

fn cut(mut text: String) -> String {
    const NOTE: &str = "\n[… more conflicts …]\n";
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST - NOTE.len()));
        text.push_str(NOTE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_around_a_conflict_is_shown() {
        let lines = |from: u32, to: u32| {
            let lines: Vec<String> = (from..to).map(|at| format!("{at}\n")).collect();
            lines.concat()
        };
        let conflict = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
        let content = lines(0, 9) + conflict + &lines(9, 30) + conflict;
        let expected = lines(6, 9) + conflict + &lines(9, 12) + "[…]\n" + &lines(27, 30) + conflict;
        assert_eq!(conflicting_parts(&content), expected);
        assert_eq!(conflicting_parts("a\n>>>>>>> b\n"), "");
    }

    #[test]
    fn a_long_text_is_cut() {
        let text = cut("ä".repeat(LONGEST));
        assert!(text.len() <= LONGEST && text.ends_with("more conflicts …]\n"));
    }
}
