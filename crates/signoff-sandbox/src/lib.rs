//! Starts one command, watches its whole process tree, and ends it.
//!
//! The only crate that starts a process and the only home of `unsafe`. It knows nothing of plans or agents, and it
//! judges nothing: it says how a command ended and what it printed.
//!
//! Start reading at [`Sandbox`]. A command is first [`HeldCommand`] at a gate, so that its [`ProcessIdentity`] can be written down
//! before it does anything; then it is [`RunningCommand`]; then it has [`CommandReport`], and so has everything it started.
//!
//! A command with a [`Policy`] is confined at the [`Level`] that [`probe`] found. What a level makes of a policy is in
//! `confinement`; how namespaces are made between clone and exec, without a helper, in `namespaces`.

#[cfg(not(target_os = "linux"))]
compile_error!("Signoff confines what it starts by namespaces and Landlock, which only Linux has");

mod after_fork;
mod command;
mod confine;
mod launch;
mod mounts;
mod namespaces;
mod policy;
mod poll;
mod process_tree;
mod sandbox;
mod spawn;
mod trial;
mod watch;

pub use command::captured::CapturedOutput;
pub use command::error::StartError;
pub use command::program::program_exists;
pub use command::report::{CommandReport, ExitStatus};
pub use command::{Command, Limits, Stdin};
pub use launch::held::HeldCommand;
pub use launch::interactive::{InteractiveCommand, InteractiveOutput};
pub use namespaces::kept_mounts::KeptMounts;
pub use policy::level::Level;
pub use policy::{Bind, Nesting, Network, Overlay, Policy, Tracing};
pub use process_tree::MARKER;
pub use process_tree::identity::ProcessIdentity;
pub use process_tree::leftovers::{end_leftovers, find_marked};
pub use sandbox::Sandbox;
pub use trial::overlay_trial::{OverlayTrialError, try_overlay};
pub use trial::probe::{FailedLevel, MemoryScope, Probe, ProbeError, memory_scope, probe};
pub use watch::piped::{MessageError, PipedCommand, PipedProcess, StdinWriter};
pub use watch::running::{RunningCommand, Stopper};
