//! Which lines belong to what: title, preamble, steps, risks, narrative.

use std::ops::Range;

use super::heading;
use crate::draft::Spanned;
use crate::markdown::{Document, Heading};

/// The parts of a file, as ranges of lines.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) title: Option<Spanned<String>>,
    pub(super) sections: Vec<Section>,
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
}

/// What the lines being read belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Preamble,
    StepsIntroduction,
    Step,
    Risks,
    Narrative,
    /// Kept in the file by other tools: feedback and results are no part of the definition.
    Ignored,
}

/// Splits a file into its parts.
pub(super) fn outline(document: &Document<'_>) -> Outline {
    let headings: Vec<(usize, Heading)> = document
        .lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((index, document.heading(line)?)))
        .collect();
    let has_steps_section = headings
        .iter()
        .any(|(_, heading)| is_steps(document, heading));
    let mut reader = Reader {
        document,
        // As the seed's parser does: without a `## Steps` heading every `### N.` is a step.
        anywhere: !has_steps_section,
        part: Part::Preamble,
        start: 0,
        outline: Outline::default(),
    };
    for (line, heading) in &headings {
        reader.heading(*line, heading);
    }
    reader.close(document.lines.len());
    reader.outline
}

struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    anywhere: bool,
    part: Part,
    start: usize,
    outline: Outline,
}

impl Reader<'_, '_> {
    fn heading(&mut self, line: usize, heading: &Heading) {
        let text = self.document.slice(heading.text);
        match heading.level {
            1 if self.outline.title.is_none() && self.part == Part::Preamble => {
                self.outline.title = Some(Spanned::new(text.to_owned(), heading.text));
                self.open(Part::Preamble, line, line + 1);
            }
            1 => self.open(Part::Narrative, line, line),
            2 => {
                let part = section_named(text);
                let first = if part == Part::Narrative {
                    line
                } else {
                    line + 1
                };
                self.open(part, line, first);
            }
            3 if self.is_step(text) => self.open(Part::Step, line, line),
            _ => {}
        }
    }

    fn is_step(&self, text: &str) -> bool {
        match self.part {
            Part::StepsIntroduction | Part::Step => true,
            Part::Preamble | Part::Narrative => self.anywhere && heading::is_numbered(text),
            Part::Risks | Part::Ignored => false,
        }
    }

    /// Ends the present part at `line` and begins another one at `first`.
    fn open(&mut self, part: Part, line: usize, first: usize) {
        self.close(line);
        self.part = part;
        self.start = first;
    }

    fn close(&mut self, end: usize) {
        let lines = self.start..end;
        let section = match self.part {
            Part::Preamble => Section::Preamble(lines),
            Part::StepsIntroduction | Part::Narrative => Section::Narrative(lines),
            Part::Step => Section::Step(lines),
            Part::Risks => Section::Risks(lines),
            Part::Ignored => return,
        };
        self.outline.sections.push(section);
    }
}

fn is_steps(document: &Document<'_>, heading: &Heading) -> bool {
    heading.level == 2 && section_named(document.slice(heading.text)) == Part::StepsIntroduction
}

fn section_named(text: &str) -> Part {
    let name = text.trim_end_matches(':').to_lowercase();
    match name.as_str() {
        "steps" => Part::StepsIntroduction,
        "risks" => Part::Risks,
        "artifacts" | "summary" => Part::Ignored,
        _ if name == "rejection" || name.starts_with("rejection (") => Part::Ignored,
        _ => Part::Narrative,
    }
}
