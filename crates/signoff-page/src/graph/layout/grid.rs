//! Where the nodes of a layered picture are.

/// Which way the layers follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From top to bottom.
    Down,
    /// From left to right.
    Right,
}

/// A position in the plane; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Distance from the left.
    pub x: f64,
    /// Distance from the top.
    pub y: f64,
}

/// Where a layer begins, and how thick it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Band {
    pub(super) begin: f64,
    pub(super) thickness: f64,
}

impl Band {
    pub(super) fn end(self) -> f64 {
        self.begin + self.thickness
    }
}

/// Where nodes are: their middles within a layer, and the layers one after the other.
pub(super) struct Grid<'g> {
    pub(super) middles: &'g [f64],
    pub(super) bands: &'g [Band],
    pub(super) direction: Direction,
}

impl Grid<'_> {
    pub(super) fn point(&self, within: f64, across: f64) -> Point {
        match self.direction {
            Direction::Down => Point {
                x: within,
                y: across,
            },
            Direction::Right => Point {
                x: across,
                y: within,
            },
        }
    }
}
