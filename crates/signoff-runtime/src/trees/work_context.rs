//! What is to be known of an attempt to record its work.

use signoff_work::git::Id;

/// An attempt whose work is to be recorded.
#[derive(Debug, Clone)]
pub(crate) struct WorkContext {
    pub(crate) step: String,
    pub(crate) attempt: u32,
    /// The commit that the work is compared with.
    pub(crate) base: Id,
    /// The commit that the layer lies on.
    pub(crate) began: Id,
    pub(crate) protects: Vec<String>,
    pub(crate) produces: Vec<String>,
    /// It was cut off: what it left is judged, but nothing goes on from there.
    pub(crate) interrupted: bool,
    pub(crate) message: String,
}
