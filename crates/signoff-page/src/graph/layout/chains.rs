//! Chains: steps that simply follow each other, drawn as one item.

use super::{StepGraph, in_order, list, ranks};

/// Steps of which each waits for the one before it and for nothing else, and nothing else waits for
/// any but the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// What is drawn of it, from the first step to the last.
    pub items: Vec<Item>,
    /// The chains that its first step waits for, by position.
    pub dependencies: Vec<usize>,
}

/// A line of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A step, by position.
    Step(usize),
    /// So many steps that are not drawn one by one.
    Folded(usize),
}

/// The chains of a graph: each after all it waits for, those that may begin earlier first.
///
/// The middle of a chain that is longer than `longest` is folded away.
pub fn fold(graph: &StepGraph, longest: usize) -> Vec<Chain> {
    let dependents = graph.dependents();
    let continues = |step: usize| match list(&graph.dependencies, step) {
        [before] if list(&dependents, *before).len() == 1 => Some(*before),
        _ => None,
    };
    let mut chain_of = vec![usize::MAX; graph.dependencies.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for step in in_order(&graph.dependencies) {
        let chain = match continues(step).and_then(|before| chain_of.get(before).copied()) {
            Some(chain) => chain,
            None => {
                members.push(Vec::new());
                members.len() - 1
            }
        };
        if let (Some(slot), Some(steps)) = (chain_of.get_mut(step), members.get_mut(chain)) {
            *slot = chain;
            steps.push(step);
        }
    }
    let before: Vec<Vec<usize>> = members
        .iter()
        .map(|steps| {
            let first = *steps.first().expect("a chain has a step");
            let own = list(&graph.dependencies, first).iter();
            own.filter_map(|step| chain_of.get(*step).copied())
                .collect()
        })
        .collect();
    sort_chains(members, &before, longest)
}

fn sort_chains(members: Vec<Vec<usize>>, before: &[Vec<usize>], longest: usize) -> Vec<Chain> {
    let ranks = ranks(before);
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|chain| {
        let first = list(&members, *chain).first().copied();
        (super::at(&ranks, *chain), first)
    });
    let mut positions = vec![0; order.len()];
    for (position, chain) in order.iter().enumerate() {
        if let Some(slot) = positions.get_mut(*chain) {
            *slot = position;
        }
    }
    let chains = order.iter().map(|chain| Chain {
        items: items(list(&members, *chain), longest),
        dependencies: list(before, *chain)
            .iter()
            .map(|other| super::at(&positions, *other))
            .collect(),
    });
    chains.collect()
}

fn items(steps: &[usize], longest: usize) -> Vec<Item> {
    let all = || steps.iter().copied().map(Item::Step);
    if steps.len() <= longest.max(3) {
        return all().collect();
    }
    let first = longest.max(3) * 3 / 5;
    let last = longest.max(3) - first - 1;
    all()
        .take(first)
        .chain([Item::Folded(steps.len() - first - last)])
        .chain(all().skip(steps.len() - last))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dependencies: &[&[usize]], expected: &str) {
        let direct = dependencies.iter().map(|list| list.to_vec()).collect();
        let chains = fold(&StepGraph::from_dependencies(direct), 5);
        let shown: Vec<String> = chains
            .iter()
            .map(|chain| {
                let items: Vec<String> = chain
                    .items
                    .iter()
                    .map(|item| match item {
                        Item::Step(step) => step.to_string(),
                        Item::Folded(count) => format!("({count})"),
                    })
                    .collect();
                let after: Vec<String> =
                    chain.dependencies.iter().map(ToString::to_string).collect();
                format!("{}<{}", items.join("-"), after.join(","))
            })
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn steps_that_follow_each_other_are_one_chain() {
        check(&[&[], &[0], &[1]], "0-1-2<");
        check(&[&[], &[0], &[0], &[1, 2]], "0< 1<0 2<0 3<1,2");
        check(
            &[&[], &[0], &[1], &[0], &[2, 3], &[4]],
            "0< 1-2<0 3<0 4-5<1,2",
        );
        check(&[&[], &[]], "0< 1<");
        check(&[], "");
    }

    #[test]
    fn the_middle_of_a_long_chain_is_folded() {
        let chain: Vec<Vec<usize>> = (0..20_usize)
            .map(|step| step.checked_sub(1).into_iter().collect())
            .collect();
        let lists: Vec<&[usize]> = chain.iter().map(Vec::as_slice).collect();
        check(&lists, "0-1-2-(16)-19<");
    }
}
