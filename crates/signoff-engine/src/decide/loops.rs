//! A loop becomes its items, and ends with the last of them.

use signoff_plan::expression::evaluate_list;
use signoff_plan::model::Step;

use super::evidence::facts;
use super::gate::{ask_at_gate, blocked_by_skip, scope};
use super::person::Question;
use super::{Refusal, with_step};
use crate::event::{Choice, Event, InboxKind};
use crate::evidence::{EvidenceFacts, Grade};
use crate::state::{Run, Stage, steps_read};

/// Expands a loop into its items, or asks a person if the list has no value.
pub(super) fn expand(
    run: &Run,
    at: usize,
    definition: &Step,
    list: &str,
) -> Result<Vec<Event>, Refusal> {
    let reads = steps_read(list);
    if let Some(events) = blocked_by_skip(run, definition, &reads) {
        return Ok(events);
    }
    let step = definition.id.clone();
    let most = definition.max_items.unwrap_or(Step::MAX_ITEMS);
    match evaluate_list(list, &scope(run, at, &reads), most) {
        Ok(items) => {
            let mut events = super::begin(run, at, |_| Vec::new())?;
            events.push(Event::Expanded { step, items });
            Ok(events)
        }
        Err(why) => {
            let question = format!("the loop of step `{step}` has no items: {why} (`{list}`)");
            let choices = vec![Choice::Skip, Choice::Abort];
            ask_at_gate(
                run,
                at,
                Question::new(InboxKind::Escalation, question, choices),
            )
        }
    }
}

/// Ends a loop whose items are all done, some of them perhaps provisionally.
pub(super) fn end_loop(run: &Run, at: usize) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let items = run.children.get(&at).into_iter().flatten();
        let items: Vec<_> = items.filter_map(|&item| run.steps.get(item)).collect();
        let step = definition.id.clone();
        if items.iter().any(|item| item.stage == Stage::Provisional) {
            return vec![Event::StepProvisional { step, attempts: 0 }];
        }
        // The weakest grade of the items. The harness itself observed that an empty loop has none.
        let evidence = items.iter().filter_map(|item| item.outcome.grade()).max();
        let kept = run.earlier_step(at).filter(|_| !run.is_redone(at));
        vec![Event::StepCompleted {
            step,
            attempts: items.iter().map(|item| item.attempts).sum(),
            evidence: evidence.unwrap_or(Grade::Observed),
            facts: EvidenceFacts {
                kept_from: kept.map(|earlier| earlier.run.clone()),
                ..facts(run, definition, state)
            },
        }]
    })
}
