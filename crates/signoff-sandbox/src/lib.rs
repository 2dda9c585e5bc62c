//! Starts one command, watches its whole process tree, and ends it.
//!
//! The only crate that starts a process and the only home of `unsafe`. It knows nothing of plans or agents, and it
//! judges nothing: it says how a command ended and what it printed.
//!
//! Start reading at [`Sandbox`]. A command is first [`Held`] at a gate, so that its [`Identity`] can be written down
//! before it does anything; then it is [`Running`]; then it has [`Ended`], and so has everything it started.
//!
//! A command with a [`Policy`] is confined at the [`Level`] that [`probe`] found. What a level makes of a policy is in
//! `confinement`; how namespaces are made between clone and exec, without a helper, in `enclosure`.

#[cfg(not(target_os = "linux"))]
compile_error!("Signoff confines what it starts by namespaces and Landlock, which only Linux has");

mod attended;
mod births;
mod brand;
mod bubblewrap;
mod captured;
mod child;
mod clock;
mod command;
mod confine;
mod confinement;
mod conversation;
mod enclosure;
mod ended;
mod error;
mod exit;
mod failure;
mod fork;
mod founder;
mod ground;
mod guard;
mod held;
mod id_maps;
mod identity;
mod image;
mod kept_mounts;
mod kill;
mod landlock;
mod layers;
mod leader;
mod leftovers;
mod level;
mod log;
mod memory_group;
mod mounts;
mod overlay;
mod overlay_trial;
mod place;
mod policy;
mod privileges;
mod probe;
mod proc;
mod process_table;
mod program;
mod redaction;
mod running;
mod sandbox;
mod seccomp;
mod signals;
mod spawner;
mod stack_text;
mod stdio;
mod stop;
mod stream;
mod tree;
mod trial;
mod watch;

pub use attended::{Attended, Said};
pub use captured::Captured;
pub use command::{Command, Limits, MARKER, Stdin};
pub use conversation::{Conversation, Speech, Unsaid};
pub use ended::{Ended, How};
pub use error::StartError;
pub use held::Held;
pub use identity::Identity;
pub use kept_mounts::KeptMounts;
pub use leftovers::{end_leftovers, find_marked};
pub use level::Level;
pub use overlay_trial::{OverlayTrialError, overlay_works};
pub use policy::{Bind, Nesting, Network, Overlay, Policy, Tracing};
pub use probe::{MemoryScope, Probe, Tried, UntriedError, memory_scope, probe};
pub use program::program_exists;
pub use running::{Running, Stopper};
pub use sandbox::Sandbox;
