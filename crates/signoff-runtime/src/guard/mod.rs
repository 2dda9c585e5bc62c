//! The hook in front of coding agents: reads what an agent is about to do, and answers in a way that every version of
//! that agent understands as a refusal, or says nothing.
//!
//! It fails closed: what cannot be read, decided or done in time is refused. Start reading at [`answer`].

mod hook;

mod decision_log;
mod event;
mod hook_answer;
mod hook_command;
mod in_run;
mod payload;
pub mod permission_request;
mod plan_files;
pub mod plan_mode;
pub mod prompt;
pub mod report;
mod reported_session;
pub mod session_start;
mod settings;
mod tool_call;

pub use self::event::{HookContext, HookEvent};
pub use self::hook::{HookFailure, answer};
pub use self::hook_answer::HookAnswer;
pub use self::hook_command::{HookStore, hook_command};
pub use self::payload::LARGEST_PAYLOAD;
pub use self::tool_call::{MemoryTrouble, check_line};
