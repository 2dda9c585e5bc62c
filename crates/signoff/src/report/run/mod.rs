//! A run: before it begins, while it goes on, and what became of each step.

pub(crate) mod agent_text;
mod contract_text;
pub(crate) mod event_lines;
pub(crate) mod event_text;
pub(crate) mod forecast;
pub(crate) mod live_rows;
pub(crate) mod milestone;
pub(crate) mod opening;
pub(crate) mod reporter;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod screen;
pub(crate) mod table;
pub(crate) mod totals;
pub(crate) mod transcript;
pub(crate) mod worst_case;

pub(crate) use signoff_page::words::{evidence, short_text};
