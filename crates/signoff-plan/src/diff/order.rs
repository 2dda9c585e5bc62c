//! Which steps moved.

use std::collections::BTreeSet;

/// Steps of the newer plan that must move to get from one order to the other: as few as possible.
///
/// Each is given with its position in the older plan, if it has one.
pub(super) fn moved_steps(positions: &[Option<usize>]) -> BTreeSet<usize> {
    let both: Vec<(usize, usize)> = positions
        .iter()
        .enumerate()
        .filter_map(|(at, position)| Some((at, (*position)?)))
        .collect();
    let staying = longest_rising(&both);
    let all = both.iter().map(|(at, _)| *at);
    all.filter(|at| !staying.contains(at)).collect()
}

/// The members of a longest run of rising positions.
fn longest_rising(both: &[(usize, usize)]) -> BTreeSet<usize> {
    // For each length the run that ends lowest: its last member; and for each member the one before.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::new();
    let position = |member: usize| both.get(member).map_or(0, |(_, position)| *position);
    for (member, (_, wanted)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| position(*end) < *wanted);
        let before = length.checked_sub(1).and_then(|last| ends.get(last));
        previous.push(before.copied());
        match ends.get_mut(length) {
            Some(end) => *end = member,
            None => ends.push(member),
        }
    }
    let mut run = BTreeSet::new();
    let mut member = ends.last().copied();
    while let Some(at) = member {
        run.extend(both.get(at).map(|(at, _)| *at));
        member = previous.get(at).copied().flatten();
    }
    run
}

#[cfg(test)]
mod tests {
    use super::moved_steps;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let before: Vec<&str> = before.split_whitespace().collect();
        let after: Vec<&str> = after.split_whitespace().collect();
        let position = |id: &&str| before.iter().position(|other| other == id);
        let positions: Vec<_> = after.iter().map(position).collect();
        let found: Vec<_> = moved_steps(&positions)
            .into_iter()
            .map(|at| after[at])
            .collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn as_few_as_possible_move() {
        check("a b c", "a b c", "");
        check("a b c d", "d a b c", "d");
        check("a b c d", "b c d a", "a");
        check("a b", "x a y b", "");
        check("a b c", "c", "");
        check("a b c", "c b a", "c b");
    }

    #[test]
    fn many_steps_take_no_time() {
        let positions: Vec<_> = (0..200_000).rev().map(Some).collect();
        assert_eq!(moved_steps(&positions).len(), 199_999);
    }
}
