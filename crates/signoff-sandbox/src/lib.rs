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

mod attended;
#[cfg(target_os = "linux")]
mod births;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "brands are told by /proc")
)]
mod brand;
#[cfg(target_os = "linux")]
mod bubblewrap;
mod captured;
mod child;
mod clock;
mod command;
#[cfg(target_os = "linux")]
mod confine;
#[cfg_attr(not(target_os = "linux"), path = "confinement_portable.rs")]
mod confinement;
mod conversation;
#[cfg(target_os = "linux")]
mod enclosure;
mod ended;
mod error;
mod exit;
mod failure;
mod fork;
#[cfg(target_os = "linux")]
mod founder;
#[cfg(target_os = "linux")]
mod ground;
#[cfg_attr(not(target_os = "linux"), path = "guard_portable.rs")]
mod guard;
mod held;
#[cfg(target_os = "linux")]
mod id_maps;
mod identity;
mod image;
#[cfg_attr(not(target_os = "linux"), path = "kept_mounts_portable.rs")]
mod kept_mounts;
#[cfg(target_os = "linux")]
mod kill;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod layers;
mod leader;
#[cfg_attr(not(target_os = "linux"), path = "leftovers_portable.rs")]
mod leftovers;
mod level;
mod log;
#[cfg(target_os = "linux")]
mod memory_group;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod overlay;
mod overlay_trial;
#[cfg(target_os = "linux")]
mod place;
mod policy;
#[cfg(target_os = "linux")]
mod privileges;
mod probe;
#[cfg(target_os = "linux")]
mod proc;
#[cfg(target_os = "linux")]
mod process_table;
mod program;
mod redaction;
mod running;
mod sandbox;
#[cfg(target_os = "linux")]
mod seccomp;
mod signals;
mod spawner;
#[cfg(target_os = "linux")]
mod stack_text;
mod stdio;
mod stop;
mod stream;
#[cfg_attr(not(target_os = "linux"), path = "tree_portable.rs")]
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
