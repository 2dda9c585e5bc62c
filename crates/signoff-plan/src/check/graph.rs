//! Who waits for whom.

use crate::model::Plan;

/// Dependencies between steps, by position.
#[derive(Debug, Default)]
pub(super) struct Graph {
    dependencies: Vec<Vec<usize>>,
    /// Every step that a step waits for, directly or not; `None` where there is a cycle.
    ancestors: Vec<Option<BitSet>>,
}

/// A set of small numbers. Plans may have a thousand steps that each wait for all before them.
#[derive(Debug, Clone, Default)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn with_room_for(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.0
            .get(number / 64)
            .is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    fn extend(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}

impl Graph {
    pub(super) fn new(plan: &Plan) -> Self {
        let dependencies = (0..plan.steps.len()).map(|at| plan.dependencies(at).collect());
        Self::of_lists(dependencies.collect())
    }

    fn of_lists(dependencies: Vec<Vec<usize>>) -> Self {
        let count = dependencies.len();
        let mut graph = Self {
            dependencies,
            ancestors: vec![None; count],
        };
        for step in graph.in_order() {
            let mut set = BitSet::with_room_for(count);
            for dependency in graph.of(step) {
                set.insert(*dependency);
                if let Some(Some(more)) = graph.ancestors.get(*dependency) {
                    set.extend(more);
                }
            }
            if let Some(place) = graph.ancestors.get_mut(step) {
                *place = Some(set);
            }
        }
        graph
    }

    /// The direct dependencies of a step.
    pub(super) fn of(&self, step: usize) -> &[usize] {
        self.dependencies.get(step).map_or(&[], Vec::as_slice)
    }

    /// Whether one step starts only after another has passed.
    pub(super) fn waits_for(&self, step: usize, other: usize) -> bool {
        let set = self.ancestors.get(step).and_then(Option::as_ref);
        set.is_some_and(|set| set.contains(other))
    }

    /// Whether a step waits for itself, or for one that does.
    pub(super) fn is_stuck(&self, step: usize) -> bool {
        self.ancestors.get(step).is_none_or(Option::is_none)
    }

    /// Steps after all their dependencies; those in or behind a cycle are left out.
    fn in_order(&self) -> Vec<usize> {
        let count = self.dependencies.len();
        let mut waiting: Vec<usize> = self.dependencies.iter().map(Vec::len).collect();
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (step, dependencies) in self.dependencies.iter().enumerate() {
            for dependency in dependencies {
                if let Some(list) = dependents.get_mut(*dependency) {
                    list.push(step);
                }
            }
        }
        let none_left = waiting.iter().enumerate().filter(|(_, left)| **left == 0);
        let mut order: Vec<usize> = none_left.map(|(step, _)| step).collect();
        let mut next = 0;
        while let Some(step) = order.get(next).copied() {
            next += 1;
            for dependent in dependents.get(step).into_iter().flatten() {
                if let Some(left) = waiting.get_mut(*dependent) {
                    *left -= 1;
                    if *left == 0 {
                        order.push(*dependent);
                    }
                }
            }
        }
        order
    }

    /// One shortest cycle per knot of steps, each beginning with its first step in plan order.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.dependencies.len()];
        let mut cycles = Vec::new();
        for step in 0..self.dependencies.len() {
            if seen.get(step).copied().unwrap_or(true) || !self.is_stuck(step) {
                continue;
            }
            if let Some(cycle) = self.cycle_through(step) {
                for member in self.knot(step) {
                    if let Some(place) = seen.get_mut(member) {
                        *place = true;
                    }
                }
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// The shortest way from a step back to itself, along dependencies in plan order.
    fn cycle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.dependencies.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(step) = queue.pop_front() {
            for dependency in self.of(step) {
                if *dependency == start {
                    return Some(way_back(start, step, &came_from));
                }
                if let Some(place @ None) = came_from.get_mut(*dependency) {
                    *place = Some(step);
                    queue.push_back(*dependency);
                }
            }
        }
        None
    }

    /// Steps that a step waits for and that wait for it.
    fn knot(&self, step: usize) -> Vec<usize> {
        let forward = reachable(step, |at| self.of(at).to_vec(), self.dependencies.len());
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); self.dependencies.len()];
        for (at, dependencies) in self.dependencies.iter().enumerate() {
            for dependency in dependencies {
                if let Some(list) = dependents.get_mut(*dependency) {
                    list.push(at);
                }
            }
        }
        let back = |at: usize| dependents.get(at).cloned().unwrap_or_default();
        let backward = reachable(step, back, self.dependencies.len());
        (0..self.dependencies.len())
            .filter(|at| forward.contains(*at) && backward.contains(*at))
            .collect()
    }
}

/// The way from `start` to `last`, from where each step was reached.
fn way_back(start: usize, last: usize, came_from: &[Option<usize>]) -> Vec<usize> {
    let mut way = vec![last];
    let mut at = last;
    while at != start {
        match came_from.get(at).copied().flatten() {
            Some(before) => at = before,
            None => break,
        }
        way.push(at);
    }
    way.reverse();
    way
}

fn reachable(start: usize, next: impl Fn(usize) -> Vec<usize>, count: usize) -> BitSet {
    let mut set = BitSet::with_room_for(count);
    let mut stack = vec![start];
    while let Some(step) = stack.pop() {
        if !set.contains(step) {
            set.insert(step);
            stack.extend(next(step));
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dependencies: &[&[usize]], cycles: &[&[usize]]) {
        let dependencies: Vec<Vec<usize>> = dependencies.iter().map(|list| list.to_vec()).collect();
        assert_eq!(Graph::of_lists(dependencies).cycles(), cycles);
    }

    #[test]
    fn cycles_are_shown_whole_and_once() {
        check(&[&[], &[0], &[0, 1]], &[]);
        check(&[&[0]], &[&[0]]);
        check(&[&[1], &[2], &[0]], &[&[0, 1, 2]]);
        check(&[&[1, 2], &[0], &[0]], &[&[0, 1]]);
        check(&[&[1], &[0], &[3], &[2], &[0]], &[&[0, 1], &[2, 3]]);
        check(&[&[2], &[0], &[3], &[2]], &[&[2, 3]]);
    }

    #[test]
    fn ancestors_are_transitive() {
        let graph = Graph::of_lists(vec![vec![], vec![0], vec![1], vec![]]);
        assert!(graph.waits_for(2, 0));
        assert!(!graph.waits_for(0, 2));
        assert!(!graph.waits_for(3, 0));
        assert!(Graph::of_lists(vec![vec![0], vec![0]]).is_stuck(1));
    }
}
