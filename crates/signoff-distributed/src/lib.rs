//! Runs that several machines share, on DBOS and Postgres.
//!
//! The loop, the engine and the performer are those of one machine (`signoff-runtime`). Here is what they need besides: the
//! journal in a database, where every machine finds it (`database`, `run_files`), a copy of the project for each run
//! (`mirror`), orders that carry an agent's work or a contract to another machine (`orders`), and who is alive (`lease`).
//! DBOS has the queues, and starts again what a dead machine left.
//!
//! Nobody is believed because they can write to the database: plans and answers are signed by people, orders by the machine
//! that drives the run, reports by the machine that worked (`keys`). Start reading at [`Machine::serve`], then `driving` and
//! `hosting`; [`client`] is what the other commands do.

pub mod client;
mod cluster;
mod database;
mod driving;
mod error;
mod git;
mod journal_lines;
mod keys;
mod lease;
mod machine;
mod mirror;
mod orders;
mod queues;
mod run_files;
mod slots;
mod wakes;
mod worker;
mod workflows;

pub use self::database::{ClusterHealth, Database};
pub use self::error::ClusterError;
pub use self::keys::MachineKey;
pub use self::machine::{Machine, MachineOptions};
