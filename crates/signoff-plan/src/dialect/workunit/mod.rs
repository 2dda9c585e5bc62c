//! The native single file: frontmatter, a title, plan fields as bold labels, and one
//! `### N. Title` heading per step with its own labels.

mod contract;
mod fields;
mod frontmatter;
mod heading;
mod labels;
pub(crate) mod layout;
mod misplaced;
mod plan;
mod rejection;
mod sections;
mod step;
pub(crate) mod values;

pub(crate) use self::heading::TICK;
use self::sections::Section;
use super::Dialect;
use super::narrative::Narrative;
use super::opening::open;
use crate::check::{too_large, unterminated_fence};
use crate::diagnostic::Diagnostic;
use crate::draft::Draft;
use crate::markdown::{Document, Fence};
use crate::source::{Source, Span};

const DIALECT: Dialect = Dialect::Workunit;

/// Whether the frontmatter says `type: plan`.
pub(super) fn recognise(source: &Source) -> bool {
    let Some(located) = frontmatter::find_frontmatter(source.text(), source.byte_order_mark_len())
    else {
        return false;
    };
    let mut draft = Draft::empty(DIALECT);
    frontmatter::read(source.text(), &located, &mut draft);
    draft.kind.is_some_and(|kind| kind.value == "plan")
}

/// Reads a file, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let (mut draft, document) = open(source, DIALECT, frontmatter::read);
    let closed = document.fences.iter().filter(|fence| fence.closed);
    let swallowed = closed.filter_map(|fence| swallowed_step(&document, fence));
    draft.problems.extend(swallowed);
    read_sections(&document, &mut draft);
    draft
}

/// Reports a block that contains the heading and the fields of a step: its end is probably missing. A block that
/// should contain them has a longer fence.
fn swallowed_step(document: &Document<'_>, fence: &Fence) -> Option<Diagnostic> {
    let block = document.slice(fence.span).trim_end();
    let (opening, content) = block.split_once('\n')?;
    if opening.starts_with("````") || opening.starts_with("~~~~") {
        return None;
    }
    let step = step_in(content)?;
    let last = block.lines().next_back()?;
    let (start, end) = (fence.span.start, fence.span.start + block.len());
    let opening = Span::new(start, start + opening.trim_end().len());
    let closing = Span::new(end - last.len(), end);
    Some(unterminated_fence::swallowed_step(
        DIALECT, opening, closing, step,
    ))
}

/// The heading of a step in the text of a block, if a field stands below it.
pub(crate) fn step_in(text: &str) -> Option<&str> {
    let mut lines = text.lines();
    let step = lines.find(|line| {
        let text = line.strip_prefix("### ");
        text.is_some_and(heading::is_numbered)
    })?;
    let field = |line: &str| {
        let names = step::SCOPE.names.iter();
        let label = line
            .strip_prefix("**")
            .and_then(|rest| rest.split_once(":**"));
        label.is_some_and(|(name, _)| names.clone().any(|known| *known == name))
    };
    lines.any(field).then_some(step)
}

fn read_sections(document: &Document<'_>, draft: &mut Draft) {
    let outline = sections::outline(document);
    draft.title = outline.title;
    draft.problems.extend(outline.problems);
    let mut narrative = Narrative::default();
    let mut steps = 0;
    for section in outline.sections {
        match section {
            Section::Preamble(lines) => plan::preamble(document, lines, draft, &mut narrative),
            Section::Risks(lines) => plan::risks(document, lines, draft, &mut narrative),
            Section::Narrative(lines) => plan::add_lines(&mut narrative, document, lines),
            Section::Rejection(lines) => rejection::read(document, lines, draft),
            Section::Step(lines) => {
                steps += 1;
                if steps <= too_large::STEPS {
                    step::read(document, lines, draft);
                } else if steps == too_large::STEPS + 1 {
                    let span = document.lines.get(lines.start).map(|line| line.span);
                    draft
                        .problems
                        .push(too_large::steps(DIALECT, span.unwrap_or_default()));
                }
            }
        }
    }
    draft.context = narrative.into_context();
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        (
            "frontmatter",
            crate::spelling::workunit::HEADER_NAMES.to_vec(),
        ),
        ("plan record", crate::model::PLAN_RECORD.to_vec()),
        ("plan", plan::SCOPE.names.to_vec()),
        ("step", step::SCOPE.names.to_vec()),
        ("step record", crate::model::STEP_RECORD.to_vec()),
        ("section", sections::NAMES.to_vec()),
    ]
}

#[cfg(test)]
mod tests;
