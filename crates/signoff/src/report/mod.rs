//! How things look to people, and to programs that are not ours.

pub(crate) mod caches;
mod columns;
pub(crate) mod config;
pub(crate) mod evidence;
pub(crate) mod github;
pub(crate) mod graph;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod live;
pub(crate) mod milestone;
pub(crate) mod named;
pub(crate) mod opening;
pub(crate) mod plan;
pub(crate) mod plans;
pub(crate) mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod sarif;
pub(crate) mod screen;
pub(crate) mod signature;
pub(crate) mod stats;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod tally;
pub(crate) mod time;
pub(crate) mod tools;
pub(crate) mod worst_case;
