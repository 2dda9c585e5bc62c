//! How things look to people.

pub(crate) mod evidence;
pub(crate) mod line;
pub(crate) mod live;

pub(crate) mod plan;
pub(crate) mod style;
