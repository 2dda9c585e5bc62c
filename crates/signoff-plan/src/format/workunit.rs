//! The native dialect: one blank line around headings, at most one before a label, one spelling of
//! labels and list marks. Free text and what stands in blocks is the author's.

use super::blank_lines::blank_lines_before;
use super::lines::file_end_splices;
use crate::check::unknown_field::documented_name;
use crate::dialect::workunit::TICK;
use crate::dialect::workunit::layout::{FieldGroup, Layout, LocatedField, PartHeading, layout};
use crate::dialect::workunit::values::marker_len;
use crate::edit::{Splice, splice_into};
use crate::source::{Source, Span, text_from, text_up_to};

/// Fields that are lists, by label.
const LISTS: [&str; 11] = [
    "subscriptions",
    "choices",
    "produces",
    "protects",
    "tools",
    "locks",
    "accept",
    "subtasks",
    "depends_on",
    "constraints",
    "risks",
];

#[expect(clippy::unnecessary_wraps, reason = "it is one of several rules")]
pub(super) fn format(source: &Source) -> Option<Source> {
    let layout = layout(source);
    let mut tidy = Formatter {
        text: source.text(),
        body: layout.body,
        splices: file_end_splices(source),
    };
    tidy.format_headings(&layout);
    tidy.part(&layout.plan, "a plan");
    for step in &layout.steps {
        tidy.part(step, "a step");
    }
    if let Some(risks) = &layout.risks {
        tidy.items(risks);
    }
    // Rules may agree on a place, and then want the same there.
    tidy.splices.sort_by_key(|splice| splice.span);
    tidy.splices.dedup_by_key(|splice| splice.span);
    Some(splice_into(source, tidy.splices))
}

struct Formatter<'s> {
    text: &'s str,
    body: usize,
    splices: Vec<Splice>,
}

impl Formatter<'_> {
    fn format_headings(&mut self, layout: &Layout) {
        for heading in &layout.headings {
            let PartHeading { line, own, next } = heading;
            let at_the_top = self.body == 0 && line.start == 0;
            if !at_the_top {
                self.set_blank_lines(self.body, line.start, |_| 1);
            }
            if !own {
                continue;
            }
            self.single_spaces_in_heading(*line);
            self.trailing_space(*line);
            if let Some(next) = next {
                self.set_blank_lines(line.start, *next, |_| 1);
            }
        }
    }

    /// One space behind the `#`s, behind the number and behind a tick.
    fn single_spaces_in_heading(&mut self, line: Span) {
        let text = line.slice(self.text).trim_end();
        let hashes = text.len() - text.trim_start_matches('#').len();
        let mut at = hashes;
        let mut rest = text_from(text, hashes);
        loop {
            let word = rest.trim_start_matches([' ', '\t']);
            let gap = rest.len() - word.len();
            if word.is_empty() || gap == 0 {
                return;
            }
            if rest.get(..gap) != Some(" ") {
                let start = line.start + at;
                let span = Span::new(start, start + gap);
                self.splices.push(Splice::replace(span, " "));
            }
            let length = word.find([' ', '\t']).unwrap_or(word.len());
            let (mark, after) = word.split_at(length);
            // What follows a word of the title is the author's.
            let digits = mark.strip_suffix('.').filter(|digits| !digits.is_empty());
            let number = digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
            if !(number && at == hashes) && mark != TICK {
                return;
            }
            at += gap + length;
            rest = after;
        }
    }

    fn part(&mut self, part: &FieldGroup, owner: &str) {
        for field in &part.fields {
            self.set_blank_lines(self.body, field.line.start, |there| there.min(1));
            self.label(field, owner);
            let free_text = matches!(field.name, "task" | "context" | "ask" | "instructions");
            if !free_text || field.below.is_none() {
                self.trailing_space(field.line);
            }
            if LISTS.contains(&field.name) {
                self.items(field);
            }
            let block = field.fences.first();
            let block = block.filter(|_| matches!(field.name, "contract" | "args" | "record"));
            if let Some(block) = block.filter(|_| field.inline.is_empty() && !field.comment) {
                let below = field
                    .below
                    .is_some_and(|below| below.start == block.span.start);
                if below {
                    self.set_blank_lines(field.line.start, block.span.start, |_| 0);
                }
            }
        }
    }

    /// Labels of a plan are capitalised, those of a step are names.
    fn label(&mut self, field: &LocatedField, owner: &str) {
        let text = self.text;
        let name = documented_name(field.name, owner);
        if field.label.slice(text) != name {
            self.splices.push(Splice::replace(field.label, name));
        }
        // `:**` stands behind the name.
        let gap = Span::new(field.label.end + 3, field.inline.start);
        let marks = Span::new(field.label.end, gap.start).slice(text);
        if marks == ":**" && !field.inline.is_empty() && gap.slice(text) != " " {
            self.splices.push(Splice::replace(gap, " "));
        }
        let indent = Span::new(field.line.start, field.label.start);
        let marks = indent.slice(text);
        let spaces = marks.len() - marks.trim_start().len();
        if spaces > 0 {
            let span = Span::new(indent.start, indent.start + spaces);
            self.splices.push(Splice::remove(span));
        }
    }

    fn items(&mut self, field: &LocatedField) {
        let text = self.text;
        for line in &field.lines {
            let item = line.slice(text);
            let Some(length) = marker_len(item) else {
                continue;
            };
            let marker = text_up_to(item, length);
            let mark = marker.find([' ', '\t']).unwrap_or(1);
            if marker.get(..mark) != Some("-") {
                let span = Span::new(line.start, line.start + mark);
                self.splices.push(Splice::replace(span, "-"));
            }
            self.trailing_space(*line);
        }
    }

    /// Takes away white space from the end of a line to the line end.
    fn trailing_space(&mut self, line: Span) {
        let text = self.text;
        let rest = text_from(text, line.start);
        let rest = rest.split('\n').next().unwrap_or_default();
        let rest = rest.strip_suffix('\r').unwrap_or(rest);
        let kept = rest.trim_end_matches([' ', '\t']).len();
        let span = Span::new(line.start + kept, line.start + rest.len());
        // What stands behind the last line of the file is the rule for its end.
        let last = text
            .get(span.end..)
            .is_none_or(|after| after.trim().is_empty());
        if !span.is_empty() && !last {
            self.splices.push(Splice::remove(span));
        }
    }

    fn set_blank_lines(&mut self, start: usize, offset: usize, wanted: impl Fn(usize) -> usize) {
        self.splices
            .extend(blank_lines_before(self.text, start, offset, wanted));
    }
}
