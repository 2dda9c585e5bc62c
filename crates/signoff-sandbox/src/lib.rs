//! Starts one command, watches its whole process tree, and ends it.
//!
//! This is the only crate that starts processes, and the only one with `unsafe` code. It knows nothing of plans or
//! agents, and it judges nothing: it reports how a command ended and what it printed.
//!
//! Start reading at [`Sandbox`]. A [`HeldCommand`] waits at a gate, so that its [`ProcessIdentity`] can be written down
//! before it does anything. When it is released it is a [`RunningCommand`], and in the end there is a
//! [`CommandReport`]. A command with a [`Policy`] is confined at the [`Level`] that [`probe`] found.
//!
//! Each module uses only those above it in this list (`xtask/tests/it/layering/modules.rs`):
//!
//! - `allocator`: a setting of the C library
//! - `policy`: what a command may touch, and how strongly that is enforced
//! - `poll`, `after_fork`: waiting for descriptors; what the code of a forked child may use
//! - `process_tree`: which processes belong to a command, and how all of them are killed
//! - `mounts`: which mounts enforce a policy, and how a child makes them
//! - `confine`: what a process does to restrict itself: Landlock, seccomp, privileges, memory
//! - `namespaces`: the namespaces that commands run in, made, used again, and emptied
//! - `command`: what is to be run, and what came of it
//! - `spawn`: the thread that forks, and the steps of a child from fork to exec
//! - `watch`: a running command's output, time and exit
//! - `launch`: a command, a policy and a level become a process
//! - `trial`: what works on this machine, found by trying it
//! - `sandbox`: the front of the crate
//! - `detached`: a program of our own that outlives us
//! - `deadline`: the end of this process at a deadline

#[cfg(not(target_os = "linux"))]
compile_error!("Signoff confines what it starts by namespaces and Landlock, which only Linux has");

mod after_fork;
mod allocator;
mod command;
mod confine;
mod deadline;
mod detached;
mod foreground;
mod launch;
mod mounts;
mod namespaces;
mod policy;
mod poll;
mod process_tree;
mod sandbox;
mod spawn;
mod thread;
mod trial;
mod watch;

pub use allocator::disable_fast_bins;
pub use command::captured::CapturedOutput;
pub use command::error::StartError;
pub use command::program::program_exists;
pub use command::report::{CommandReport, ExitStatus};
pub use command::stdin_writer::{MessageError, StdinWriter};
pub use command::{Command, Limits, Stdin};
pub use deadline::end_process_after;
pub use detached::{DetachedCommand, start_detached};
pub use foreground::run_in_foreground;
pub use launch::held_command::HeldCommand;
pub use launch::interactive::{InteractiveCommand, InteractiveOutput};
pub use mounts::view::is_opaque;
pub use namespaces::kept_mounts::KeptMounts;
pub use policy::level::Level;
pub use policy::{Bind, Nesting, Network, Overlay, Policy, Tracing};
pub use process_tree::identity::ProcessIdentity;
pub use process_tree::leftovers::{end_leftovers, find_marked};
pub use process_tree::{MARKER, reap_adopted_orphans};
pub use sandbox::Sandbox;
pub use thread::{start_scoped_thread, start_thread};
pub use trial::overlay_trial::{OverlayTrialError, try_overlay};
pub use trial::probe::{FailedLevel, MemoryScope, Probe, ProbeError, memory_scope, probe};
pub use watch::piped::{PipedCommand, PipedProcess};
pub use watch::running::{RunningCommand, Stopper};
pub use watch::time_limit::TimeLimit;
