//! YAML as a [tree](crate::node) in which every key and value knows its place.
//!
//! Only what plans need: no aliases, no anchors, no tags of one's own, each key once. Everything
//! refused is a [`Problem`](crate::node::Problem); the rest of the tree is there all the same.

mod command;
pub(crate) mod emit;
mod tree;

pub(crate) use self::command::command;
pub(crate) use self::tree::{parse, parse_items};
