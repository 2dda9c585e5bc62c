//! A directory: `plan.md` and `tasks/NN-slug.md` (seed 004).

use super::Written;
use crate::model::Plan;

pub(super) fn write(_plan: &Plan) -> Written {
    Written::default()
}
