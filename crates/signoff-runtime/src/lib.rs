//! Acts: the only event loop. Asks the engine what is due, writes the journal, performs the actions through
//! `signoff-work` and `signoff-sandbox`, and notifies observers.
//!
//! Renders nothing and holds no rule about plans: those are the engine's. Start reading at
//! [`drive::Loop`], then [`live::PreparedRun`], which sets up what it drives.
//!
//! Each module builds only on those above it:
//!
//! ```text
//! error, clock      what can go wrong; the time
//! cluster           what a run needs of other machines
//! project           the store, the configuration, directories, locks, what this machine can enforce
//! notifications     the webhook
//! plan_file         a plan's text, read and checked
//! plan_history      what a plan's log says
//! trust             which commands may run
//! confinement       what processes may touch, and how trees are shown to them
//! trees, tools      the trees a run works on; the tools a step can call
//! drive             the loop and the journal; traits for who performs and observes
//! runs              runs on disk: read, watched, recorded, marked in the plan's file
//! signing           what is signed, and which signature counts
//! plans             what can be done to a plan, from its proposal to its archive
//! threads           planning sessions of several threads
//! questions, inbox  what agents ask outside of runs; all that waits on a person
//! activity          what becomes of all plans, as a list of changes
//! agent_session     what sessions of coding agents are told, and the plans that they show
//! guard, connect    the hook in front of coding agents; what is put into their settings
//! mcp_proxy         an agent's end of a tool server that the harness has
//! local             performs actions on this machine
//! planning          drafts of plans by a model
//! advice            what models are asked in a run
//! live, launch      a run of this process: prepared, driven, landed; a run of a process that goes on by itself
//! doctor            what this machine and project have
//! ```

#![warn(missing_docs)]

pub mod activity;
pub mod advice;
pub mod agent_session;
mod clock;
pub mod cluster;
pub mod confinement;
pub mod connect;
pub mod doctor;
pub mod drive;
pub mod error;
pub mod guard;
pub mod inbox;
pub mod launch;
pub mod live;
mod local;
pub mod mcp_proxy;
pub mod notifications;
pub mod plan_file;
pub mod plan_history;
pub mod planning;
pub mod plans;
pub mod project;
pub mod questions;
pub mod remote_runs;
pub mod runs;
pub mod signing;
pub mod telemetry;
pub mod threads;
pub mod tools;
mod trees;
pub mod trust;

pub use clock::{Clock, SystemClock, timestamp};
pub use error::Error;
pub use local::{ContractTrial, Interrupt, QuestionStop, require_trials, try_contracts};
