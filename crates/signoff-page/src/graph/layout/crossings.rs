//! The order of nodes within their layers, with few lines crossing.

use super::{at, list};

/// How often the layers are gone through; more hardly helps.
const ROUNDS: usize = 12;

/// Nodes of each layer in a good order. `above` has, for each node, its neighbours in the layer
/// before; `below` those in the layer after.
pub(super) fn order(
    mut layers: Vec<Vec<usize>>,
    above: &[Vec<usize>],
    below: &[Vec<usize>],
) -> Vec<Vec<usize>> {
    let mut position = positions(&layers, above.len());
    let mut best = layers.clone();
    let mut fewest = crossings(&layers, &position, below);
    for round in 0..ROUNDS {
        if fewest == 0 {
            break;
        }
        let down = round % 2 == 0;
        let neighbours = if down { above } else { below };
        let count = layers.len();
        for step in 0..count {
            let layer = if down { step } else { count - 1 - step };
            if let Some(nodes) = layers.get_mut(layer) {
                sort(nodes, neighbours, &mut position);
            }
        }
        let now = crossings(&layers, &position, below);
        if now < fewest {
            fewest = now;
            best.clone_from(&layers);
        }
    }
    best
}

fn positions(layers: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut position = vec![0; count];
    for layer in layers {
        for (index, node) in layer.iter().enumerate() {
            if let Some(slot) = position.get_mut(*node) {
                *slot = index;
            }
        }
    }
    position
}

/// Puts the nodes of a layer in the order of the middles of their neighbours; one without neighbours
/// keeps its place.
fn sort(nodes: &mut Vec<usize>, neighbours: &[Vec<usize>], position: &mut [usize]) {
    let mut keyed: Vec<(f64, usize)> = nodes
        .iter()
        .map(|node| {
            let own = list(neighbours, *node);
            let mean = if own.is_empty() {
                number(at(position, *node))
            } else {
                let sum: usize = own.iter().map(|other| at(position, *other)).sum();
                number(sum) / number(own.len())
            };
            (mean, *node)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    nodes.clear();
    for (index, (_, node)) in keyed.into_iter().enumerate() {
        nodes.push(node);
        if let Some(slot) = position.get_mut(node) {
            *slot = index;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "positions are far below 2^52")]
fn number(position: usize) -> f64 {
    position as f64
}

/// How many pairs of lines cross.
fn crossings(layers: &[Vec<usize>], position: &[usize], below: &[Vec<usize>]) -> usize {
    layers
        .iter()
        .map(|layer| {
            let ends: Vec<usize> = layer
                .iter()
                .flat_map(|node| {
                    let mut ends: Vec<usize> = list(below, *node)
                        .iter()
                        .map(|other| at(position, *other))
                        .collect();
                    ends.sort_unstable();
                    ends
                })
                .collect();
            inversions(&ends)
        })
        .sum()
}

/// Pairs that stand in the wrong order, counted while merging.
fn inversions(values: &[usize]) -> usize {
    let mut sorted = values.to_vec();
    let mut buffer = Vec::with_capacity(values.len());
    let mut count = 0;
    let mut width = 1;
    while width < sorted.len() {
        buffer.clear();
        for pair in sorted.chunks(width * 2) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut from, mut to) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(a), Some(b)) = (from.peek(), to.peek()) {
                if a <= b {
                    buffer.extend(from.next());
                } else {
                    count += from.len();
                    buffer.extend(to.next());
                }
            }
            buffer.extend(from.chain(to));
        }
        std::mem::swap(&mut sorted, &mut buffer);
        width *= 2;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[1, 2, 2, 3]), 0);
        assert_eq!(inversions(&[3, 2, 1]), 3);
        assert_eq!(inversions(&[2, 4, 1, 3, 5]), 3);
    }

    #[test]
    fn crossed_lines_are_untangled() {
        let below = vec![vec![5], vec![4], vec![3], vec![], vec![], vec![]];
        let above = super::super::reverse_edges(&below);
        let layers = order(vec![vec![0, 1, 2], vec![3, 4, 5]], &above, &below);
        let position = positions(&layers, 6);
        assert_eq!(crossings(&layers, &position, &below), 0);
    }
}
