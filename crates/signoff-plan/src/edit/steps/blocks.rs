//! The text of each step, with its number and what it names by number.

use super::super::EditRefused;
use super::super::keyed::{KeyedFile, PathSegment, at as node_at};
use super::super::splice::{self, Splice};
use super::order::StepOrder;
use crate::check::resolve::step_ids;
use crate::dialect::Dialect;
use crate::draft::{Draft, Spanned};
use crate::node::Node;
use crate::source::{Source, Span};

/// The steps of a file as stretches of its text, in plan order.
pub(super) struct StepBlocks<'a> {
    source: &'a Source,
    draft: &'a Draft,
    /// Each step's own text, without the white space behind it.
    pub(super) spans: Vec<Span>,
    /// The number that each step is written with.
    pub(super) numbers: Vec<Option<Spanned<u64>>>,
}

impl<'a> StepBlocks<'a> {
    pub(super) fn new(source: &'a Source, draft: &'a Draft) -> Result<Self, EditRefused> {
        let text = source.text();
        let trimmed = |span: Span| {
            let kept = span.slice(text).trim_end().len();
            Span::new(span.start, span.start + kept)
        };
        Ok(Self {
            source,
            draft,
            spans: draft.steps.iter().map(|step| trimmed(step.span)).collect(),
            numbers: numbers(source, draft)?,
        })
    }

    /// The text of the step at an old position as it reads in the new order.
    fn renumber(&self, order: &StepOrder, old: usize, numbers: &[Option<u64>]) -> String {
        let span = self.spans.get(old).copied().unwrap_or_default();
        let mut splices = self.reference_splices(order, old, numbers);
        let number = self.numbers.get(old).and_then(Option::as_ref);
        let new = numbers.get(order.new_position(old)).copied().flatten();
        if let (Some(number), Some(new)) = (number, new)
            && number.value != new
        {
            splices.push(Splice::replace(number.span, new.to_string()));
        }
        for splice in &mut splices {
            let start = splice.span.start.saturating_sub(span.start);
            splice.span = Span::new(start, start + splice.span.len());
        }
        let block = span.slice(self.source.text());
        let bytes = splice::apply(block.as_bytes(), splices);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What a step waits for, where it says so by number.
    fn reference_splices(
        &self,
        order: &StepOrder,
        old: usize,
        numbers: &[Option<u64>],
    ) -> Vec<Splice> {
        let ids = step_ids(self.draft);
        let step = self.draft.steps.get(old);
        let references = step.and_then(|step| step.depends_on.as_deref());
        let mut splices = Vec::new();
        for reference in references.unwrap_or_default() {
            let at = ids.iter().position(|id| *id == reference.value);
            let new = match (self.draft.dialect, at) {
                // Records name indexes.
                (Dialect::Record, Some(at)) => {
                    let index = numbers.get(order.new_position(at)).copied().flatten();
                    index.map(|index| index.to_string())
                }
                (_, Some(at)) => Some(order.new_id(self.draft, at)),
                (_, None) => {
                    let number: Option<usize> = reference.value.parse().ok();
                    let at = number.and_then(|number| number.checked_sub(1));
                    at.map(|at| (order.new_position(at) + 1).to_string())
                }
            };
            let written = reference.span.slice(self.source.text());
            if let Some(new) = new.filter(|new| new != written) {
                splices.push(Splice::replace(reference.span, new));
            }
        }
        splices
    }

    /// The numbers of the new order, by new position.
    pub(super) fn new_numbers(&self, order: &StepOrder) -> Vec<Option<u64>> {
        let old: Vec<Option<u64>> = self
            .numbers
            .iter()
            .map(|number| number.as_ref().map(|number| number.value))
            .collect();
        let Some(added) = (0..order.len()).find(|new| order.old_position(*new).is_none()) else {
            // The numbers stay where they are, the steps move.
            return old;
        };
        let rising = old.windows(2).all(|pair| match pair {
            [Some(first), Some(second)] => first < second,
            _ => false,
        });
        let before = added.checked_sub(1).and_then(|at| old.get(at)).copied();
        let here = old.get(added).copied().flatten();
        let next = before.flatten().map(|number| number + u64::from(rising));
        let number = here.or(next).or(before.flatten());
        let behind = old.iter().skip(added);
        let behind = behind.map(|number| number.map(|number| number + u64::from(rising)));
        let numbers = old.iter().take(added).copied();
        numbers.chain([number]).chain(behind).collect()
    }

    /// What to write where so that each step stands where the order wants it. Of a new step nothing is written yet.
    pub(super) fn splices(&self, order: &StepOrder) -> Vec<Splice> {
        let numbers = self.new_numbers(order);
        let is_new = (0..order.len()).any(|new| order.old_position(new).is_none());
        let mut splices = Vec::new();
        for (at, span) in self.spans.iter().enumerate() {
            // With a new step every other stays in its place; otherwise they change places.
            let old = if is_new {
                Some(at)
            } else {
                order.old_position(at)
            };
            let text = old.map(|old| self.renumber(order, old, &numbers));
            let text = text.unwrap_or_default();
            if text != span.slice(self.source.text()) {
                splices.push(Splice::replace(*span, text));
            }
        }
        splices
    }

    /// The file in the new order.
    pub(super) fn reordered_text(&self, order: &StepOrder) -> String {
        let bytes = splice::apply(self.source.bytes(), self.splices(order));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The number that each step is written with, and where.
fn numbers(source: &Source, draft: &Draft) -> Result<Vec<Option<Spanned<u64>>>, EditRefused> {
    let steps = draft.steps.iter();
    Ok(match draft.dialect {
        Dialect::Workunit => steps.map(|step| step.number.clone()).collect(),
        Dialect::Proposal => steps
            .map(|step| {
                let line = step.heading.slice(source.text());
                let indent = line.len() - line.trim_start().len();
                let digits = line.trim_start().bytes().take_while(u8::is_ascii_digit);
                let start = step.heading.start + indent;
                let span = Span::new(start, start + digits.count());
                let number = span.slice(source.text()).parse().ok()?;
                Some(Spanned::new(number, span))
            })
            .collect(),
        Dialect::Record => keyed_numbers(source, draft, "index")?,
        Dialect::Toolplan => keyed_numbers(source, draft, "order")?,
        Dialect::Thread => steps.map(|_| None).collect(),
    })
}

fn keyed_numbers(
    source: &Source,
    draft: &Draft,
    key: &'static str,
) -> Result<Vec<Option<Spanned<u64>>>, EditRefused> {
    let file = KeyedFile::new(source, draft)?;
    let steps = file.steps();
    let ids = step_ids(draft);
    let number = |id: &String| {
        let (position, _) = steps.get(id)?;
        let way = [
            PathSegment::Key("steps"),
            PathSegment::Item(*position),
            PathSegment::Key(key),
        ];
        let written = node_at(&file.root, &way).and_then(Node::text)?;
        let number = written.value.parse().ok()?;
        Some(Spanned::new(number, written.span))
    };
    Ok(ids.iter().map(number).collect())
}
