//! Where to draw the steps of a plan, for whoever draws them: [`lanes`] beside lines of text,
//! [`layered`] in a plane.
//!
//! Start with [`StepGraph::of_plan`], which leaves out what follows from the rest, then
//! [`chains::fold`], which puts steps that simply follow each other together.

pub(crate) mod chains;
mod crossings;
pub(crate) mod lanes;
pub(crate) mod layered;
mod reduce;
mod spread;

use signoff_plan::model::Plan;

/// Who waits for whom, without what follows from the rest: if `c` waits for `b` and `b` for `a`,
/// then that `c` waits for `a` is not said again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct StepGraph {
    /// The dependencies of each step, by position, in plan order. Without a cycle.
    pub(crate) dependencies: Vec<Vec<usize>>,
    /// Dependencies that close a cycle, as (step, what it waits for).
    pub(crate) backward: Vec<(usize, usize)>,
}

impl StepGraph {
    /// The graph of a plan.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        Self::reduced(reduce::direct(plan))
    }

    /// The graph of these dependencies.
    pub(crate) fn reduced(direct: Vec<Vec<usize>>) -> Self {
        let (acyclic, backward) = reduce::without_cycles(direct);
        Self {
            dependencies: reduce::reduce(acyclic),
            backward,
        }
    }

    /// The steps that wait for each step, by position, in plan order.
    pub(crate) fn dependents(&self) -> Vec<Vec<usize>> {
        reversed(&self.dependencies)
    }
}

/// The same edges, seen from their other ends.
fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, list) in edges.iter().enumerate() {
        for to in list {
            if let Some(place) = reversed.get_mut(*to) {
                place.push(from);
            }
        }
    }
    reversed
}

/// Nodes after everything they wait for; those of equal rights in their own order.
fn in_order(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let dependents = reversed(dependencies);
    let mut missing: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let free = missing.iter().enumerate().filter(|(_, left)| **left == 0);
    let mut order: Vec<usize> = free.map(|(node, _)| node).collect();
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        next += 1;
        for dependent in list(&dependents, node) {
            if let Some(left) = missing.get_mut(*dependent) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    order.push(*dependent);
                }
            }
        }
    }
    order
}

/// How many steps come before each node on the longest way to it.
fn ranks(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut ranks = vec![0; dependencies.len()];
    for node in in_order(dependencies) {
        let before = list(dependencies, node)
            .iter()
            .map(|other| at(&ranks, *other) + 1);
        let rank = before.max().unwrap_or(0);
        if let Some(place) = ranks.get_mut(node) {
            *place = rank;
        }
    }
    ranks
}

/// A value of a list by position; nothing is asked for that is not there.
fn at<T: Copy + Default>(values: &[T], index: usize) -> T {
    values.get(index).copied().unwrap_or_default()
}

/// A list of a list.
fn list(lists: &[Vec<usize>], index: usize) -> &[usize] {
    lists.get(index).map_or(&[], Vec::as_slice)
}
