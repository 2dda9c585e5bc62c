//! A run: before it begins, while it goes on, and what became of each step.

mod caches;
pub(crate) mod evidence;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod live;
pub(crate) mod milestone;
pub(crate) mod opening;
pub(crate) mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod screen;
pub(crate) mod table;
pub(crate) mod tally;
pub(crate) mod worst_case;
