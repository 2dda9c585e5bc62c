//! Finds the cycles among steps that can never start.
//!
//! "Every step before" is a chain of nodes between the steps, one for each position: the step waits
//! for the node of its position, which stands for the step before it and for the node before.

use std::collections::VecDeque;

use crate::model::Depends;

/// One shortest cycle per knot of stuck steps, each beginning with its first step in plan order.
pub(super) fn find(depends: &[&Depends], stuck: &dyn Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let graph = WaitGraph { depends, stuck };
    let components = Components::of(&graph);
    let mut came_from = vec![None; graph.len()];
    let mut done = vec![false; components.count];
    let mut cycles = Vec::new();
    for step in (0..depends.len()).filter(|step| stuck(*step)) {
        let component = components.of_node(step);
        if let Some(done @ false) = done.get_mut(component)
            && let Some(cycle) = shortest(&graph, step, &mut came_from, &|at| {
                components.of_node(at) == component
            })
        {
            *done = true;
            cycles.push(cycle);
        }
    }
    cycles
}

/// Steps, and behind them the nodes that stand for all steps before a position.
struct WaitGraph<'n> {
    depends: &'n [&'n Depends],
    stuck: &'n dyn Fn(usize) -> bool,
}

impl WaitGraph<'_> {
    fn len(&self) -> usize {
        self.depends.len() * 2
    }

    fn is_step(&self, node: usize) -> bool {
        node < self.depends.len()
    }

    /// What a node waits for, one at a time: the caller counts through its list by `number`.
    fn next(&self, node: usize, number: usize) -> Option<usize> {
        let steps = self.depends.len();
        match self.depends.get(node) {
            Some(Depends::On(list)) => usize::try_from(*list.get(number)?).ok(),
            Some(Depends::AllBefore) => (number == 0 && node > 0).then_some(steps + node),
            None => {
                let position = node.checked_sub(steps)?;
                let before = position.checked_sub(1)?;
                match number {
                    0 => Some(before),
                    1 if before > 0 => Some(steps + before),
                    _ => None,
                }
            }
        }
    }

    /// Whether a node can be part of a cycle.
    fn waits_count(&self, node: usize) -> bool {
        !self.is_step(node) || (self.stuck)(node)
    }
}

/// The shortest way from a step back to itself.
fn shortest(
    graph: &WaitGraph<'_>,
    start: usize,
    came_from: &mut [Option<usize>],
    inside: &dyn Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        let mut number = 0;
        while let Some(next) = graph.next(node, number) {
            number += 1;
            if next == start {
                return Some(way_back(graph, start, node, came_from));
            }
            if !inside(next) {
                continue;
            }
            if let Some(from @ None) = came_from.get_mut(next) {
                *from = Some(node);
                // The nodes between steps are not part of the path.
                if graph.is_step(next) {
                    queue.push_back(next);
                } else {
                    queue.push_front(next);
                }
            }
        }
    }
    None
}

/// The steps on the way from `start` to `last`.
fn way_back(
    graph: &WaitGraph<'_>,
    start: usize,
    last: usize,
    came_from: &[Option<usize>],
) -> Vec<usize> {
    let mut way = Vec::new();
    let mut at = last;
    loop {
        if graph.is_step(at) {
            way.push(at);
        }
        match came_from.get(at).copied().flatten() {
            Some(before) if at != start => at = before,
            _ => break,
        }
    }
    way.reverse();
    way
}

/// Nodes that wait for each other (Tarjan's strongly connected components).
struct Components {
    components: Vec<usize>,
    count: usize,
}

const UNVISITED: usize = usize::MAX;

/// The state of the search. It keeps its own stack: the depth of a plan is up to its author.
struct Tarjan<'n> {
    graph: &'n WaitGraph<'n>,
    numbers: Vec<usize>,
    lowest: Vec<usize>,
    open: Vec<usize>,
    components: Vec<usize>,
    number: usize,
    count: usize,
}

impl Components {
    fn of(graph: &WaitGraph<'_>) -> Self {
        let mut tarjan = Tarjan {
            graph,
            numbers: vec![UNVISITED; graph.len()],
            lowest: vec![UNVISITED; graph.len()],
            open: Vec::new(),
            components: vec![UNVISITED; graph.len()],
            number: 0,
            count: 0,
        };
        for step in (0..graph.depends.len()).filter(|step| graph.waits_count(*step)) {
            if tarjan.numbers.get(step) == Some(&UNVISITED) {
                tarjan.search(step);
            }
        }
        Self {
            components: tarjan.components,
            count: tarjan.count,
        }
    }

    fn of_node(&self, node: usize) -> usize {
        value_or_unvisited(&self.components, node)
    }
}

fn value_or_unvisited(list: &[usize], node: usize) -> usize {
    list.get(node).copied().unwrap_or(UNVISITED)
}

impl Tarjan<'_> {
    fn search(&mut self, start: usize) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, number)) = path.last_mut() {
            let node = *node;
            let Some(next) = self.graph.next(node, *number) else {
                path.pop();
                self.leave(node);
                if let Some((parent, _)) = path.last() {
                    self.lower(*parent, value_or_unvisited(&self.lowest, node));
                }
                continue;
            };
            *number += 1;
            if !self.graph.waits_count(next) {
                continue;
            }
            if value_or_unvisited(&self.numbers, next) == UNVISITED {
                self.enter(next);
                path.push((next, 0));
            } else if value_or_unvisited(&self.components, next) == UNVISITED {
                self.lower(node, value_or_unvisited(&self.numbers, next));
            }
        }
    }

    fn enter(&mut self, node: usize) {
        for list in [&mut self.numbers, &mut self.lowest] {
            if let Some(number) = list.get_mut(node) {
                *number = self.number;
            }
        }
        self.number += 1;
        self.open.push(node);
    }

    fn lower(&mut self, node: usize, value: usize) {
        if let Some(lowest) = self.lowest.get_mut(node) {
            *lowest = (*lowest).min(value);
        }
    }

    fn leave(&mut self, node: usize) {
        if value_or_unvisited(&self.lowest, node) != value_or_unvisited(&self.numbers, node) {
            return;
        }
        while let Some(member) = self.open.pop() {
            if let Some(component) = self.components.get_mut(member) {
                *component = self.count;
            }
            if member == node {
                break;
            }
        }
        self.count += 1;
    }
}
