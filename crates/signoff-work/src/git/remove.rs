//! Removes a tree that somebody else wrote.

pub(super) use crate::beneath::give_rights;
pub(crate) use crate::beneath::remove_tree;
