//! Which steps of two plans belong together.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::definition::of_canonical;
use super::id;
use crate::digest::Digest;

/// For each step of the newer plan the position of the same step in the older one.
pub(super) fn pairs(old: &[Value], new: &[Value]) -> Vec<Option<usize>> {
    let mut matcher = Matcher {
        old,
        new,
        pairs: vec![None; new.len()],
        taken: vec![false; old.len()],
    };
    matcher.pair(|step, at| (!is_implicit(step, at)).then(|| id(step).to_owned()));
    let hash = |step: &Value| Some(of_canonical(step)).filter(|hash| *hash != empty_definition());
    matcher.pair(|step, _| hash(step));
    matcher.pair(|step, _| Some(step.get("title")?.as_str()?.to_owned()));
    matcher.pairs
}

/// Whether a step has no id of its own: it is called by its number.
pub(super) fn is_implicit(step: &Value, at: usize) -> bool {
    id(step) == format!("step-{}", at + 1)
}

/// The definition of a step that does nothing at all.
fn empty_definition() -> Digest {
    of_canonical(&Value::Null)
}

struct Matcher<'v> {
    old: &'v [Value],
    new: &'v [Value],
    pairs: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Matcher<'_> {
    /// Pairs the steps that have the same key and no partner yet; several of one key in order.
    fn pair<K: Ord>(&mut self, key: impl Fn(&Value, usize) -> Option<K>) {
        let mut free: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        let old = self.old.iter().zip(&self.taken).enumerate();
        for (at, (step, _)) in old.filter(|(_, (_, taken))| !**taken) {
            if let Some(key) = key(step, at) {
                free.entry(key).or_default().push_back(at);
            }
        }
        for (at, (step, pair)) in self.new.iter().zip(&mut self.pairs).enumerate() {
            if pair.is_some() {
                continue;
            }
            let positions = key(step, at).and_then(|key| free.get_mut(&key));
            *pair = positions.and_then(VecDeque::pop_front);
            if let Some(taken) = pair.and_then(|position| self.taken.get_mut(position)) {
                *taken = true;
            }
        }
    }
}
