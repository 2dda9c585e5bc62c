//! Where the step of an id stands.

use indexmap::IndexMap;

/// Positions of steps by their ids; of two with one id, the first.
#[derive(Debug, Default)]
pub(super) struct Positions<'a>(IndexMap<&'a str, usize>);

impl<'a> Positions<'a> {
    pub(super) fn new(ids: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut positions = IndexMap::with_capacity(ids.len());
        for (position, id) in ids.enumerate() {
            positions.entry(id).or_insert(position);
        }
        Self(positions)
    }

    pub(super) fn of(&self, id: &str) -> Option<usize> {
        self.0.get(id).copied()
    }
}
