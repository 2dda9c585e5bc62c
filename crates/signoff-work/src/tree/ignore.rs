//! `.gitignore` files: which of them speaks of a path, and the last word among them.

use super::beneath::split;
use super::pattern::Pattern;

/// The lines of one file.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    lines: Vec<Pattern>,
}

impl Patterns {
    pub(crate) fn read(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n');
        Self {
            lines: lines.filter_map(Pattern::read).collect(),
        }
    }

    /// Whether a path, relative to the file's folder, is ignored; `None` if no line speaks of it.
    pub(crate) fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let (_, name) = split(path);
        let last = self
            .lines
            .iter()
            .rev()
            .find(|pattern| pattern.matches(path, name, is_folder))?;
        Some(!last.negated)
    }
}
