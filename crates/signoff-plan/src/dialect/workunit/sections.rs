//! Which lines belong to what: title, preamble, steps, risks, narrative.

use std::ops::Range;

use super::labels::label;
use super::{DIALECT, heading, misplaced, step};
use crate::check::{bad_value, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::markdown::{Document, Heading};
use crate::source::Span;

/// The parts of a file, as ranges of lines.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) title: Option<Spanned<String>>,
    pub(super) sections: Vec<Section>,
    pub(super) starts: Vec<SectionStart>,
    pub(super) problems: Vec<Diagnostic>,
}

/// A heading that begins a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct SectionStart {
    pub(super) line: usize,
    /// Whether it is not part of the text.
    pub(super) own: bool,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Section {
    /// Plan fields and prose, before the first section.
    Preamble(Range<usize>),
    /// One step, its heading included.
    Step(Range<usize>),
    /// What may go wrong.
    Risks(Range<usize>),
    /// Prose; with its heading, if it has one of its own.
    Narrative(Range<usize>),
    /// What a person said about an earlier version, its heading included.
    Rejection(Range<usize>),
}

/// What the lines being read belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    Preamble,
    StepsIntroduction,
    Step,
    Risks,
    Narrative,
    /// Kept in the file by other tools: results are not part of the definition.
    Ignored,
    /// What people said about earlier versions.
    Rejection,
}

/// Headings that begin a part with a meaning of its own.
pub(super) const NAMES: [&str; 5] = ["Steps", "Risks", "Rejection", "Artifacts", "Summary"];

/// Splits a file into its parts.
pub(super) fn outline(document: &Document<'_>) -> Outline {
    let headings: Vec<(usize, Heading)> = document
        .lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((index, heading::of_line(document, line)?)))
        .collect();
    let has_steps_section = headings
        .iter()
        .any(|(_, heading)| is_steps(document, heading));
    let mut reader = SectionReader {
        document,
        // Without a `## Steps` heading every `### N.` is a step.
        anywhere: !has_steps_section,
        after_steps: false,
        steps: 0,
        part: SectionKind::Preamble,
        opened: None,
        start: 0,
        outline: Outline::default(),
    };
    for (line, heading) in &headings {
        reader.heading(*line, heading);
    }
    reader.close(document.lines.len());
    reader.outline
}

struct SectionReader<'d, 'a> {
    document: &'d Document<'a>,
    anywhere: bool,
    /// Whether steps have begun.
    after_steps: bool,
    /// How many.
    steps: u64,
    part: SectionKind,
    /// The heading that began the present part and has not been complained about.
    opened: Option<Heading>,
    start: usize,
    outline: Outline,
}

impl SectionReader<'_, '_> {
    fn heading(&mut self, line: usize, heading: &Heading) {
        let text = self.document.slice(heading.text);
        if self.is_meant_as_step(line, heading) {
            self.open(SectionKind::Step, line, line);
            return;
        }
        // Without a space behind the `#`s it is text, unless it was meant as above.
        let heading_line = self.document.lines.get(line);
        if heading_line.is_none_or(|line| self.document.heading(line).is_none()) {
            return;
        }
        match heading.level {
            1 if self.outline.title.is_none() && self.part == SectionKind::Preamble => {
                self.outline.title = Some(Spanned::new(text.to_owned(), heading.text));
                self.open(SectionKind::Preamble, line, line + 1);
            }
            1 => {
                self.open(SectionKind::Narrative, line, line);
                self.opened = Some(*heading);
            }
            2 => {
                let part = section_named(text);
                if part == SectionKind::Narrative {
                    let name = Spanned::new(text.to_owned(), heading.text);
                    let found = unknown_field::section(DIALECT, &name, &NAMES);
                    self.outline.problems.extend(found);
                }
                let first = if matches!(part, SectionKind::Narrative | SectionKind::Rejection) {
                    line
                } else {
                    line + 1
                };
                self.open(part, line, first);
                self.opened = Some(*heading);
            }
            3 if self.is_step(text, heading) => self.open(SectionKind::Step, line, line),
            _ => {}
        }
    }

    /// Whether a heading of any level was meant to begin a step: it has the next number, and fields of a
    /// step follow. Then it does; one without a space behind its `#`s is reported.
    fn is_meant_as_step(&mut self, line: usize, heading: &Heading) -> bool {
        let Some(heading_line) = self.document.lines.get(line) else {
            return false;
        };
        let is_heading = self.document.heading(heading_line).is_some();
        let proper = heading.level == 3 && is_heading;
        let text = self.document.slice(heading.text);
        let number = heading::read(text, Span::new(0, text.len())).number;
        let next = number.is_some_and(|number| number.value == self.steps + 1);
        let among_steps = match self.part {
            SectionKind::StepsIntroduction | SectionKind::Step => true,
            SectionKind::Preamble | SectionKind::Narrative => self.anywhere && is_heading,
            SectionKind::Risks | SectionKind::Rejection | SectionKind::Ignored => false,
        };
        if proper || !next || !among_steps || !self.has_fields(line) {
            return false;
        }
        if !is_heading {
            let name = self.document.trim_span(heading_line.span);
            let found = bad_value::step_heading(DIALECT, name, self.document.slice(name), text);
            self.outline.problems.push(found);
        }
        true
    }

    /// Whether the lines below a heading begin with a field of a step.
    fn has_fields(&self, line: usize) -> bool {
        let below = self.document.lines.iter().skip(line + 1);
        let mut below = below.filter(|line| !self.document.is_blank(line));
        let first = below.next().and_then(|line| label(self.document, line));
        first.is_some_and(|label| step::SCOPE.names.contains(&label.key().as_str()))
    }

    /// Whether a heading begins a step. One in the wrong place is reported, and is a step all the
    /// same where steps have begun: a step must never be lost.
    fn is_step(&mut self, text: &str, heading: &Heading) -> bool {
        match self.part {
            SectionKind::StepsIntroduction | SectionKind::Step => return true,
            SectionKind::Rejection => return false,
            SectionKind::Preamble
            | SectionKind::Narrative
            | SectionKind::Risks
            | SectionKind::Ignored => {}
        }
        if !heading::is_numbered(text) {
            return false;
        }
        if self.anywhere && matches!(self.part, SectionKind::Preamble | SectionKind::Narrative) {
            return true;
        }
        let found = match self.opened.take().filter(|_| self.after_steps) {
            Some(opened) => {
                let name = Spanned::new(self.document.slice(opened.text).to_owned(), opened.text);
                bad_value::ends_steps(DIALECT, &name, "a step", heading.text)
            }
            // Said already, for the first step under the same heading.
            None if self.after_steps => return true,
            None => {
                let name = Spanned::new(text.to_owned(), heading.text);
                bad_value::not_under_steps(DIALECT, &name)
            }
        };
        self.outline.problems.push(found);
        self.after_steps
    }

    /// Ends the present part at `line` and begins another one at `first`.
    fn open(&mut self, part: SectionKind, line: usize, first: usize) {
        self.close(line);
        self.outline.starts.push(SectionStart {
            line,
            own: part != SectionKind::Narrative,
        });
        self.part = part;
        self.opened = None;
        self.start = first;
        self.after_steps |= matches!(part, SectionKind::Step | SectionKind::StepsIntroduction);
        self.steps += u64::from(part == SectionKind::Step);
    }

    fn close(&mut self, end: usize) {
        let lines = self.start..end;
        let after_steps = self.opened.filter(|_| self.after_steps);
        let found = misplaced::field(self.document, &lines, self.part, after_steps);
        self.outline.problems.extend(found);
        let section = match self.part {
            SectionKind::Preamble => Section::Preamble(lines),
            SectionKind::StepsIntroduction | SectionKind::Narrative => Section::Narrative(lines),
            SectionKind::Step => Section::Step(lines),
            SectionKind::Risks => Section::Risks(lines),
            SectionKind::Rejection => Section::Rejection(lines),
            SectionKind::Ignored => return,
        };
        self.outline.sections.push(section);
    }
}

fn is_steps(document: &Document<'_>, heading: &Heading) -> bool {
    heading.level == 2
        && section_named(document.slice(heading.text)) == SectionKind::StepsIntroduction
}

fn section_named(text: &str) -> SectionKind {
    let name = text.trim_end_matches(':').to_lowercase();
    match name.as_str() {
        "steps" => SectionKind::StepsIntroduction,
        "risks" => SectionKind::Risks,
        "artifacts" | "summary" => SectionKind::Ignored,
        _ if name == "rejection" || name.starts_with("rejection (") => SectionKind::Rejection,
        _ => SectionKind::Narrative,
    }
}
