//! One markdown file with a numbered list of steps (seed 003).

use super::Written;
use crate::model::Plan;

pub(super) fn write(_plan: &Plan) -> Written {
    Written::default()
}
