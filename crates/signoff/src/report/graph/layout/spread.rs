//! Things side by side, each as near as possible to where it would like to be.

/// Something that wants a place on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wish {
    /// Where its middle would like to be.
    pub(super) middle: f64,
    /// Room it needs, the gap to its neighbour included.
    pub(super) room: f64,
    /// How much its wish counts.
    pub(super) weight: f64,
}

/// Middles in the given order, none overlapping, with the least sum of squared distances from the
/// wishes: neighbours that would overlap move together, by as much as either wants.
pub(super) fn spread(wishes: &[Wish]) -> Vec<f64> {
    // Room used up to each middle; without it the task is to keep numbers in order.
    let mut used = Vec::with_capacity(wishes.len());
    let mut total = 0.0;
    for wish in wishes {
        used.push(total + wish.room / 2.0);
        total += wish.room;
    }
    // Groups that move together: sum of weighted wishes, weight, number of members.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for (wish, used) in wishes.iter().zip(&used) {
        let mut group = ((wish.middle - used) * wish.weight, wish.weight, 1);
        while let Some(last) = groups.last().copied() {
            if last.0 / last.1 <= group.0 / group.1 {
                break;
            }
            groups.pop();
            group = (last.0 + group.0, last.1 + group.1, last.2 + group.2);
        }
        groups.push(group);
    }
    let places = groups
        .iter()
        .flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    places.zip(used).map(|(place, used)| place + used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wishes: &[(f64, f64)], expected: &[f64]) {
        let wishes: Vec<Wish> = wishes
            .iter()
            .map(|(middle, room)| Wish {
                middle: *middle,
                room: *room,
                weight: 1.0,
            })
            .collect();
        assert_eq!(spread(&wishes), expected);
    }

    #[test]
    fn wishes_are_granted_where_there_is_room() {
        check(&[], &[]);
        check(&[(5.0, 2.0)], &[5.0]);
        check(&[(0.0, 2.0), (10.0, 2.0)], &[0.0, 10.0]);
        check(&[(0.0, 2.0), (0.0, 2.0)], &[-1.0, 1.0]);
        check(&[(4.0, 2.0), (0.0, 2.0)], &[1.0, 3.0]);
        check(&[(0.0, 2.0), (0.0, 4.0), (9.0, 2.0)], &[-1.5, 1.5, 9.0]);
    }
}
