//! Output for people, and for other programs' formats.

mod columns;
pub(crate) mod comments;
pub(crate) mod config;
pub(crate) mod count;
pub(crate) mod graph;
pub(crate) mod guard;
pub(crate) mod plan;
pub(crate) mod plans;
pub(crate) mod problems;
pub(crate) mod question;
pub(crate) mod run;
pub(crate) mod signature;
pub(crate) mod stats;
pub(crate) mod step_name;
pub(crate) mod time;
pub(crate) mod tools;
