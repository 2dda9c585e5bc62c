//! Acts: the only event loop. Asks the engine what is due, writes the journal, performs it through
//! `signoff-work` and `signoff-sandbox`, and tells whoever watches.
//!
//! Renders nothing and holds no rule about plans: those are the engine's. Start reading at
//! [`drive::Loop`], then [`live::PreparedRun`], which sets up what it drives.

#![warn(missing_docs)]

pub mod approve;
mod clock;
mod confinement;
pub mod control;
mod difference;
pub mod doctor;
pub mod drive;
mod error;
pub mod follow;
pub mod helpers;
mod journal;
mod journaled_run;
pub mod levels;
pub mod live;
mod local;
mod locks;
mod marks;
mod notify;
pub mod plan_file;
pub mod plans;
pub mod precautions;
mod preflight;
pub mod project;
pub mod proof;
pub mod rehearsal;
mod replan;
mod scratch;
mod signed_text;
mod snapshot;
mod ssh;
pub mod state;
mod streamed;
mod terms;
pub mod threads;
pub mod tools;
mod trees;
pub mod uncommitted;
pub mod view;
mod watch;
pub mod whereabouts;

pub use clock::{Clock, SystemClock};
pub use difference::Difference;
pub use error::Error;
pub use journal::FileJournal;
pub use journaled_run::JournaledRun;
pub use live::landing;
pub use local::Interrupt;
pub use ssh::{KeyError, Unset};
