//! Names and checks plans: the model, the dialects (text ⇄ model, lossless edits), the checks, the
//! digest and the difference between two plans.
//!
//! Pure: no files, processes, clock or randomness. What it must know of the world it asks through
//! [`Workspace`]. Start reading at [`dialect::parse`], then [`check::check`].

#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm,
    reason = "this crate is pure: no clock, no files, no processes"
)]
#![warn(missing_docs)]

pub mod budget;
pub mod check;
pub mod condition;
pub mod diagnostic;
pub mod dialect;
pub mod diff;
pub mod digest;
pub mod draft;
pub mod duration;
pub mod edit;
pub mod expression;
pub mod field;
pub mod format;
pub mod glob;
mod graph;
pub mod guard;
pub mod import;
mod json;
pub mod links;
mod markdown;
pub mod model;
mod node;
pub mod on_fail;
pub mod overlap;
pub mod reference;
pub mod shell;
pub mod signed;
pub mod source;
pub mod sparse;
mod spelling;
pub mod subscription;
mod suggest;
pub mod tools;
pub mod visible;
mod workspace;
pub mod write;
mod yaml;

pub use workspace::{PermissiveWorkspace, ShadowedCommand, Workspace};
