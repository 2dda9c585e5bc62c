//! Transitive reduction of dependencies.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::model::{Depends, Plan};

use super::{at, in_order, list, ranks};

/// What each step waits for, as written. A step that waits for all before it names only those that
/// no other of them waits for.
pub(super) fn written_dependencies(plan: &Plan) -> Vec<Vec<usize>> {
    let count = plan.steps.len();
    // Steps so far that no step so far waits for.
    let mut ends: BTreeSet<usize> = BTreeSet::new();
    let mut waited_for = vec![false; count];
    let mut dependencies = Vec::with_capacity(count);
    for (position, step) in plan.steps.iter().enumerate() {
        let own: Vec<usize> = match step.depends_on {
            Depends::AllBefore => ends.iter().copied().collect(),
            Depends::On(_) => plan
                .dependencies(position)
                .filter(|other| *other < count)
                .collect(),
        };
        for other in &own {
            ends.remove(other);
            if let Some(slot) = waited_for.get_mut(*other) {
                *slot = true;
            }
        }
        if !at(&waited_for, position) {
            ends.insert(position);
        }
        dependencies.push(own);
    }
    dependencies
}

/// A place on the way down in [`without_cycles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Visit {
    #[default]
    New,
    Open,
    Done,
}

/// Takes out the dependencies that lead back to a step from which they were reached.
pub(super) fn without_cycles(
    dependencies: Vec<Vec<usize>>,
) -> (Vec<Vec<usize>>, Vec<(usize, usize)>) {
    let mut visits = vec![Visit::New; dependencies.len()];
    let mut backward = BTreeSet::new();
    for start in 0..dependencies.len() {
        // Steps that are open, with the number of dependencies already followed.
        let mut stack = vec![(start, 0)];
        while let Some((step, followed)) = stack.pop() {
            if followed == 0 {
                if at(&visits, step) != Visit::New {
                    continue;
                }
                set(&mut visits, step, Visit::Open);
            }
            let Some(next) = list(&dependencies, step).get(followed).copied() else {
                set(&mut visits, step, Visit::Done);
                continue;
            };
            stack.push((step, followed + 1));
            match at(&visits, next) {
                Visit::New => stack.push((next, 0)),
                Visit::Open => {
                    backward.insert((step, next));
                }
                Visit::Done => {}
            }
        }
    }
    let kept = dependencies.into_iter().enumerate().map(|(step, mut own)| {
        own.retain(|other| !backward.contains(&(step, *other)));
        own.sort_unstable();
        own.dedup();
        own
    });
    (kept.collect(), backward.into_iter().collect())
}

fn set<T>(values: &mut [T], index: usize, value: T) {
    if let Some(slot) = values.get_mut(index) {
        *slot = value;
    }
}

/// Leaves out every dependency that can be reached through another one.
///
/// Sixty-four steps are looked at in one go, each a bit: a table of who can reach whom would not fit
/// into memory for the largest plans.
pub(super) fn reduce(mut dependencies: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let order = in_order(&dependencies);
    let mut positions = vec![0; order.len()];
    for (position, step) in order.iter().enumerate() {
        set(&mut positions, *step, position);
    }
    let mut reached = vec![0_u64; dependencies.len()];
    for (block, (from, to)) in ambiguous_blocks(&dependencies, &positions) {
        let bit = |step: usize| {
            let inside = step / BITS == block;
            if inside { 1 << (step % BITS) } else { 0 }
        };
        for step in order.get(from..=to).unwrap_or_default() {
            let own = list(&dependencies, *step);
            // What stands before the block reaches nothing in it, whatever is left there.
            let before = own.iter().filter(|other| at(&positions, **other) >= from);
            let through = before.fold(0, |bits, other| bits | at(&reached, *other));
            let bits = own.iter().fold(through, |bits, other| bits | bit(*other));
            set(&mut reached, *step, bits);
            if let Some(own) = dependencies.get_mut(*step).filter(|own| own.len() > 1) {
                own.retain(|other| through & bit(*other) == 0);
            }
        }
    }
    dependencies
}

/// How many steps are looked at in one go.
const BITS: usize = 64;

/// Blocks of steps that are waited for by a step which might also reach them through another, each
/// with the part of the order in which that happens.
///
/// A dependency in the layer right before cannot be reached in any other way.
fn ambiguous_blocks(
    dependencies: &[Vec<usize>],
    positions: &[usize],
) -> BTreeMap<usize, (usize, usize)> {
    let ranks = ranks(dependencies);
    let mut blocks: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (step, own) in dependencies
        .iter()
        .enumerate()
        .filter(|(_, own)| own.len() > 1)
    {
        for other in own {
            if at(&ranks, step) > at(&ranks, *other) + 1 {
                let range = blocks.entry(other / BITS).or_insert((usize::MAX, 0));
                range.0 = range.0.min(at(positions, *other));
                range.1 = range.1.max(at(positions, step));
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::super::StepGraph;

    #[track_caller]
    fn check(direct: &[&[usize]], reduced: &[&[usize]], backward: &[(usize, usize)]) {
        let direct = direct.iter().map(|list| list.to_vec()).collect();
        let graph = StepGraph::from_dependencies(direct);
        assert_eq!(graph.dependencies, reduced);
        assert_eq!(graph.backward, backward);
    }

    #[test]
    fn what_follows_from_the_rest_is_left_out() {
        check(&[&[], &[0], &[0, 1]], &[&[], &[0], &[1]], &[]);
        check(
            &[&[], &[0], &[0], &[0, 1, 2]],
            &[&[], &[0], &[0], &[1, 2]],
            &[],
        );
        check(&[&[2], &[], &[1], &[0, 1]], &[&[2], &[], &[1], &[0]], &[]);
        let chain: Vec<Vec<usize>> = (0..200).map(|step| (0..step).collect()).collect();
        let graph = StepGraph::from_dependencies(chain);
        assert!(graph.dependencies.iter().skip(1).all(|own| own.len() == 1));
    }

    #[test]
    fn cycles_are_cut_at_the_same_place_every_time() {
        check(&[&[0]], &[&[]], &[(0, 0)]);
        check(&[&[2], &[0], &[1]], &[&[2], &[], &[1]], &[(1, 0)]);
        check(&[&[1], &[0], &[1]], &[&[1], &[], &[1]], &[(1, 0)]);
    }

    /// The definition, word for word.
    fn needed(direct: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let reaches = |from: usize, to: usize| {
            let mut seen = vec![false; direct.len()];
            let mut stack = vec![from];
            while let Some(step) = stack.pop() {
                if step == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[step], true) {
                    stack.extend(&direct[step]);
                }
            }
            false
        };
        let of = |own: &Vec<usize>| {
            let others = |other: &&usize| {
                !own.iter()
                    .any(|via| via != *other && reaches(*via, **other))
            };
            own.iter().filter(others).copied().collect()
        };
        direct.iter().map(of).collect()
    }

    #[test]
    fn reduction_agrees_with_the_definition() {
        // Every graph of five steps with these dependencies on earlier ones.
        for shape in 0..1024_u32 {
            let mut bits = shape;
            let mut direct: Vec<Vec<usize>> = vec![Vec::new(); 5];
            for (step, own) in direct.iter_mut().enumerate() {
                for other in 0..step {
                    if bits & 1 == 1 {
                        own.push(other);
                    }
                    bits >>= 1;
                }
            }
            assert_eq!(
                StepGraph::from_dependencies(direct.clone()).dependencies,
                needed(&direct)
            );
        }
        // Larger ones, in an order that is not that of the steps.
        for factor in [7, 13, 61] {
            let name = |step: usize| step * factor % 211;
            let mut direct: Vec<Vec<usize>> = vec![Vec::new(); 211];
            for step in 0..211_usize {
                let before = (0..step).filter(|other| (step * 31 + other * 17 + factor) % 23 == 0);
                let mut own: Vec<usize> = before.map(name).collect();
                own.sort_unstable();
                direct[name(step)] = own;
            }
            assert_eq!(
                StepGraph::from_dependencies(direct.clone()).dependencies,
                needed(&direct)
            );
        }
    }
}
