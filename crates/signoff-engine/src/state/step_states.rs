//! The states of all steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::StepState;

/// The states of all steps, by position. Steps that nothing has happened to share one state: a plan may have a hundred
/// thousand of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepStates(Vec<Arc<StepState>>);

impl StepStates {
    /// Steps that wait for so many others each.
    pub(crate) fn waiting_for(counts: impl Iterator<Item = usize>) -> Self {
        let mut shared: BTreeMap<usize, Arc<StepState>> = BTreeMap::new();
        let states = counts.map(|waits_for| {
            let state = shared.entry(waits_for).or_insert_with(|| {
                Arc::new(StepState {
                    waits_for,
                    ..StepState::default()
                })
            });
            Arc::clone(state)
        });
        Self(states.collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&StepState> {
        self.0.get(at).map(AsRef::as_ref)
    }

    /// The state of one step, to be changed: from now on it has one of its own.
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut StepState> {
        self.0.get_mut(at).map(Arc::make_mut)
    }

    pub(crate) fn push(&mut self, state: StepState) {
        self.0.push(Arc::new(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AttemptState;

    #[test]
    fn an_attempt_of_which_nothing_is_left_but_its_beginning_takes_no_room() {
        let mut step = StepState {
            attempt: AttemptState::started(7).into(),
            ..StepState::default()
        };
        step.condense();
        assert!(step.attempt.as_mut().is_none());
        step.attempt = AttemptState {
            commit: Some("c".to_owned()),
            ..AttemptState::started(7)
        }
        .into();
        step.condense();
        assert_eq!(step.attempt.commit.as_deref(), Some("c"));
    }

    #[test]
    fn steps_share_a_state_until_something_happens_to_one() {
        let mut states = StepStates::waiting_for([0, 1, 1, 1].into_iter());
        let same =
            |states: &StepStates, a: usize, b: usize| Arc::ptr_eq(&states.0[a], &states.0[b]);
        assert!(same(&states, 1, 2) && same(&states, 2, 3) && !same(&states, 0, 1));
        let before = states.clone();
        states.get_mut(2).unwrap().attempts = 1;
        assert!(same(&states, 1, 3) && !same(&states, 1, 2));
        let attempts =
            |states: &StepStates| (0..4).map(|at| states.get(at).unwrap().attempts).sum();
        let (was, is): (u32, u32) = (attempts(&before), attempts(&states));
        assert_eq!((was, is), (0, 1));
    }
}
