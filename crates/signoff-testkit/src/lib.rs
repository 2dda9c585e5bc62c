//! What the tests of every crate share: a project to run the real binary in, scripts for the
//! scripted agent and the ledger it writes, and the reader of the console examples in the
//! docs.
//!
//! Only ever a dev-dependency. Start reading at [`Project`].

#![expect(
    clippy::panic,
    reason = "a helper of tests ends the test, saying what it saw"
)]

mod dice;
pub mod ledger;
mod on_terminal;
mod output;
pub mod performer;
mod postgres;
mod project;
mod running;
pub mod script;
pub mod signed_plan;
pub mod spellings;
pub mod transcript;

pub use dice::Dice;
pub use ledger::Ledger;
pub use on_terminal::OnTerminal;
pub use output::Output;
pub use postgres::Postgres;
pub use project::Project;
pub use running::{PATIENCE, Running};
pub use script::{Reply, Script};
