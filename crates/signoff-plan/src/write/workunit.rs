//! The native single file (seed 002).

use super::Written;
use crate::model::Plan;

pub(super) fn write(_plan: &Plan) -> Written {
    Written::default()
}
