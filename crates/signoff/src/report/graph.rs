//! A plan's graph in a terminal and in the languages of other tools.

pub(crate) mod terminal;
pub(crate) mod text;

pub(crate) use signoff_page::graph::{RunProgress, layout, progress, svg};
use signoff_page::graph::{heading, remark};
