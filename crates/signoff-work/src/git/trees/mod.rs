//! What git records: indexes, trees and commits.

pub(crate) mod commits;
pub(crate) mod compose;
pub(crate) mod ignored;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod links;
pub(crate) mod listing;
pub(crate) mod recent;
