//! Which steps of a run are kept from an earlier run of the same plan. Only this file decides it.

use signoff_plan::model::{Depends, Step, Work};

use super::{Run, StepState, StepStatus};
use crate::event::{EarlierEnd, EarlierStep, RedoReason};
use crate::evidence::{EvidenceFacts, Grade};
use crate::verdict::Verdict;

/// What becomes of a step that an earlier run had done.
#[derive(Debug)]
pub(crate) enum KeptResult<'a> {
    /// Nothing of it counts: the step is worked on as usual.
    Nothing,
    /// It stays done; no contract could say otherwise.
    Done(EarlierResult<'a>),
    /// It stays done if its contract holds.
    IfContractHolds(EarlierResult<'a>),
}

/// How an earlier run completed a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EarlierResult<'a> {
    pub(crate) run: &'a str,
    pub(crate) evidence: Grade,
    pub(crate) facts: &'a EvidenceFacts,
}

impl EarlierStep {
    pub(crate) fn result(&self) -> Option<EarlierResult<'_>> {
        match &self.ended {
            EarlierEnd::Completed { evidence, facts } => Some(EarlierResult {
                run: &self.run,
                evidence: *evidence,
                facts,
            }),
            EarlierEnd::Skipped | EarlierEnd::Unfinished => None,
        }
    }
}

impl Run {
    /// What an earlier run of the plan knows of the step.
    pub fn earlier_step(&self, at: usize) -> Option<&EarlierStep> {
        if self.earlier.is_empty() {
            return None;
        }
        self.earlier.get(&self.definition(at)?.id)
    }

    /// The same with the values of the step, which the step itself has while the run goes on.
    pub(crate) fn earlier_with_values(&self, at: usize) -> Option<EarlierStep> {
        let (earlier, state) = (self.earlier_step(at)?, self.steps.get(at)?);
        Some(EarlierStep {
            output: state.values.output.clone(),
            stdout: state.values.stdout.clone(),
            said: state.history.said.clone(),
            ..earlier.clone()
        })
    }

    /// What an earlier run knows of the items of a loop, each with its key in brackets.
    pub(crate) fn earlier_items<'a>(
        &'a self,
        of: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a EarlierStep)> {
        let first = format!("{of}[");
        let known = self.earlier.range(first..);
        let items = known.map_while(move |(id, earlier)| Some((id.strip_prefix(of)?, earlier)));
        items.take_while(|(key, _)| key.starts_with('['))
    }

    /// Takes out what an earlier run knows of the items of a loop, each with its place in the list, in order.
    pub(crate) fn take_earlier_items(&mut self, of: &str) -> Vec<(u64, EarlierStep)> {
        let ids: Vec<String> = (self.earlier_items(of))
            .map(|(key, _)| format!("{of}{key}"))
            .collect();
        let mut items: Vec<(u64, EarlierStep)> = (ids.iter())
            .filter_map(|id| Some((item_number(id)?, self.earlier.remove(id)?)))
            .collect();
        items.sort_by_key(|(number, _)| *number);
        items
    }

    /// Did its author mark the step as done? The marks of earlier runs are the harness's own.
    pub(crate) fn is_claimed(&self, at: usize) -> bool {
        let parent = self.steps.get(at).and_then(StepState::parent);
        let mut marked = [Some(at), parent].into_iter().flatten();
        self.definition(at).is_some_and(|step| step.claimed)
            && marked.all(|at| self.earlier_step(at).is_none())
    }

    /// What becomes of the step's earlier result, as long as this run has not worked on the step.
    pub(crate) fn kept_step_result(&self, at: usize) -> KeptResult<'_> {
        let Some((definition, state)) = self.step(at) else {
            return KeptResult::Nothing;
        };
        // A check has no work to keep, and a loop is what its items are.
        let has_work = definition.work != Work::Check && definition.for_each.is_none();
        let is_untouched = state.attempts == 0 && !state.history.ended_before;
        let result = self.kept_result(at).filter(|_| has_work && is_untouched);
        let Some(result) = result else {
            return KeptResult::Nothing;
        };
        match (&definition.contract, state.baseline.verdict) {
            // It holds, and a crash lost what follows from that.
            (None, _) | (Some(_), Some(Verdict::Pass)) => KeptResult::Done(result),
            (Some(_), None) => KeptResult::IfContractHolds(result),
            (Some(_), Some(Verdict::Fail | Verdict::Inconclusive)) => KeptResult::Nothing,
        }
    }

    /// The earlier result of a step that need not be done again, as far as its contract does not say otherwise.
    fn kept_result(&self, at: usize) -> Option<EarlierResult<'_>> {
        let earlier = self
            .earlier_step(at)
            .filter(|earlier| earlier.again.is_none())?;
        let result = earlier.result()?;
        // As with steps that stay done under another version of the plan, work of this run stays valid when a
        // dependency is done again.
        let is_own = earlier.run == self.id;
        (is_own || !self.rests_on_redone(at)).then_some(result)
    }

    /// Was something done again that the step depends on?
    pub(crate) fn rests_on_redone(&self, at: usize) -> bool {
        // An item waits for what its loop waits for.
        let at = self.steps.get(at).and_then(StepState::parent).unwrap_or(at);
        let redone = &self.schedule.redone;
        match self.definition(at).map(|step| &step.depends_on) {
            Some(Depends::AllBefore) => redone.first().is_some_and(|first| *first < at),
            Some(Depends::On(_)) => {
                let mut dependencies = self.plan().dependencies(at);
                !redone.is_empty() && dependencies.any(|before| redone.contains(&before))
            }
            None => false,
        }
    }

    /// Did this run do the step anew, so that what depends on it is done again too? Only in a run that knows of an
    /// earlier one.
    pub(crate) fn is_redone(&self, at: usize) -> bool {
        let Some((definition, state)) = self.step(at).filter(|_| !self.earlier.is_empty()) else {
            return false;
        };
        let earlier = self.earlier_step(at);
        let is_same = earlier.is_some_and(|earlier| earlier.again != Some(RedoReason::Changed));
        if state.status == StepStatus::Skipped {
            let skipped = earlier.is_some_and(|earlier| earlier.ended == EarlierEnd::Skipped);
            return !(is_same && skipped);
        }
        if self.children.contains_key(&at) {
            return self.has_redone_items(at, definition);
        }
        // A check changes nothing.
        if definition.work == Work::Check {
            return !is_same;
        }
        let facts = state.outcome.facts();
        facts.is_none_or(|facts| facts.kept_from.is_none())
    }

    /// Did the items of a loop change, or was one of them done again?
    fn has_redone_items(&self, at: usize, definition: &Step) -> bool {
        let items = self.children.get(&at).map_or(&[][..], Vec::as_slice);
        let is_other = |&item: &usize| {
            let state = self.steps.get(item).and_then(|state| state.item.as_ref());
            state.is_some_and(|item| item.is_moved) || self.is_redone(item)
        };
        self.has_fewer_items(definition, items.len()) || items.iter().any(is_other)
    }

    /// Did the last run have items that are no longer in the list?
    fn has_fewer_items(&self, definition: &Step, count: usize) -> bool {
        let mut left = (count..)
            .map(|number| self.earlier.get(&format!("{}[{number}]", definition.id)))
            .map_while(std::convert::identity);
        left.any(|earlier| earlier.again != Some(RedoReason::Superseded))
    }
}

/// The place in its list of the item that has this id.
pub(crate) fn item_number(id: &str) -> Option<u64> {
    let (_, number) = id.strip_suffix(']')?.rsplit_once('[')?;
    number.parse().ok()
}
