//! Who waits for whom.
//!
//! Most plans are sequential, and large ones are large: "every step before" is never written out, and
//! indirect dependencies are computed on demand.

mod cycle;

use std::cell::{Cell, RefCell};

use crate::model::{Depends, Plan};

/// Dependencies between steps, by position.
pub(crate) struct Graph<'a> {
    depends: Vec<&'a Depends>,
    /// Position of each step in an order in which all wait only for earlier ones; `None` in or behind a
    /// cycle.
    ranks: Vec<Option<u32>>,
    search: RefCell<Search>,
    /// How many dependencies may still be visited; `None` = the limit was reached.
    left: Cell<Option<usize>>,
}

/// How many dependencies may be visited over all queries together. Real plans need a fraction;
/// the limit keeps the checks linear for all others.
const MOST_VISITS: usize = 20_000_000;

/// The steps visited during one query. It is kept, because clearing it costs more than a query.
#[derive(Debug, Default)]
struct Search {
    number: u32,
    visited: Vec<u32>,
    stack: Vec<usize>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self::of(plan.steps.iter().map(|step| &step.depends_on).collect())
    }

    pub(crate) fn of(depends: Vec<&'a Depends>) -> Self {
        Self {
            ranks: ranks(&depends),
            depends,
            search: RefCell::default(),
            left: Cell::new(Some(MOST_VISITS)),
        }
    }

    /// Whether a step waits for itself, or for one that does.
    pub(crate) fn is_stuck(&self, step: usize) -> bool {
        self.rank(step).is_none()
    }

    /// Place of a step among all: no step waits for one of a higher rank.
    pub(crate) fn rank(&self, step: usize) -> Option<u32> {
        self.ranks.get(step).copied().flatten()
    }

    /// Whether one step starts only after another has passed.
    pub(crate) fn waits_for(&self, step: usize, other: usize) -> bool {
        self.waits_for_any(step, &[other])
    }

    /// Whether a step starts only after one of these has passed, which are in plan order.
    ///
    /// Once too many questions have been asked the answer is yes: the checks then keep silent, and
    /// [`Self::is_exhausted`] tells.
    pub(crate) fn waits_for_any(&self, step: usize, others: &[usize]) -> bool {
        let Some(rank) = self.rank(step) else {
            return false;
        };
        let waits = match self.depends.get(step) {
            Some(Depends::On(list)) => !list.is_empty(),
            Some(Depends::AllBefore) => step > 0,
            None => false,
        };
        // Steps of a lower rank than all of these need not be looked at; of many, the lowest is low.
        let lowest = match others {
            few if few.len() <= 64 => few.iter().filter_map(|at| self.rank(*at)).min(),
            _ => Some(0),
        };
        let Some(lowest) = lowest.filter(|lowest| waits && *lowest < rank) else {
            return false;
        };
        let mut search = self.search.borrow_mut();
        search.begin(self.depends.len());
        search.stack.push(step);
        let mut all_before = 0;
        while let Some(at) = search.stack.pop() {
            let (before, listed): (usize, &[u32]) = match self.depends.get(at) {
                Some(Depends::AllBefore) => (at, &[]),
                Some(Depends::On(list)) => (0, list),
                None => (0, &[]),
            };
            if others.first().is_some_and(|first| *first < before) {
                return true;
            }
            let listed = listed.iter().filter_map(|at| usize::try_from(*at).ok());
            for next in (all_before..before).chain(listed) {
                if !self.may_visit() || others.binary_search(&next).is_ok() {
                    return true;
                }
                if self.rank(next).is_some_and(|rank| rank >= lowest) {
                    search.visit(next);
                }
            }
            all_before = all_before.max(before);
        }
        false
    }

    fn may_visit(&self) -> bool {
        let left = self.left.get().and_then(|left| left.checked_sub(1));
        self.left.set(left);
        left.is_some()
    }

    /// Whether a question was not answered because too many had been asked.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left.get().is_none()
    }

    /// One shortest cycle per knot of steps, each beginning with its first step in plan order.
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        if self.ranks.iter().all(Option::is_some) {
            return Vec::new();
        }
        let stuck = |step: usize| self.is_stuck(step);
        cycle::find(&self.depends, &stuck)
    }
}

impl Search {
    fn begin(&mut self, count: usize) {
        self.visited.resize(count, 0);
        self.stack.clear();
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.visited.fill(0);
            self.number = 1;
        }
    }

    fn visit(&mut self, step: usize) {
        if let Some(visited) = self.visited.get_mut(step)
            && *visited != self.number
        {
            *visited = self.number;
            self.stack.push(step);
        }
    }
}

/// The place of each step after all its dependencies; none for those in or behind a cycle.
pub(crate) fn ranks(depends: &[&Depends]) -> Vec<Option<u32>> {
    let dependents = Dependents::new(depends);
    let mut waiting: Vec<u32> = Vec::with_capacity(depends.len());
    let mut ready: Vec<usize> = Vec::with_capacity(depends.len());
    for (step, depends) in depends.iter().enumerate() {
        match depends {
            // Its turn comes when all steps before are placed.
            Depends::AllBefore => waiting.push(u32::MAX),
            Depends::On(list) => {
                let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
                waiting.push(count);
                if count == 0 {
                    ready.push(step);
                }
            }
        }
    }
    let mut ranks: Vec<Option<u32>> = vec![None; depends.len()];
    let mut placed_up_to = 0;
    let mut next = 0;
    loop {
        while ranks.get(placed_up_to).is_some_and(Option::is_some) {
            placed_up_to += 1;
        }
        if depends
            .get(placed_up_to)
            .is_some_and(|d| **d == Depends::AllBefore)
            && waiting.get(placed_up_to) == Some(&u32::MAX)
        {
            if let Some(left) = waiting.get_mut(placed_up_to) {
                *left = 0;
            }
            ready.push(placed_up_to);
        }
        let Some(step) = ready.get(next).copied() else {
            return ranks;
        };
        if let Some(rank) = ranks.get_mut(step) {
            *rank = u32::try_from(next).ok();
        }
        next += 1;
        for dependent in dependents.of(step) {
            let Ok(dependent) = usize::try_from(*dependent) else {
                continue;
            };
            if let Some(left) = waiting.get_mut(dependent) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    ready.push(dependent);
                }
            }
        }
    }
}

/// The steps that name a step, in one list for all.
struct Dependents {
    ends: Vec<usize>,
    steps: Vec<u32>,
}

impl Dependents {
    fn new(depends: &[&Depends]) -> Self {
        let mut ends = vec![0_usize; depends.len()];
        let mut pairs = 0;
        for at in depends.iter().flat_map(|depends| edges(depends)) {
            if let Some(count) = ends.get_mut(at) {
                *count += 1;
                pairs += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        let mut steps = vec![0; pairs];
        for (step, depends) in (0..).zip(depends) {
            for at in edges(depends) {
                if let Some(end) = ends.get_mut(at) {
                    if let Some(slot) = steps.get_mut(*end) {
                        *slot = step;
                    }
                    *end += 1;
                }
            }
        }
        Self { ends, steps }
    }

    fn of(&self, step: usize) -> &[u32] {
        let start = step.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(step).copied().unwrap_or(0);
        self.steps
            .get(start.copied().unwrap_or(0)..end)
            .unwrap_or_default()
    }
}

/// The steps that are named one by one.
fn edges(depends: &Depends) -> impl Iterator<Item = usize> + '_ {
    let list: &[u32] = match depends {
        Depends::AllBefore => &[],
        Depends::On(list) => list,
    };
    list.iter().filter_map(|at| usize::try_from(*at).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn depends(lists: &[&[u32]]) -> Vec<Depends> {
        let lists = lists.iter().enumerate();
        lists
            .map(|(at, list)| Depends::from_positions(at, list.to_vec()))
            .collect()
    }

    #[track_caller]
    fn check(lists: &[&[u32]], cycles: &[&[usize]]) {
        let depends = depends(lists);
        assert_eq!(Graph::of(depends.iter().collect()).cycles(), cycles);
    }

    #[test]
    fn cycles_are_shown_whole_and_once() {
        check(&[&[], &[0], &[0, 1]], &[]);
        check(&[&[0]], &[&[0]]);
        check(&[&[1], &[2], &[0]], &[&[0, 1, 2]]);
        check(&[&[1, 2], &[0], &[0]], &[&[0, 1]]);
        check(&[&[1], &[0], &[3], &[2], &[0]], &[&[0, 1], &[2, 3]]);
        check(&[&[2], &[0], &[3], &[2]], &[&[2, 3]]);
        check(&[&[3], &[], &[0, 1], &[0, 1, 2]], &[&[0, 3]]);
        check(&[&[], &[3], &[0, 1], &[2]], &[&[1, 3, 2]]);
    }

    #[test]
    fn waiting_is_transitive() {
        let depends = depends(&[&[], &[0], &[1], &[]]);
        let graph = Graph::of(depends.iter().collect());
        assert!(graph.waits_for(2, 0));
        assert!(!graph.waits_for(0, 2));
        assert!(!graph.waits_for(3, 0));
        let stuck = self::depends(&[&[0], &[0]]);
        assert!(Graph::of(stuck.iter().collect()).is_stuck(1));
    }

    #[test]
    fn a_question_that_is_not_answered_is_remembered() {
        let depends = depends(&[&[], &[0], &[1], &[2], &[]]);
        let graph = Graph::of(depends.iter().collect());
        graph.left.set(Some(3));
        assert!(graph.waits_for(3, 0));
        assert!(!graph.is_exhausted(), "the last look was enough");
        assert!(
            !graph.waits_for(4, 0),
            "it waits for nothing: no look is needed"
        );
        assert!(!graph.is_exhausted());
        assert!(graph.waits_for(3, 0));
        assert!(graph.is_exhausted());
    }

    /// Lists of steps that a step waits for, from `None` = all before.
    fn plans() -> impl Strategy<Value = Vec<Option<Vec<u32>>>> {
        let step = prop::option::weighted(0.7, prop::collection::vec(0..12_u32, 0..3));
        prop::collection::vec(step, 12)
    }

    proptest! {
        // Against the obvious way, which is too slow for large plans.
        #[test]
        fn who_waits_for_whom_is_what_following_every_dependency_says(lists in plans()) {
            let depends: Vec<Depends> = (0..).zip(lists).map(|(at, list)| match list {
                Some(list) => Depends::from_positions(at, list),
                None => Depends::AllBefore,
            }).collect();
            let graph = Graph::of(depends.iter().collect());
            let count = depends.len();
            let mut waits = vec![vec![false; count]; count];
            for (at, depends) in depends.iter().enumerate() {
                match depends {
                    Depends::AllBefore => waits[at][..at].fill(true),
                    Depends::On(list) => list.iter().for_each(|on| waits[at][*on as usize] = true),
                }
            }
            for via in 0..count {
                let onwards = waits[via].clone();
                for row in waits.iter_mut().filter(|row| row[via]) {
                    row.iter_mut().zip(&onwards).for_each(|(to, more)| *to |= more);
                }
            }
            let in_cycle = |at: usize| waits[at][at];
            for (from, row) in waits.iter().enumerate() {
                let stuck = in_cycle(from) || (0..count).any(|to| row[to] && in_cycle(to));
                prop_assert_eq!(graph.is_stuck(from), stuck);
                for (to, waits) in row.iter().enumerate().filter(|_| !stuck) {
                    prop_assert_eq!(graph.waits_for(from, to), *waits);
                }
            }
            let cycles = graph.cycles();
            for cycle in &cycles {
                let next = cycle.iter().skip(1).chain(cycle.first());
                for (from, to) in cycle.iter().zip(next) {
                    let direct = match &depends[*from] {
                        Depends::AllBefore => to < from,
                        Depends::On(list) => list.iter().any(|on| *on as usize == *to),
                    };
                    prop_assert!(direct, "{:?}", cycle);
                }
            }
            let knots = (0..count).filter(|at| {
                in_cycle(*at) && !(0..*at).any(|before| waits[*at][before] && waits[before][*at])
            });
            prop_assert_eq!(knots.count(), cycles.len());
        }
    }
}
