//! The hook in front of coding agents: reads what an agent is about to do, and answers in a way that every version of
//! that agent understands as a refusal, or says nothing.
//!
//! It fails closed: what cannot be read, decided or done in time is refused.

mod answer;
mod event;
mod hook_command;
pub mod permission_request;
pub mod prompt;
pub mod session_start;

pub use self::answer::HookAnswer;
pub use self::event::{HookContext, HookEvent};
pub use self::hook_command::{HookStore, hook_command};
