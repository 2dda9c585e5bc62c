//! Places items side by side, each as near as possible to its preferred position.

/// The preferred position of an item on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Preferred {
    /// The preferred middle.
    pub(super) middle: f64,
    /// The space it needs, including the gap to its neighbour.
    pub(super) extent: f64,
    /// How much its preference counts.
    pub(super) weight: f64,
}

/// Middles in the given order, none overlapping, with the least sum of squared distances from the
/// preferred middles: neighbours that would overlap move together, by as much as either wants.
pub(super) fn spread_out(preferred: &[Preferred]) -> Vec<f64> {
    // Room used up to each middle. After subtracting it, the problem is to keep numbers in order.
    let mut used = Vec::with_capacity(preferred.len());
    let mut total = 0.0;
    for prefer in preferred {
        used.push(total + prefer.extent / 2.0);
        total += prefer.extent;
    }
    // Groups that move together: weighted sum of preferred middles, weight, number of members.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for (prefer, used) in preferred.iter().zip(&used) {
        let mut group = ((prefer.middle - used) * prefer.weight, prefer.weight, 1);
        while let Some(last) = groups.last().copied() {
            if last.0 / last.1 <= group.0 / group.1 {
                break;
            }
            groups.pop();
            group = (last.0 + group.0, last.1 + group.1, last.2 + group.2);
        }
        groups.push(group);
    }
    let offsets = groups
        .iter()
        .flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    offsets
        .zip(used)
        .map(|(offset, used)| offset + used)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(preferred: &[(f64, f64)], expected: &[f64]) {
        let preferred: Vec<Preferred> = preferred
            .iter()
            .map(|(middle, extent)| Preferred {
                middle: *middle,
                extent: *extent,
                weight: 1.0,
            })
            .collect();
        assert_eq!(spread_out(&preferred), expected);
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
