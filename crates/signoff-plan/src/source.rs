//! Plan text as it lies on disk, and places in it.

mod command;
mod spanned;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use self::command::{CommandText, Piece};
pub use self::spanned::Spanned;

/// A range of byte offsets into the original bytes of a [`Source`], byte order mark included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to `end`; never ends before it starts.
    pub const fn new(start: usize, end: usize) -> Self {
        let end = if end < start { start } else { end };
        Self { start, end }
    }

    /// The empty range before the byte at `offset`.
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Number of bytes covered.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is covered.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The same range in a text that begins `offset` bytes later.
    #[must_use]
    pub const fn shift(self, offset: usize) -> Self {
        Self::new(self.start + offset, self.end + offset)
    }

    /// The covered part of `text`; empty where the range does not fit it.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The text from a byte offset on. Like [`Span::slice`], it is empty for an offset that does not fit: parsing never
/// panics.
pub(crate) fn text_from(text: &str, offset: usize) -> &str {
    text.get(offset..).unwrap_or_default()
}

/// The first line, without its end; empty for an empty text.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The text before a byte offset; empty for an offset that does not fit.
pub(crate) fn text_up_to(text: &str, offset: usize) -> &str {
    text.get(..offset).unwrap_or_default()
}

/// The text of a plan: one file, or the files of a directory one after the other, so that a place in
/// any of them is one offset. All clones share it.
#[derive(Clone, PartialEq, Eq)]
pub struct Source(Arc<Content>);

#[derive(PartialEq, Eq)]
struct Content {
    name: String,
    /// The text, up to the first byte that is not UTF-8.
    text: String,
    /// Every byte, where there is one that is not.
    broken: Option<Vec<u8>>,
    places: Places,
    parts: Vec<SourceFile>,
}

/// A file of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path inside the directory.
    pub name: String,
    /// Where its bytes stand in the whole.
    pub span: Span,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.0.name)
            .field("bytes", &self.bytes().len())
            .finish_non_exhaustive()
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Columns are counted from the beginning of a block, not of a line: that may be the whole file, and
/// have as many problems as it has words.
const BLOCK: usize = 1024;

impl Source {
    /// Takes the bytes of a file as they are.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::with_parts(name.into(), bytes, Vec::new())
    }

    fn with_parts(name: String, bytes: Vec<u8>, parts: Vec<SourceFile>) -> Self {
        // Looked at once: asking for the text of a large file is as cheap as of a small one.
        let (text, broken) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let text = bytes.get(..valid).map(String::from_utf8_lossy);
                (text.unwrap_or_default().into_owned(), Some(bytes))
            }
        };
        Self(Arc::new(Content {
            name,
            text,
            broken,
            places: Places::default(),
            parts,
        }))
    }

    /// Takes the files of a directory, each with its path inside it. They stay in this order.
    pub fn directory(name: impl Into<String>, files: Vec<(String, Vec<u8>)>) -> Self {
        let mut bytes = Vec::new();
        let mut parts = Vec::new();
        for (name, content) in files {
            let start = bytes.len();
            bytes.extend_from_slice(&content);
            parts.push(SourceFile {
                name,
                span: Span::new(start, bytes.len()),
            });
            // Keeps the end of one file apart from the beginning of the next.
            bytes.push(b'\n');
        }
        Self::with_parts(name.into(), bytes, parts)
    }

    /// Is it a directory? Then these are its files.
    pub fn parts(&self) -> &[SourceFile] {
        &self.0.parts
    }

    /// The bytes of a file of the directory.
    pub fn part_bytes(&self, part: &SourceFile) -> &[u8] {
        self.bytes()
            .get(part.span.start..part.span.end)
            .unwrap_or_default()
    }

    /// Each file of the directory with its path inside it; a single file by its own name.
    pub fn split(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let is_file = self.0.parts.is_empty();
        let file = is_file.then_some((self.0.name.as_str(), self.bytes()));
        let parts = self.0.parts.iter();
        let parts = parts.map(|part| (part.name.as_str(), self.part_bytes(part)));
        file.into_iter().chain(parts)
    }

    /// The name of the file that an offset stands in, as messages call it.
    pub fn name_at(&self, offset: usize) -> String {
        match self.part_at(offset) {
            Some(part) => format!("{}/{}", self.0.name.trim_end_matches('/'), part.name),
            None => self.0.name.clone(),
        }
    }

    fn part_at(&self, offset: usize) -> Option<&SourceFile> {
        let after = self
            .0
            .parts
            .partition_point(|part| part.span.start <= offset);
        self.0.parts.get(after.saturating_sub(1))
    }

    /// The name used in messages, usually the path.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Every byte of the file.
    pub fn bytes(&self) -> &[u8] {
        self.0.broken.as_deref().unwrap_or(self.0.text.as_bytes())
    }

    /// The text, up to the first byte that is not UTF-8.
    // Not a lossy copy: offsets into this text are offsets into the bytes.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Offset of the first byte that is not UTF-8.
    pub fn first_invalid_byte(&self) -> Option<usize> {
        self.0.broken.as_ref().map(|_| self.0.text.len())
    }

    /// Length of the byte order mark: 3 or 0.
    pub fn byte_order_mark_len(&self) -> usize {
        if self.bytes().starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        }
    }

    /// Line and column of an offset, both from 1, the column in Unicode code points.
    ///
    /// A byte order mark takes no column, as editors show it. An offset past the end is the end.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.bytes().len());
        let file = self.part_at(offset).map_or(0, |part| part.span.start);
        let offset = match self.part_at(offset) {
            // The byte between two files belongs to none.
            Some(part) => offset.min(part.span.end),
            None => offset,
        };
        let starts = self.0.places.line_starts(self.bytes());
        let line = starts.partition_point(|start| *start <= offset);
        let lines_before = starts.partition_point(|start| *start < file);
        let start = line
            .checked_sub(1)
            .and_then(|index| starts.get(index))
            .copied()
            .unwrap_or(0);
        let has_mark = self
            .bytes()
            .get(start..)
            .is_some_and(|rest| rest.starts_with(BYTE_ORDER_MARK));
        let start = if start == file && has_mark {
            (start + BYTE_ORDER_MARK.len()).min(offset)
        } else {
            start
        };
        let line = line - lines_before.min(line);
        let column = self.points_before(offset) - self.points_before(start) + 1;
        (line.max(1), column)
    }

    /// How many code points begin before an offset.
    fn points_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let counted = self.0.places.points(self.bytes());
        let Some(points) = counted.get(block) else {
            // Behind the end of a last block that is full.
            let last = counted.len().saturating_sub(1);
            let rest = self.bytes().get(last * BLOCK..).unwrap_or_default();
            return counted.last().unwrap_or(&0) + code_points(rest);
        };
        let rest = self.bytes().get(block * BLOCK..offset);
        points + code_points(rest.unwrap_or_default())
    }
}

/// Counted when the first line and column is asked for: a file without a problem has none.
#[derive(Default)]
struct Places {
    line_starts: OnceLock<Vec<usize>>,
    /// How many code points begin before each block of the bytes.
    points: OnceLock<Vec<usize>>,
}

impl Places {
    fn line_starts(&self, bytes: &[u8]) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let behind = newlines.map(|(offset, _)| offset + 1);
            std::iter::once(0).chain(behind).collect()
        })
    }

    fn points(&self, bytes: &[u8]) -> &[usize] {
        self.points.get_or_init(|| {
            let mut before = 0;
            let points = bytes.chunks(BLOCK).map(|block| {
                let here = before;
                before += code_points(block);
                here
            });
            points.collect()
        })
    }
}

/// Follows from the bytes, whether or not anybody has asked.
impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

/// How many code points begin in these bytes.
fn code_points(bytes: &[u8]) -> usize {
    let begins = bytes.iter().filter(|byte| !is_continuation(**byte));
    begins.count()
}

/// Whether a byte continues a UTF-8 character rather than beginning one.
const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], offset: usize, expected: (usize, usize)) {
        let source = Source::new("plan.md", bytes.to_vec());
        assert_eq!(source.line_column(offset), expected);
    }

    #[test]
    fn positions_count_code_points_from_one() {
        check(b"", 0, (1, 1));
        check(b"ab\ncd", 0, (1, 1));
        check(b"ab\ncd", 3, (2, 1));
        check(b"ab\r\ncd", 5, (2, 2));
        check("é✅x".as_bytes(), 5, (1, 3));
        check("\u{feff}ab".as_bytes(), 3, (1, 1));
        check("\u{feff}ab".as_bytes(), 0, (1, 1));
        check(b"ab\n", 99, (2, 1));
    }

    #[test]
    fn a_long_line_has_all_its_columns() {
        for length in [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK] {
            let text = "é".repeat(length);
            let (half, last) = (length / 2, 2 * length);
            check(text.as_bytes(), 2 * half, (1, half + 1));
            check(text.as_bytes(), last, (1, length + 1));
            check(format!("\n{text}\n").as_bytes(), last + 1, (2, length + 1));
        }
    }

    #[test]
    fn text_stops_at_the_first_invalid_byte() {
        let source = Source::new("plan.md", b"ok\xff more".to_vec());
        assert_eq!(source.text(), "ok");
        assert_eq!(source.first_invalid_byte(), Some(2));
        assert_eq!(source.bytes().len(), 8);
    }
}
