//! One markdown file with a numbered list of steps: frontmatter, `## Steps`, `## Context`,
//! `## Risks`, and a `## Rejection (vN)` for every time it was sent back.

mod context;
mod frontmatter;
mod hint;
mod item;
mod rejection;
mod sections;
mod steps;
mod subitem;
mod value;

pub(crate) use self::context::parts_the_file;
pub(crate) use self::hint::escape_brackets;
pub(crate) use self::item::NumberedItem;
pub(crate) use self::sections::{ProposalPart, split};
pub(crate) use self::subitem::{SubitemField, is_field};
use super::Dialect;
use super::narrative::Narrative;
use super::opening::open;
use crate::draft::Draft;
use crate::markdown::Document;
use crate::markdown::frontmatter::find_frontmatter;
use crate::source::Source;
#[cfg(test)]
use crate::spelling::proposal::{PLAN_NAMES, STEP_NAMES};

const DIALECT: Dialect = Dialect::Proposal;

/// The role that does every step of a proposal.
pub(crate) const ROLE: &str = "executor";

/// Whether the frontmatter is one of a proposal, or its words and steps are.
pub(super) fn recognise(source: &Source) -> bool {
    if !source.parts().is_empty() {
        return false;
    }
    let text = source.text();
    let located = find_frontmatter(text, source.byte_order_mark_len());
    let Some(located) = located.filter(|located| located.closed) else {
        return false;
    };
    match frontmatter::likelihood(text, &located) {
        frontmatter::ProposalLikelihood::Certain => true,
        frontmatter::ProposalLikelihood::Possible => {
            let document = Document::new(text, located.body);
            let parts = sections::split(&document);
            let steps = parts
                .iter()
                .filter(|(part, _)| *part == ProposalPart::Steps);
            let mut lines = steps.flat_map(|(_, lines)| lines.clone());
            lines.any(|line| item::begins(&document, line))
        }
        frontmatter::ProposalLikelihood::None => false,
    }
}

/// Reads a file, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let (mut draft, document) = open(source, DIALECT, frontmatter::read);
    read_sections(&document, &mut draft);
    frontmatter::scope(&mut draft);
    draft
}

/// The items of the numbered list, each of which is a step.
pub(crate) fn items_of(document: &Document<'_>) -> Vec<NumberedItem> {
    let parts = split(document).into_iter();
    let steps = parts.filter(|(part, _)| *part == ProposalPart::Steps);
    steps
        .flat_map(|(_, lines)| item::items(document, &lines).0)
        .collect()
}

/// The fields that stand below a step.
pub(crate) fn fields_of(document: &Document<'_>, item: &NumberedItem) -> Vec<SubitemField> {
    subitem::split(document, item, &mut Vec::new()).1
}

fn read_sections(document: &Document<'_>, draft: &mut Draft) {
    let mut narrative = Narrative::default();
    for (part, lines) in sections::split(document) {
        match part {
            ProposalPart::Title(title) => {
                sections::title(title, lines, draft, document, &mut narrative);
            }
            ProposalPart::Steps => steps::read(document, lines, draft, &mut narrative),
            ProposalPart::Context => context::read(document, lines, draft, &mut narrative),
            ProposalPart::Risks => context::risks(document, lines, draft, &mut narrative),
            ProposalPart::Rejection(version) => rejection::read(document, version, lines, draft),
            ProposalPart::Narrative => {
                sections::near_miss(document, lines.start, draft);
                context::add_lines(&mut narrative, document, lines);
            }
        }
    }
    draft.context = narrative.into_context();
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("frontmatter", PLAN_NAMES.to_vec()),
        ("section", sections::NAMES.to_vec()),
        ("context", context::NAMES.to_vec()),
        ("step", STEP_NAMES.to_vec()),
    ]
}

#[cfg(test)]
mod tests;
