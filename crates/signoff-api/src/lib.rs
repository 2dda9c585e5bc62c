//! Says: the serde types and JSON Schemas of everything that leaves the process or goes to disk as
//! JSON. Each shape has a version in its `schema` field. No logic.
//!
//! Start reading at [`plan`] for what `show` prints, or [`event`] for what a journal holds.

pub mod activity;
pub mod approval;
pub mod archived;
pub mod checks;
pub mod cluster;
pub mod comments;
pub mod config;
pub mod connect;
pub mod convert;
pub mod deleted;
pub mod diagnostics;
pub mod diff;
pub mod doctor;
pub mod drafted;
pub mod error;
pub mod event;
pub mod formatted;
pub mod guard;
pub mod import;
pub mod inbox;
pub mod landing;
pub mod notification;
pub mod plan;
pub mod plan_log;
pub mod plan_ref;
pub mod planning_request;
pub mod plans;
pub mod progress;
pub mod project;
pub mod pruned;
pub mod question;
pub mod regeneration;
pub mod rehearsal;
pub mod report;
pub mod request;
pub mod run;
pub mod runs;
pub mod schema;
pub mod session;
pub mod stats;
pub mod templates;
pub mod threads;
pub mod tool_record;
pub mod tools;
pub mod transcript;
pub mod undo;
pub mod usage;
