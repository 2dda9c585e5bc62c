//! Problems of plans: for people, and for programs that annotate code.

pub(crate) mod github;
pub(crate) mod sarif;
pub(crate) mod text;
