//! Edits of the dialect `record`: YAML or JSON (seed 000).

use super::{Edit, EditRefused, Marks, Splice};
use crate::draft::Draft;
use crate::source::Source;

/// What to write where, for these marks.
pub(super) fn splices(
    _source: &Source,
    _draft: &Draft,
    _marks: &Marks,
) -> Result<Vec<Splice>, EditRefused> {
    Ok(Vec::new())
}

/// What to write where, for one change.
pub(super) fn edit(
    _source: &Source,
    _draft: &Draft,
    _edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    Err(EditRefused::NoPlace("this".to_owned()))
}
