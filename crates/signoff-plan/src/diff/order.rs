//! Which steps changed places.

use std::collections::{BTreeMap, BTreeSet};

/// Ids that must move to get from one order to the other: as few as possible.
pub(super) fn moved(before: &[String], after: &[String]) -> BTreeSet<String> {
    let places = after.iter().enumerate();
    let places: BTreeMap<&str, usize> = places.map(|(place, id)| (id.as_str(), place)).collect();
    let both = before
        .iter()
        .filter_map(|id| Some((id, *places.get(id.as_str())?)));
    let both: Vec<(&String, usize)> = both.collect();
    let staying = longest_rising(&both.iter().map(|(_, place)| *place).collect::<Vec<_>>());
    both.iter()
        .enumerate()
        .filter(|(index, _)| !staying.contains(index))
        .map(|(_, (id, _))| (*id).clone())
        .collect()
}

/// Positions of a longest run of rising numbers.
fn longest_rising(numbers: &[usize]) -> BTreeSet<usize> {
    let mut lengths: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::new();
    for (index, number) in numbers.iter().enumerate() {
        let smaller = numbers.iter().zip(&lengths).enumerate().take(index);
        let smaller = smaller.filter(|(_, (other, _))| *other < number);
        // Of equally long runs the first, so that the answer is always the same.
        let best = smaller.max_by_key(|(at, (_, length))| (**length, std::cmp::Reverse(*at)));
        previous.push(best.map(|(at, _)| at));
        let length = best.map_or(1, |(_, (_, length))| length + 1);
        lengths.push(length);
    }
    let longest = lengths.iter().enumerate();
    let longest = longest.max_by_key(|(at, length)| (**length, std::cmp::Reverse(*at)));
    let mut run = BTreeSet::new();
    let mut at = longest.map(|(at, _)| at);
    while let Some(index) = at {
        run.insert(index);
        at = previous.get(index).copied().flatten();
    }
    run
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let split = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let found: Vec<_> = moved(&split(before), &split(after)).into_iter().collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn as_few_as_possible_move() {
        check("a b c", "a b c", "");
        check("a b c d", "d a b c", "d");
        check("a b c d", "b c d a", "a");
        check("a b", "x a y b", "");
        check("a b c", "c", "");
        check("a b c", "c b a", "b c");
    }
}
