//! JSON with tool steps (seed 001).

use super::Written;
use crate::model::Plan;

pub(super) fn write(_plan: &Plan) -> Written {
    Written::default()
}
