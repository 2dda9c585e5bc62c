//! Edits of the dialect `thread`: A directory (seed 004).

use super::{Edit, EditRefused, Splice};
use crate::draft::Draft;
use crate::source::Source;

/// What to write where, for one change.
pub(super) fn edit(
    _source: &Source,
    _draft: &Draft,
    _edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    Err(EditRefused::NoPlace("this".to_owned()))
}
