//! Laws that hold in every dialect, and broken texts to try them on.

use proptest::prelude::*;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::digest::Digest;
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::{WrittenPlan, write};

use crate::generate::without_losses;
use crate::world::World;

/// What was written, as it would be read: one file, or a directory.
pub(crate) fn written_source(written: &WrittenPlan) -> Source {
    match written.files.as_slice() {
        [(name, text)] if name.is_empty() => Source::new("plan", text.clone().into_bytes()),
        files => {
            let files = files.iter();
            let files = files.map(|(name, text)| (name.clone(), text.clone().into_bytes()));
            Source::directory("plan", files.collect())
        }
    }
}

/// A plan reads back as it was written, but for what was said to be lost.
pub(crate) fn reads_back(
    plan: &Plan,
    dialect: Dialect,
) -> Result<(WrittenPlan, Checked), TestCaseError> {
    let written = write(plan, dialect);
    let source = written_source(&written);
    let back = check(&parse(&source), &World::default());
    prop_assert_eq!(back.dialect, dialect, "{}", source.text());
    let expected = without_losses(completed(plan.clone(), dialect), &written.losses);
    let found = without_losses(renamed(Plan::clone(&back.plan), plan), &written.losses);
    prop_assert_eq!(
        &expected,
        &found,
        "\n{}\n{:?}",
        source.text(),
        written.losses
    );
    prop_assert_eq!(Digest::of_plan(&expected), Digest::of_plan(&found));
    Ok((written, back))
}

/// What a dialect requires is filled in where a plan does not have it.
fn completed(mut plan: Plan, dialect: Dialect) -> Plan {
    if dialect == Dialect::Workunit {
        plan.status.get_or_insert_with(|| "draft".to_owned());
        plan.owner.get_or_insert_with(|| "orchestrator".to_owned());
    }
    plan
}

/// A plan whose steps have the ids of another's, by which losses are named.
fn renamed(mut plan: Plan, other: &Plan) -> Plan {
    for (step, other) in plan.steps.iter_mut().zip(&other.steps) {
        step.id.clone_from(&other.id);
    }
    plan
}

/// Everything that is pointed at is a part of the text.
pub(crate) fn places_are_inside(checked: &Checked, source: &Source) -> Result<(), TestCaseError> {
    for problem in &checked.diagnostics {
        let related = problem.related.iter().map(|(span, _)| *span);
        let fix = problem.fix.iter().map(|fix| fix.span);
        for span in related.chain(fix).chain([problem.span]) {
            prop_assert!(
                source.text().get(span.start..span.end).is_some(),
                "{problem:?}"
            );
        }
    }
    Ok(())
}

/// An example with some stretches replaced by pieces that mean something.
pub(crate) fn damaged(
    examples: Vec<&'static str>,
    pieces: &'static [&'static str],
) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(pieces);
    let change = (any::<prop::sample::Index>(), 0..12_usize, piece);
    let changes = prop::collection::vec(change, 1..4);
    let example = prop::sample::select(examples);
    (example, changes, any::<bool>()).prop_map(|(text, changes, crlf)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, length, piece) in changes {
            let start = place.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            chars.splice(start..end, piece.chars());
        }
        let text: String = chars.into_iter().collect();
        if crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}
