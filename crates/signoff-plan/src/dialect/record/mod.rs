//! YAML or JSON with indexed steps (seed 000).

use super::Dialect;
use crate::draft::Draft;
use crate::source::Source;

/// Whether this content is of this dialect.
pub(super) fn recognise(_source: &Source) -> bool {
    false
}

/// Reads a plan, whatever it holds.
pub(super) fn parse(_source: &Source) -> Draft {
    Draft::empty(Dialect::Record)
}
