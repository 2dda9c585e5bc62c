//! `.gitignore` files: which of them speaks of a path, and the last word among them.

use std::sync::Arc;

use super::beneath::split;
use super::pattern::Pattern;

/// The lines of one file.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    lines: Vec<Pattern>,
    text: Box<[u8]>,
}

impl Patterns {
    pub(super) fn read(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n');
        Self {
            lines: lines.filter_map(Pattern::read).collect(),
            text: text.into(),
        }
    }

    /// What it was read from.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether a path, relative to the file's folder, is ignored; `None` if no line speaks of it.
    fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let (_, name) = split(path);
        let last = self
            .lines
            .iter()
            .rev()
            .find(|pattern| pattern.matches(path, name, is_folder))?;
        Some(!last.negated)
    }
}

/// A file of patterns above the workspace.
#[derive(Debug, Clone)]
pub(super) struct Above {
    pub(super) patterns: Arc<Patterns>,
    /// From its folder to the workspace, with a `/` at the end unless empty.
    pub(super) way: Vec<u8>,
}

/// The patterns of one folder of the workspace, and those of the folders around it.
#[derive(Debug)]
pub(super) struct Level<'a> {
    outer: Option<&'a Self>,
    patterns: Option<Arc<Patterns>>,
    /// Bytes of a path below this folder that name the folder.
    cut: usize,
    above: &'a [Above],
}

impl<'a> Level<'a> {
    /// The workspace itself. `above` begins with the outermost.
    pub(super) fn root(patterns: Option<Arc<Patterns>>, above: &'a [Above]) -> Self {
        Self {
            outer: None,
            patterns,
            cut: 0,
            above,
        }
    }

    /// A folder in this one.
    pub(super) fn inner(&'a self, patterns: Option<Arc<Patterns>>, folder: &[u8]) -> Self {
        Self {
            outer: Some(self),
            patterns,
            cut: folder.len() + 1,
            above: self.above,
        }
    }

    /// Whether a path of the workspace, in this folder, is ignored. The nearest file that speaks of
    /// it decides.
    pub(super) fn ignores(&self, path: &[u8], is_folder: bool) -> bool {
        let mut level = Some(self);
        while let Some(here) = level {
            let relative = path.get(here.cut..).unwrap_or_default();
            let patterns = here.patterns.as_ref();
            if let Some(verdict) =
                patterns.and_then(|patterns| patterns.verdict(relative, is_folder))
            {
                return verdict;
            }
            level = here.outer;
        }
        let said = self.above.iter().rev().find_map(|above| {
            let whole = [above.way.as_slice(), path].concat();
            above.patterns.verdict(&whole, is_folder)
        });
        said.unwrap_or(false)
    }
}
