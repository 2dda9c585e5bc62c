//! White space of files that are read line by line.

use super::blank_lines::{blank_lines_before, line_end};
use crate::edit::{Splice, splice_into};
use crate::markdown::Document;
use crate::markdown::frontmatter::find_frontmatter;
use crate::source::{Source, Span, text_up_to};

/// One line end at the end of each file, and no blank lines there.
#[expect(clippy::unnecessary_wraps, reason = "it is one of several rules")]
pub(super) fn end_of_file(source: &Source) -> Option<Source> {
    Some(splice_into(source, file_end_splices(source)))
}

/// No white space at the end of lines.
#[expect(clippy::unnecessary_wraps, reason = "it is one of several rules")]
pub(super) fn trailing_space(source: &Source) -> Option<Source> {
    let mut splices = file_end_splices(source);
    splices.extend(
        file_spans(source)
            .iter()
            .flat_map(|file| trailing_space_splices(source, *file)),
    );
    Some(splice_into(source, splices))
}

/// The same, and one blank line around each heading.
pub(super) fn blank_lines_around_headings(source: &Source) -> Option<Source> {
    let tidy = trailing_space(source)?;
    let mut splices = Vec::new();
    let whole = tidy.text();
    for file in file_spans(&tidy) {
        let text = whole.get(..file.end)?;
        let body = find_frontmatter(text, file.start).map_or(file.start, |located| located.body);
        let document = Document::new(text, body);
        for (index, line) in document.lines.iter().enumerate() {
            if document.heading(line).is_none() {
                continue;
            }
            let first = text
                .get(file.start..line.span.start)
                .is_none_or(str::is_empty);
            if !first {
                splices.extend(blank_lines_before(whole, body, line.span.start, |_| 1));
            }
            let mut next = document.lines.iter().skip(index + 1);
            let next = next.find(|line| !document.is_blank(line));
            if let Some(next) = next.filter(|next| document.heading(next).is_none()) {
                splices.extend(blank_lines_before(
                    whole,
                    line.span.start,
                    next.span.start,
                    |_| 1,
                ));
            }
        }
    }
    Some(splice_into(&tidy, splices))
}

/// Where each file of a source stands.
fn file_spans(source: &Source) -> Vec<Span> {
    if source.parts().is_empty() {
        return vec![Span::new(0, source.bytes().len())];
    }
    source.parts().iter().map(|part| part.span).collect()
}

pub(super) fn file_end_splices(source: &Source) -> Vec<Splice> {
    let whole = source.text();
    let newline = line_end(whole);
    let end = |file: Span| {
        let text = file.slice(whole);
        let filled = text.trim_end().len();
        if filled == 0 {
            return None;
        }
        let rest = Span::new(file.start + filled, file.end);
        (rest.slice(whole) != newline).then(|| Splice::replace(rest, newline))
    };
    file_spans(source).into_iter().filter_map(end).collect()
}

fn trailing_space_splices(source: &Source, file: Span) -> Vec<Splice> {
    let text = file.slice(source.text());
    let end = text.trim_end().len();
    let mut at = file.start;
    let mut splices = Vec::new();
    for line in text_up_to(text, end).split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let kept = content.trim_end_matches([' ', '\t']).len();
        if kept < content.len() {
            splices.push(Splice::remove(Span::new(at + kept, at + content.len())));
        }
        at += line.len();
    }
    splices
}
