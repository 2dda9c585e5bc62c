//! Conflicts as people and agents read them: which side has what.

use std::fmt::Write as _;

use crate::git::names::{Name, text};
use crate::git::{GitError, HarnessGit, Id};

const LONGEST: usize = 16 << 10;
/// Lines shown around a conflict.
const CONTEXT_LINES: usize = 3;
/// Files that are shown: more fit into no prompt.
const SHOWN: usize = 40;

/// Lines of a side that is shown as a whole.
const LINES: usize = 40;

/// What the two sides are called in conflicts.
const BEFORE: &str = "merged before";
const ATTEMPT: &str = "this attempt";

/// The commits that are merged.
#[derive(Clone, Copy)]
pub(crate) struct MergeSides<'s> {
    pub(crate) base: &'s Id,
    pub(crate) ours: &'s Id,
    pub(crate) theirs: &'s Id,
}

/// What a commit or tree has at a path.
enum Content {
    Absent,
    Folder,
    Text(String),
    /// Not text, or too much to be read.
    Other,
}

impl HarnessGit {
    /// What a merge whose outcome is this tree says of files that are in conflict, after what git says.
    pub(crate) fn conflict_text(
        &self,
        sides: MergeSides<'_>,
        tree: &Id,
        files: &[Name],
        messages: &[String],
    ) -> Result<String, GitError> {
        let MergeSides { ours, theirs, .. } = sides;
        let mut said = messages.concat();
        for name in files.iter().take(SHOWN) {
            let mut parts = String::new();
            if let Content::Text(content) = self.content(tree, name)? {
                let content = content
                    .replace(&format!("<<<<<<< {ours}"), &format!("<<<<<<< {BEFORE}"))
                    .replace(&format!(">>>>>>> {theirs}"), &format!(">>>>>>> {ATTEMPT}"));
                parts = conflicting_parts(&content);
            }
            if parts.is_empty() {
                parts = self.text_of_both_sides(name, sides)?;
            }
            if !parts.is_empty() {
                let shown = text(name);
                write!(said, "\n{shown}:\n{parts}").expect("a string takes everything");
            }
            if said.len() > LONGEST {
                break;
            }
        }
        Ok(truncate(said))
    }

    /// What each side has where their lines could not be merged; nothing, where neither has anything.
    fn text_of_both_sides(&self, name: &Name, sides: MergeSides<'_>) -> Result<String, GitError> {
        let was = !matches!(self.content(sides.base, name)?, Content::Absent);
        let (ours, theirs) = (
            self.content(sides.ours, name)?,
            self.content(sides.theirs, name)?,
        );
        if let (Content::Absent, Content::Absent) = (&ours, &theirs) {
            return Ok(String::new());
        }
        let (ours, theirs) = (ours.text_of_side(was), theirs.text_of_side(was));
        Ok(format!(
            "<<<<<<< {BEFORE}\n{ours}=======\n{theirs}>>>>>>> {ATTEMPT}\n"
        ))
    }

    /// What a commit or tree has at a path.
    fn content(&self, at: &Id, name: &Name) -> Result<Content, GitError> {
        let question = [at.as_str().as_bytes(), b":", name, b"\0"].concat();
        let out = self
            .call()
            .args(["cat-file", "--batch", "-z"])
            .stdin(question)
            .run();
        let out = match out {
            // More than anybody would read.
            Err(GitError::TooMuch { .. }) => return Ok(Content::Other),
            out => out?,
        };
        // `id blob size`, the content, and a line feed; or `… missing`.
        let line = out.iter().position(|byte| *byte == b'\n');
        let line = line.ok_or_else(|| GitError::unexpected("an object", ""))?;
        let (head, rest) = out.split_at(line);
        let head = String::from_utf8_lossy(head);
        // A name may have spaces, and comes before the word.
        if head.ends_with(" missing") {
            return Ok(Content::Absent);
        }
        let content = &rest[1..];
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        Ok(match head.split(' ').nth(1) {
            Some("blob") if !content.contains(&0) => {
                Content::Text(String::from_utf8_lossy(content).into_owned())
            }
            Some("tree") => Content::Folder,
            Some(_) | None => Content::Other,
        })
    }
}

impl Content {
    /// As a side of a conflict. `was`: there was something before.
    fn text_of_side(self, was: bool) -> String {
        match self {
            Self::Absent if was => "(was removed)\n".to_owned(),
            Self::Absent => "(is not there)\n".to_owned(),
            Self::Folder => "(is a directory)\n".to_owned(),
            Self::Other => "(is not text)\n".to_owned(),
            Self::Text(text) => {
                let mut lines: Vec<&str> = text.lines().take(LINES).collect();
                if text.lines().nth(LINES).is_some() {
                    lines.push("[…]");
                }
                lines.into_iter().flat_map(|line| [line, "\n"]).collect()
            }
        }
    }
}

impl MergeSides<'_> {
    /// The path that a file has, where git made up another to have room for both: `name~commit`.
    pub(crate) fn real_path(self, name: &[u8]) -> Name {
        for id in [self.ours, self.theirs] {
            let ending = format!("~{id}");
            let at = name
                .windows(ending.len())
                .rposition(|part| part == ending.as_bytes());
            let Some((real, rest)) = at.and_then(|at| name.split_at_checked(at)) else {
                continue;
            };
            let rest = &rest[ending.len()..];
            if rest
                .iter()
                .all(|byte| *byte == b'_' || byte.is_ascii_digit())
            {
                return real.to_vec();
            }
        }
        name.to_vec()
    }

    /// Git's message, with words in place of commit ids.
    pub(crate) fn message_with_names(self, message: &[u8]) -> String {
        let message = String::from_utf8_lossy(message);
        message
            .replace(self.ours.as_str(), &format!("what was {BEFORE}"))
            .replace(self.theirs.as_str(), ATTEMPT)
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
            let context =
                at.saturating_sub(CONTEXT_LINES)..(at + CONTEXT_LINES + 1).min(lines.len());
            shown[context].fill(true);
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

fn truncate(mut text: String) -> String {
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
        let text = truncate("ä".repeat(LONGEST));
        assert!(text.len() <= LONGEST && text.ends_with("more conflicts …]\n"));
    }
}
