//! A graph beside lines of text, one line for each node, as `git log --graph` draws history.
//!
//! Time goes down. What a node waits for reaches it from the left, or bends into it; what waits for
//! it leaves below, or to the right. A lane stands for nodes that the same others wait for, so that
//! twenty steps between two need two lanes, not twenty.

use std::collections::BTreeMap;

use super::{list, reverse_edges};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneRow {
    /// The node that stands on it; `None` for a line that only joins lanes.
    pub node: Option<usize>,
    /// What is drawn in each lane.
    pub cells: Vec<Cell>,
}

/// One lane of one line: which ways lines leave its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cell {
    pub up: bool,
    pub down: bool,
    pub left: bool,
    pub right: bool,
    /// A line goes through the gap between this lane and the next.
    pub gap: bool,
    pub node: bool,
}

impl Cell {
    /// The character for it, if it holds no node.
    pub fn line(self) -> char {
        match (self.up, self.down, self.left, self.right) {
            (true, true, false, false) => '│',
            (true, true, false, true) => '├',
            (true, true, true, false) => '┤',
            (true, true, true, true) => '┼',
            (true, false, false, true) => '╰',
            (true, false, true, false) => '╯',
            (true, false, true, true) => '┴',
            (false, true, false, true) => '╭',
            (false, true, true, false) => '╮',
            (false, true, true, true) => '┬',
            (false, false, true, true) => '─',
            (false, false, true, false) => '╴',
            (false, false, false, true) => '╶',
            (true, false, false, false) => '╵',
            (false, true, false, false) => '╷',
            (false, false, false, false) => ' ',
        }
    }
}

/// Draws nodes, each of which waits only for earlier ones. `None` if more lanes than `widest` would
/// be needed.
pub fn draw(dependencies: &[Vec<usize>], widest: usize) -> Option<Vec<LaneRow>> {
    let dependents = reverse_edges(dependencies);
    let mut alike: BTreeMap<&[usize], usize> = BTreeMap::new();
    for own in &dependents {
        *alike.entry(own).or_default() += 1;
    }
    let mut grid = LaneGrid::default();
    for node in 0..dependencies.len() {
        let out = list(&dependents, node);
        let more = alike.get_mut(out).map_or(0, |left| {
            *left -= 1;
            *left
        });
        grid.node(node, out, more > 0);
        if grid.lanes.len() > widest {
            return None;
        }
    }
    Some(grid.rows)
}

/// Lanes that are open, each with the nodes that still wait for it, and the lines so far.
#[derive(Debug, Default)]
struct LaneGrid<'a> {
    lanes: Vec<Option<&'a [usize]>>,
    rows: Vec<LaneRow>,
    /// Where the last node stands, and who waits for it.
    last: usize,
    last_out: &'a [usize],
}

/// Lanes that lead into a node.
#[derive(Debug, Default)]
struct Inputs {
    /// Other nodes wait for them too.
    going_on: Vec<usize>,
    ending: Vec<usize>,
}

impl Inputs {
    fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.going_on.iter().chain(&self.ending).copied()
    }
}

impl<'a> LaneGrid<'a> {
    fn node(&mut self, node: usize, out: &'a [usize], shared: bool) {
        let inputs = self.take_inputs(node);
        let same = self.lanes.iter().position(|lane| *lane == Some(out));
        let same = same.filter(|_| !out.is_empty());
        let in_fan = out == self.last_out && same.is_some_and(|lane| lane > self.last);
        let column = self.column(&inputs, in_fan);
        (self.last, self.last_out) = (column, out);
        let mut row = self.row_of_lanes();
        row.node = Some(node);
        for input in inputs.columns() {
            cell(&mut row, input).up = true;
            cell(&mut row, input).down = inputs.going_on.contains(&input);
            self.connect(&mut row, input, column);
        }
        // One on the way of another is joined by it.
        let first = inputs.columns().min();
        let last = inputs.columns().max();
        for input in inputs.columns().filter(|input| *input != column) {
            cell(&mut row, input).left |= input > column || first < Some(input);
            cell(&mut row, input).right |= input < column || last > Some(input);
        }
        for input in &inputs.ending {
            self.close(*input);
        }
        cell(&mut row, column).node = true;
        let free_to_the_right = inputs.columns().all(|input| input <= column);
        match same {
            _ if out.is_empty() => self.rows.push(row),
            Some(lane) if lane > column && free_to_the_right => {
                cell(&mut row, lane).down = true;
                self.connect(&mut row, lane, column);
                self.rows.push(row);
            }
            Some(lane) => {
                self.rows.push(row);
                self.join(column, lane);
            }
            None if shared && free_to_the_right => {
                let lane = self.free_from(column + 1);
                self.connect(&mut row, lane, column);
                cell(&mut row, lane).down = true;
                self.open(lane, out);
                self.rows.push(row);
            }
            None => {
                self.open(column, out);
                self.rows.push(row);
            }
        }
    }

    /// The lanes that this node waits for; it is taken off their lists.
    fn take_inputs(&mut self, node: usize) -> Inputs {
        let mut inputs = Inputs::default();
        for (column, lane) in self.lanes.iter_mut().enumerate() {
            // Lists are in the order of drawing, so the next node is always their first.
            match lane {
                Some([first, rest @ ..]) if *first == node => {
                    if rest.is_empty() {
                        inputs.ending.push(column);
                    } else {
                        inputs.going_on.push(column);
                    }
                    *lane = Some(rest);
                }
                Some(_) | None => {}
            }
        }
        inputs
    }

    /// Where the node stands: right of the lanes that go on, crossing as few others as possible, as
    /// far left as possible; below the one before it if it is of the same fan.
    fn column(&self, inputs: &Inputs, in_fan: bool) -> usize {
        let first = inputs.going_on.iter().max().map_or(0, |last| last + 1);
        let aligned = |column: usize| in_fan && column == self.last;
        // Right below another node it would look as if it waited for that.
        let below = self.rows.last().filter(|row| row.node.is_some());
        let below = below.map(|_| self.last);
        let fits = |column: &usize| {
            let free = self.lanes.get(*column).is_none_or(Option::is_none);
            inputs.ending.contains(column) || (free && (below != Some(*column) || aligned(*column)))
        };
        let crossed = |column: usize| {
            let from = inputs.columns().chain([column]).min().unwrap_or(column);
            let to = inputs.columns().chain([column]).max().unwrap_or(column);
            let other = |lane: &usize| {
                !inputs.columns().any(|input| input == *lane)
                    && self.lanes.get(*lane).is_some_and(Option::is_some)
            };
            (from..=to).filter(other).count()
        };
        (first..=self.lanes.len().max(first) + 1)
            .filter(fits)
            .min_by_key(|column| (crossed(*column), !aligned(*column), *column))
            .unwrap_or(first)
    }

    /// A line on which every open lane simply goes on.
    fn row_of_lanes(&self) -> LaneRow {
        let cells = self.lanes.iter().map(|lane| Cell {
            up: lane.is_some(),
            down: lane.is_some(),
            ..Cell::default()
        });
        LaneRow {
            node: None,
            cells: cells.collect(),
        }
    }

    /// A line between a lane and a node; lanes on its way that it has nothing to do with stay whole.
    fn connect(&self, row: &mut LaneRow, lane: usize, column: usize) {
        let (from, to) = (lane.min(column), lane.max(column));
        for slot in from..to {
            cell(row, slot).gap = true;
        }
        cell(row, from).right |= from != to;
        cell(row, to).left |= from != to;
        for slot in from + 1..to {
            if self.lanes.get(slot).is_none_or(Option::is_none) {
                cell(row, slot).left = true;
                cell(row, slot).right = true;
            }
        }
    }

    /// A line on which what leaves a node below runs into a lane.
    fn join(&mut self, column: usize, lane: usize) {
        let mut row = self.row_of_lanes();
        cell(&mut row, column).up = true;
        self.connect(&mut row, lane, column);
        self.rows.push(row);
    }

    fn free_from(&self, first: usize) -> usize {
        let free = |column: &usize| self.lanes.get(*column).is_none_or(Option::is_none);
        (first..=self.lanes.len().max(first))
            .find(free)
            .unwrap_or(first)
    }

    fn open(&mut self, column: usize, waiting: &'a [usize]) {
        if self.lanes.len() <= column {
            self.lanes.resize(column + 1, None);
        }
        if let Some(slot) = self.lanes.get_mut(column) {
            *slot = Some(waiting);
        }
    }

    fn close(&mut self, column: usize) {
        if let Some(slot) = self.lanes.get_mut(column) {
            *slot = None;
        }
        while self.lanes.last().is_some_and(Option::is_none) {
            self.lanes.pop();
        }
    }
}

/// A cell of a row, made if it is not there.
fn cell(row: &mut LaneRow, column: usize) -> &mut Cell {
    if row.cells.len() <= column {
        row.cells.resize(column + 1, Cell::default());
    }
    let last = row.cells.len() - 1;
    &mut row.cells[column.min(last)]
}

#[cfg(test)]
mod tests;
