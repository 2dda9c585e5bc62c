//! Lays out the steps of a plan: [`lanes`] beside lines of text, [`layered`] in a plane.
//!
//! Start with [`StepGraph::of_plan`], which leaves out what follows from the rest, then
//! [`chains::fold`], which puts steps that simply follow each other together.

pub mod chains;
mod crossings;
mod grid;
pub mod lanes;
pub mod layered;
mod reduce;
mod spread;

use signoff_plan::model::Plan;

/// The dependencies between steps, transitively reduced: if `c` depends on `b` and `b` on `a`, then the edge from `c` to
/// `a` is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepGraph {
    /// The dependencies of each step, by position, in plan order. Without a cycle.
    pub dependencies: Vec<Vec<usize>>,
    /// Dependencies that close a cycle, as (step, what it waits for).
    pub backward: Vec<(usize, usize)>,
}

impl StepGraph {
    /// The graph of a plan.
    pub fn of_plan(plan: &Plan) -> Self {
        Self::from_dependencies(reduce::written_dependencies(plan))
    }

    /// The graph of these dependencies.
    pub fn from_dependencies(direct: Vec<Vec<usize>>) -> Self {
        let (acyclic, backward) = reduce::without_cycles(direct);
        Self {
            dependencies: reduce::reduce(acyclic),
            backward,
        }
    }

    /// The steps that wait for each step, by position, in plan order.
    pub fn dependents(&self) -> Vec<Vec<usize>> {
        reverse_edges(&self.dependencies)
    }
}

/// The same edges in the other direction.
fn reverse_edges(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, list) in edges.iter().enumerate() {
        for to in list {
            if let Some(slot) = reversed.get_mut(*to) {
                slot.push(from);
            }
        }
    }
    reversed
}

/// The nodes in topological order; independent ones keep their order.
fn in_order(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let dependents = reverse_edges(dependencies);
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

/// The length of the longest path to each node.
fn ranks(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut ranks = vec![0; dependencies.len()];
    for node in in_order(dependencies) {
        let before = list(dependencies, node)
            .iter()
            .map(|other| at(&ranks, *other) + 1);
        let rank = before.max().unwrap_or(0);
        if let Some(slot) = ranks.get_mut(node) {
            *slot = rank;
        }
    }
    ranks
}

/// The value of a node.
fn at<T: Copy>(values: &[T], node: usize) -> T {
    *values
        .get(node)
        .expect("a value for each node of the graph")
}

/// The list of a node.
fn list(lists: &[Vec<usize>], node: usize) -> &[usize] {
    lists.get(node).expect("a list for each node of the graph")
}
