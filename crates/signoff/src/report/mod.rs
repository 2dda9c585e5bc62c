//! Output for people, and for other programs' formats.

pub(crate) mod comments;
pub(crate) mod config;
pub(crate) mod difference;
pub(crate) mod graph;
pub(crate) mod guard;
pub(crate) mod plan;
pub(crate) mod planning;
pub(crate) mod plans;
pub(crate) mod problems;
pub(crate) mod question;
pub(crate) mod run;
pub(crate) mod signature;
pub(crate) mod stats;
pub(crate) mod step_name;
pub(crate) mod tools;

pub(crate) use signoff_page::words::{columns, count, time};
