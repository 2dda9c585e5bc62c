//! Which lines belong to what: headings of the first two levels part the file.

use std::ops::Range;

use super::DIALECT;
use super::context::add_lines;
use crate::check::unknown_field;
use crate::dialect::narrative::Narrative;
use crate::draft::{Draft, Spanned};
use crate::markdown::Document;

/// What some lines are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProposalPart {
    /// A heading of the first level, alone.
    Title(Spanned<String>),
    /// The numbered list.
    Steps,
    /// What to know.
    Context,
    /// What may go wrong.
    Risks,
    /// Why this version, where it is given, was sent back.
    Rejection(Option<u64>),
    /// Anything else, with its heading.
    Narrative,
}

/// Headings that begin a part with a meaning of its own.
pub(super) const NAMES: [&str; 4] = ["Steps", "Context", "Risks", "Rejection"];

/// Splits a file into its parts, each with its lines. Only prose has its heading among them.
pub(crate) fn split(document: &Document<'_>) -> Vec<(ProposalPart, Range<usize>)> {
    let mut parts = Vec::new();
    let mut present = (ProposalPart::Narrative, 0);
    for (index, line) in document.lines.iter().enumerate() {
        let Some(heading) = document.heading(line).filter(|found| found.level <= 2) else {
            continue;
        };
        let text = document.slice(heading.text);
        let part = if heading.level == 1 {
            ProposalPart::Title(Spanned::new(text.to_owned(), heading.text))
        } else {
            part_named(text)
        };
        parts.push((present.0, present.1..index));
        let with_heading = matches!(part, ProposalPart::Narrative | ProposalPart::Title(_));
        present = (part, index + usize::from(!with_heading));
    }
    parts.push((present.0, present.1..document.lines.len()));
    parts
}

pub(super) fn part_named(text: &str) -> ProposalPart {
    let name = text.trim_end_matches(':').trim_end().to_lowercase();
    match name.as_str() {
        "steps" => ProposalPart::Steps,
        "context" => ProposalPart::Context,
        "risks" => ProposalPart::Risks,
        _ => match name.strip_prefix("rejection") {
            Some("") => ProposalPart::Rejection(None),
            Some(rest) if rest.starts_with([' ', '(']) => ProposalPart::Rejection(version(rest)),
            _ => ProposalPart::Narrative,
        },
    }
}

/// The number in ` (v3)`.
fn version(text: &str) -> Option<u64> {
    let digits = text.trim().strip_prefix("(v")?.strip_suffix(')')?;
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| all)
}

/// A heading of the first level is the title where the frontmatter has none; the rest is prose.
pub(super) fn title(
    title: Spanned<String>,
    lines: Range<usize>,
    draft: &mut Draft,
    document: &Document<'_>,
    narrative: &mut Narrative,
) {
    let written = draft.title.as_ref().filter(|known| !known.value.is_empty());
    let same = written.is_none_or(|known| known.value == title.value);
    if same && draft.steps.is_empty() {
        add_lines(narrative, document, lines.start + 1..lines.end);
        if written.is_none() {
            draft.title = Some(title);
        }
    } else {
        add_lines(narrative, document, lines);
    }
}

/// Reports a heading that was most likely meant to be one that means something.
pub(super) fn near_miss(document: &Document<'_>, line: usize, draft: &mut Draft) {
    let line = document.lines.get(line);
    let Some(heading) = line.and_then(|line| document.heading(line)) else {
        return;
    };
    let name = Spanned::new(document.slice(heading.text).to_owned(), heading.text);
    let found = unknown_field::section(DIALECT, &name, &NAMES);
    draft.problems.extend(found);
}
