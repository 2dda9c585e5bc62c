//! YAML as a [tree](crate::node) in which every key and value knows its place.
//!
//! Only what plans need: no tags of one's own, no merge keys, each key once; what aliases stand for is limited. Everything
//! refused is a [`Problem`](crate::node::Problem); the rest of the tree is there all the same.

mod anchors;
mod command;
pub(crate) mod emit;
mod tree;

pub(crate) use self::command::command;
pub(crate) use self::tree::{parse, parse_items};
