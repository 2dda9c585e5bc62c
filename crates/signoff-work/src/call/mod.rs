//! What every call of a tool has: an end, limits, and a flag that stops it.

mod error;
mod limits;
mod stop;

use serde_json::Value;

pub(crate) use self::error::CallError;
pub(crate) use self::limits::Limits;
pub use self::stop::StopFlag;

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEnd {
    /// With this result.
    Done(Value),
    /// Without one.
    Failed {
        /// Why, for people.
        message: String,
        /// A timeout, a refused or lost connection, status 429 or 5xx: it may succeed another time. What it did
        /// before it failed is unknown.
        transient: bool,
        /// It was cut off, and may have taken place.
        unknown: bool,
    },
    /// The run is being stopped. What the call did before is unknown.
    Stopped,
}
