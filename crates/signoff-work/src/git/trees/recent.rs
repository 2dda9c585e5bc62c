//! Differences between commits or trees that were asked for lately. They never change, so git is asked once.

use std::collections::VecDeque;

use crate::git::Id;
use crate::git::entries::Difference;

/// A step asks for the same few pairs again and again, and the next one for others.
const PAIRS: usize = 16;

/// More than that is not worth its memory.
const PATHS: usize = 1000;

/// The last pairs, the newest last.
#[derive(Debug, Default)]
pub(crate) struct RecentDifferences(VecDeque<Pair>);

#[derive(Debug)]
struct Pair {
    from: Id,
    to: Id,
    differences: Vec<Difference>,
}

impl RecentDifferences {
    pub(super) fn get(&self, from: &Id, to: &Id) -> Option<Vec<Difference>> {
        let mut pairs = self.0.iter();
        let found = pairs.find(|pair| (&pair.from, &pair.to) == (from, to));
        found.map(|pair| pair.differences.clone())
    }

    pub(super) fn insert(&mut self, from: &Id, to: &Id, differences: &[Difference]) {
        if differences.len() > PATHS {
            return;
        }
        if self.0.len() == PAIRS {
            self.0.pop_front();
        }
        self.0.push_back(Pair {
            from: from.clone(),
            to: to.clone(),
            differences: differences.to_vec(),
        });
    }
}
