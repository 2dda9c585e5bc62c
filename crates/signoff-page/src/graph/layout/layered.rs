//! Places boxes in layers: each box below (or right of) its dependencies, with few crossing lines.

use super::grid::{Band, Grid};
pub use super::grid::{Direction, Point};
use super::spread::{Preferred, spread_out};
use super::{at, crossings, list, ranks, reverse_edges};

/// Width and height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// Where everything goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Which way it goes.
    pub direction: Direction,
    /// Room it needs.
    pub size: Size,
    /// Upper left corner of each box.
    pub boxes: Vec<Point>,
    /// Segments of lines. Lines from one box that go the same way share theirs.
    pub segments: Vec<EdgeSegment>,
}

/// A segment of a line, from layer to layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeSegment {
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// It passes a layer: drawn straight.
    pub passing: bool,
    /// It ends at a box.
    pub ends: bool,
}

/// Between two layers, for the lines.
const LAYER_GAP: f64 = 44.0;
/// Between two boxes of a layer.
const BOX_GAP: f64 = 22.0;
/// The space of a line that passes a layer.
const LINE_EXTENT: f64 = 16.0;
/// How often boxes are moved towards their neighbours.
const ROUNDS: usize = 24;

/// Places boxes of these sizes, each after its `dependencies` (which have no cycle).
pub fn arrange(sizes: &[Size], dependencies: &[Vec<usize>], direction: Direction) -> Picture {
    let net = LayerGraph::new(sizes, dependencies, direction);
    let middles = net.middles();
    let bands = net.bands();
    let grid = Grid {
        middles: &middles,
        bands: &bands,
        direction,
    };
    net.draw(sizes, &grid)
}

/// Boxes and the points where lines pass layers, all called nodes; boxes come first.
struct LayerGraph {
    boxes: usize,
    /// Extent of each node within its layer, and across it.
    extents: Vec<(f64, f64)>,
    rank: Vec<usize>,
    /// Nodes of each layer, in order.
    layers: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl LayerGraph {
    fn new(sizes: &[Size], dependencies: &[Vec<usize>], direction: Direction) -> Self {
        let mut rank = ranks(dependencies);
        let dependents = reverse_edges(dependencies);
        // A box without dependencies goes into the layer before its first dependent.
        for node in 0..sizes.len() {
            let next = list(&dependents, node)
                .iter()
                .map(|other| at(&rank, *other));
            if let (true, Some(next)) = (list(dependencies, node).is_empty(), next.min())
                && let Some(slot) = rank.get_mut(node)
            {
                *slot = next.saturating_sub(1);
            }
        }
        let extents = sizes.iter().map(|size| match direction {
            Direction::Down => (size.width, size.height),
            Direction::Right => (size.height, size.width),
        });
        let mut net = Self {
            boxes: sizes.len(),
            extents: extents.collect(),
            rank,
            layers: Vec::new(),
            above: vec![Vec::new(); sizes.len()],
            below: vec![Vec::new(); sizes.len()],
        };
        for node in 0..sizes.len() {
            net.connect(node, list(&dependents, node));
        }
        let count = net.rank.iter().max().map_or(0, |last| last + 1);
        let mut layers = vec![Vec::new(); count];
        for (node, rank) in net.rank.iter().enumerate() {
            if let Some(layer) = layers.get_mut(*rank) {
                layer.push(node);
            }
        }
        net.layers = crossings::order(layers, &net.above, &net.below);
        net
    }

    /// Connects a box to others below it. One line for all of them passes the layers between.
    fn connect(&mut self, from: usize, to: &[usize]) {
        let first = at(&self.rank, from);
        let last = to.iter().map(|other| at(&self.rank, *other)).max();
        let mut trunk = from;
        for layer in first + 1..=last.unwrap_or(first) {
            for other in to {
                if at(&self.rank, *other) == layer {
                    self.link(trunk, *other);
                }
            }
            if last.is_some_and(|last| last > layer) {
                let point = self.extents.len();
                self.extents.push((0.0, 0.0));
                self.rank.push(layer);
                self.above.push(Vec::new());
                self.below.push(Vec::new());
                self.link(trunk, point);
                trunk = point;
            }
        }
    }

    fn link(&mut self, from: usize, to: usize) {
        if let (Some(below), Some(above)) = (self.below.get_mut(from), self.above.get_mut(to)) {
            below.push(to);
            above.push(from);
        }
    }

    /// The middle of each node within its layer.
    fn middles(&self) -> Vec<f64> {
        let mut middles = vec![0.0; self.extents.len()];
        for layer in &self.layers {
            self.place_layer(layer, &mut middles, |_, _| None);
        }
        for round in 0..ROUNDS {
            let count = self.layers.len();
            for step in 0..count {
                let layer = if round % 2 == 0 {
                    step
                } else {
                    count - 1 - step
                };
                let last = round + 2 >= ROUNDS;
                let Some(nodes) = self.layers.get(layer) else {
                    continue;
                };
                self.place_layer(nodes, &mut middles, |node, middles| {
                    let (above, below) = (list(&self.above, node), list(&self.below, node));
                    let both = last || above.is_empty() || below.is_empty();
                    let use_above = both || round % 2 == 0;
                    let use_below = both || round % 2 == 1;
                    let above = above.iter().filter(|_| use_above);
                    let below = below.iter().filter(|_| use_below);
                    mean(above.chain(below).map(|other| at(middles, *other)))
                });
            }
        }
        let first = (0..self.extents.len())
            .map(|node| at(&middles, node) - at(&self.extents, node).0 / 2.0)
            .fold(f64::INFINITY, f64::min);
        middles.iter().map(|middle| middle - first).collect()
    }

    /// Moves the nodes of a layer to their preferred positions, as far as there is space.
    fn place_layer(
        &self,
        nodes: &[usize],
        middles: &mut [f64],
        prefer: impl Fn(usize, &[f64]) -> Option<f64>,
    ) {
        let preferred: Vec<Preferred> = nodes
            .iter()
            .map(|node| {
                let is_box = *node < self.boxes;
                Preferred {
                    middle: prefer(*node, middles).unwrap_or_else(|| at(middles, *node)),
                    extent: at(&self.extents, *node).0 + if is_box { BOX_GAP } else { LINE_EXTENT },
                    // Long lines should be straight.
                    weight: if is_box { 1.0 } else { 8.0 },
                }
            })
            .collect();
        for (node, middle) in nodes.iter().zip(spread_out(&preferred)) {
            if let Some(slot) = middles.get_mut(*node) {
                *slot = middle;
            }
        }
    }

    fn bands(&self) -> Vec<Band> {
        let mut begin = 0.0;
        let mut bands = Vec::new();
        for layer in &self.layers {
            let thickness = layer
                .iter()
                .map(|node| at(&self.extents, *node).1)
                .fold(0.0, f64::max);
            bands.push(Band { begin, thickness });
            // Many lines between two layers need space to be distinguished.
            let lines: usize = layer
                .iter()
                .map(|node| list(&self.below, *node).len())
                .sum();
            let lines = u32::try_from(lines).map_or(40.0, f64::from);
            begin += thickness + LAYER_GAP + (lines * 1.5).min(60.0);
        }
        bands
    }

    fn draw(&self, sizes: &[Size], grid: &Grid<'_>) -> Picture {
        let boxes: Vec<Point> = (0..self.boxes)
            .map(|node| {
                let within = at(grid.middles, node) - at(&self.extents, node).0 / 2.0;
                grid.point(within, self.band(node, grid).begin)
            })
            .collect();
        let nodes = 0..self.extents.len();
        let segments: Vec<EdgeSegment> = nodes.flat_map(|node| self.segments(node, grid)).collect();
        Picture {
            direction: grid.direction,
            size: bounds(&boxes, sizes, &segments),
            boxes,
            segments,
        }
    }

    fn band(&self, node: usize, grid: &Grid<'_>) -> Band {
        at(grid.bands, at(&self.rank, node))
    }

    /// The line through the rest of a node's band, and the lines to the nodes below.
    fn segments(&self, node: usize, grid: &Grid<'_>) -> Vec<EdgeSegment> {
        let band = self.band(node, grid);
        let middle = at(grid.middles, node);
        let below = list(&self.below, node);
        let passing = |from: f64, to: f64| EdgeSegment {
            from: grid.point(middle, from),
            to: grid.point(middle, to),
            passing: true,
            ends: false,
        };
        let mut segments = Vec::new();
        if node >= self.boxes {
            segments.push(passing(band.begin, band.end()));
        } else {
            let end = band.begin + at(&self.extents, node).1;
            if end < band.end() && !below.is_empty() {
                segments.push(passing(end, band.end()));
            }
        }
        segments.extend(below.iter().map(|other| EdgeSegment {
            from: grid.point(middle, band.end()),
            to: grid.point(at(grid.middles, *other), self.band(*other, grid).begin),
            passing: false,
            ends: *other < self.boxes,
        }));
        segments
    }
}

fn bounds(boxes: &[Point], sizes: &[Size], segments: &[EdgeSegment]) -> Size {
    let corners = boxes.iter().zip(sizes).map(|(corner, size)| Point {
        x: corner.x + size.width,
        y: corner.y + size.height,
    });
    let ends = segments
        .iter()
        .flat_map(|segment| [segment.from, segment.to]);
    corners
        .chain(ends)
        .fold(Size::default(), |size, point| Size {
            width: size.width.max(point.x),
            height: size.height.max(point.y),
        })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        width: 100.0,
        height: 40.0,
    };

    fn draw(dependencies: &[&[usize]], direction: Direction) -> Picture {
        let dependencies: Vec<Vec<usize>> = dependencies.iter().map(|list| list.to_vec()).collect();
        arrange(&vec![SIZE; dependencies.len()], &dependencies, direction)
    }

    #[test]
    fn boxes_stand_after_what_they_wait_for() {
        let down = draw(&[&[], &[0], &[0], &[1, 2]], Direction::Down);
        assert!(down.boxes[0].y < down.boxes[1].y && down.boxes[1].y < down.boxes[3].y);
        assert!((down.boxes[1].y - down.boxes[2].y).abs() < 0.1);
        assert!((down.boxes[0].x - down.boxes[3].x).abs() < 0.1);
        let right = draw(&[&[], &[0]], Direction::Right);
        assert!(right.boxes[0].x < right.boxes[1].x);
        assert_eq!(draw(&[], Direction::Down).boxes, []);
    }

    #[test]
    fn boxes_never_overlap() {
        // A fan, a comb and a net.
        let fan: Vec<Vec<usize>> = (0..40)
            .map(|at| if at == 0 { vec![] } else { vec![0] })
            .collect();
        let net: Vec<Vec<usize>> = (0..60_usize)
            .map(|at| {
                (0..at)
                    .filter(|other| (at * 7 + other * 13) % 11 == 0)
                    .collect()
            })
            .collect();
        for dependencies in [fan, net] {
            for direction in [Direction::Down, Direction::Right] {
                let sizes: Vec<Size> = (0..dependencies.len())
                    .map(|at| Size {
                        width: 100.0,
                        height: if at % 3 == 0 { 90.0 } else { 40.0 },
                    })
                    .collect();
                let picture = arrange(&sizes, &dependencies, direction);
                for (one, first) in picture.boxes.iter().enumerate() {
                    assert!(first.x >= -0.01 && first.y >= -0.01, "{first:?}");
                    for (other, second) in picture.boxes.iter().enumerate().skip(one + 1) {
                        let apart = first.x + sizes[one].width <= second.x + 0.01
                            || second.x + sizes[other].width <= first.x + 0.01
                            || first.y + sizes[one].height <= second.y + 0.01
                            || second.y + sizes[other].height <= first.y + 0.01;
                        assert!(apart, "{one} {first:?} {other} {second:?}");
                    }
                }
            }
        }
    }
}
