//! Whether agents of a plan can be at work at the same time.

use crate::graph::ranks;
use crate::model::{Depends, Plan, Work};

/// Two agent steps neither of which waits for the other, the one that comes first in the plan first; a
/// loop whose items are agents' work is paired with itself. `None`: one agent at a time, whatever
/// happens.
///
/// Locks do not count: steps that share one take turns, but in whatever order. Steps in or behind
/// a cycle never start, and count for nothing.
pub fn agents_can_overlap(plan: &Plan) -> Option<(usize, usize)> {
    let is_agent = |at: usize| {
        let step = plan.steps.get(at);
        step.is_some_and(|step| matches!(step.work, Work::Agent { .. }))
    };
    let mut steps = plan.steps.iter().enumerate();
    if let Some((at, _)) = steps.find(|(at, step)| step.for_each.is_some() && is_agent(*at)) {
        return Some((at, at));
    }
    let depends: Vec<&Depends> = plan.steps.iter().map(|step| &step.depends_on).collect();
    side_by_side(&depends, is_agent)
}

/// Two of the wanted steps neither of which waits for the other.
///
/// In an order in which all wait only for earlier ones, number the wanted steps from 1. They form a
/// chain just if each waits for the one before it; and whether it does, its highest number waited for
/// says. So one number for each step is enough, and no pair is ever compared.
fn side_by_side(depends: &[&Depends], is_wanted: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    let mut behind = HighestAncestors {
        highest: vec![0; depends.len()],
        all_before: 0,
    };
    let (mut count, mut last) = (0, None);
    for at in in_order(depends) {
        let mut highest = behind.highest_before(at, depends.get(at)?);
        if is_wanted(at) {
            if let Some(last) = last.filter(|_| highest < count) {
                return Some((at.min(last), at.max(last)));
            }
            count += 1;
            (highest, last) = (count, Some(at));
        }
        behind.set_highest(at, highest);
    }
    None
}

/// Positions in an order in which all wait only for earlier ones.
fn in_order(depends: &[&Depends]) -> Vec<usize> {
    let ranks = ranks(depends).into_iter().enumerate();
    let mut ranked: Vec<(u32, usize)> = ranks.filter_map(|(at, rank)| Some((rank?, at))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// The highest number that each step is, or waits for.
struct HighestAncestors {
    highest: Vec<u32>,
    /// The last step met that waits for every one before it. These come up in plan order, and its
    /// own number speaks for all before it: no step is visited twice.
    all_before: usize,
}

impl HighestAncestors {
    fn highest_before(&mut self, at: usize, depends: &Depends) -> u32 {
        match depends {
            Depends::AllBefore => {
                let since = self.highest.get(self.all_before..at).unwrap_or_default();
                self.all_before = at;
                since.iter().copied().max().unwrap_or(0)
            }
            Depends::On(list) => {
                let positions = list.iter().filter_map(|at| usize::try_from(*at).ok());
                let numbers = positions.filter_map(|at| self.highest.get(at).copied());
                numbers.max().unwrap_or(0)
            }
        }
    }

    fn set_highest(&mut self, at: usize, highest: u32) {
        if let Some(slot) = self.highest.get_mut(at) {
            *slot = highest;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::PermissiveWorkspace;
    use crate::dialect::parse;
    use crate::source::Source;

    #[track_caller]
    fn check(steps: &str, expected: Option<(usize, usize)>) {
        let text = format!("---\ntype: plan\n---\n# P\n\n## Steps\n\n{steps}");
        let draft = parse(&Source::new("plan.md", text.into()));
        let plan = crate::check::check(&draft, &PermissiveWorkspace).plan;
        assert_eq!(agents_can_overlap(&plan), expected, "{steps}");
    }

    const AGENT: &str = "**target:** coder\n**task:**\nDo it\n";

    #[test]
    fn agents_that_wait_for_each_other_do_not_overlap() {
        check(&format!("### 1. A\n{AGENT}### 2. B\n{AGENT}"), None);
        let check_between = "### 2. C\n**id:** c\n**contract:**\n```shell\ntrue\n```\n";
        check(
            &format!("### 1. A\n{AGENT}{check_between}### 3. B\n**depends_on:** c\n{AGENT}"),
            None,
        );
        check("", None);
        check(&format!("### 1. A\n{AGENT}"), None);
    }

    #[test]
    fn agents_that_do_not_wait_can() {
        let free = format!("**depends_on:** none\n{AGENT}");
        check(&format!("### 1. A\n{AGENT}### 2. B\n{free}"), Some((0, 1)));
        check(
            &format!(
                "### 1. A\n{AGENT}### 2. C\n**depends_on:** none\n**contract:**\n```shell\ntrue\n```\n"
            ),
            None,
        );
        check(
            &format!("### 1. A\n{AGENT}### 2. B\n**for_each:** steps.step-1.output\n{AGENT}"),
            Some((1, 1)),
        );
    }

    /// Lists of steps that a step waits for, from `None` = all before, and whether it is an agent's.
    fn plans() -> impl Strategy<Value = Vec<(Option<Vec<u32>>, bool)>> {
        let step = prop::option::weighted(0.7, prop::collection::vec(0..9_u32, 0..3));
        prop::collection::vec((step, any::<bool>()), 9)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        // Against the obvious way: every pair.
        #[test]
        fn a_pair_is_found_just_if_there_is_one(steps in plans()) {
            let depends: Vec<Depends> = steps.iter().enumerate().map(|(at, (list, _))| match list {
                Some(list) => Depends::from_positions(at, list.clone()),
                None => Depends::AllBefore,
            }).collect();
            let agent = |at: usize| steps[at].1;
            let depends: Vec<&Depends> = depends.iter().collect();
            let graph = crate::graph::Graph::of(depends.clone());
            let free = |a: usize, b: usize| {
                a != b && agent(a) && agent(b)
                    && !graph.is_stuck(a) && !graph.is_stuck(b)
                    && !graph.waits_for(a, b) && !graph.waits_for(b, a)
            };
            let any = (0..steps.len()).any(|a| (0..a).any(|b| free(a, b)));
            let found = side_by_side(&depends, agent);
            prop_assert_eq!(found.is_some(), any);
            prop_assert!(found.is_none_or(|(a, b)| a < b && free(a, b)));
        }
    }

    #[test]
    fn a_hundred_thousand_steps_are_looked_at_once_each() {
        const STEPS: u32 = 100_000;
        let all = Depends::AllBefore;
        let sequence = vec![&all; STEPS as usize];
        assert_eq!(side_by_side(&sequence, |_| true), None);
        let wide: Vec<Depends> = (0..STEPS)
            .map(|at| Depends::On(at.checked_sub(2).into_iter().collect()))
            .collect();
        let wide: Vec<&Depends> = wide.iter().collect();
        // One lane has all the agents.
        assert_eq!(side_by_side(&wide, |at| at % 2 == 0), None);
        let last = STEPS as usize - 1;
        assert!(side_by_side(&wide, |at| at % 2 == 0 || at == last).is_some());
    }
}
