//! How many blank lines stand at a place.

use crate::edit::Splice;
use crate::source::Span;

/// The splice that leaves a number of blank lines before the line that begins at `offset`, if it is
/// not so already. `wanted` is given how many there are.
pub(super) fn blank_lines_before(
    text: &str,
    start: usize,
    offset: usize,
    wanted: impl Fn(usize) -> usize,
) -> Option<Splice> {
    let above = text.get(start..offset)?;
    let filled = above.trim_end().len();
    // The end of the last line with text stays with it; without one the run begins at once.
    let run = match above.get(filled..)?.find('\n') {
        Some(newline) if filled > 0 => start + filled + newline + 1,
        _ => start,
    };
    let there = Span::new(run, offset).slice(text);
    let count = there.matches('\n').count();
    let newline = line_end(text);
    let blank = newline.repeat(wanted(count));
    (there != blank).then(|| Splice::replace(Span::new(run, offset), blank))
}

/// The line end in use.
pub(super) fn line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}
