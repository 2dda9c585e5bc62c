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

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> Id {
        digit.to_string().repeat(40).parse().expect("an id")
    }

    fn difference(name: &[u8]) -> Difference {
        Difference {
            name: name.into(),
            before: None,
            after: Some((0o100_644, id('f'))),
        }
    }

    #[test]
    fn a_pair_is_known_in_its_direction_alone() {
        let mut recent = RecentDifferences::default();
        let found = [difference(b"a")];
        recent.insert(&id('1'), &id('2'), &found);
        assert_eq!(recent.get(&id('1'), &id('2')).as_deref(), Some(&found[..]));
        assert_eq!(recent.get(&id('2'), &id('1')), None);
        assert_eq!(recent.get(&id('1'), &id('3')), None);
    }

    #[test]
    fn the_oldest_pair_goes_first_and_a_long_one_is_not_kept() {
        let mut recent = RecentDifferences::default();
        let digits = "0123456789abcdef";
        for digit in digits.chars() {
            recent.insert(&id(digit), &id('0'), &[]);
        }
        recent.insert(&id('0'), &id('1'), &[]);
        assert_eq!(recent.0.len(), PAIRS);
        assert_eq!(recent.get(&id('0'), &id('0')), None);
        assert!(recent.get(&id('1'), &id('0')).is_some());
        recent.insert(&id('2'), &id('3'), &vec![difference(b"a"); PATHS + 1]);
        assert_eq!(recent.get(&id('2'), &id('3')), None);
    }
}
