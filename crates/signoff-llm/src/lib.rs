//! Drafts: turns a request into a plan by asking a model, and believes nothing that it says.
//!
//! A model is asked through [`Complete`]; whatever it answers is a text to be read, checked and sent back with its
//! problems. Nothing here reads a file or starts a process. Start reading at [`Planner::draft`].

#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate asks; others read files and start processes"
)]
#![warn(missing_docs)]

mod complete;
mod context;
mod data;
mod objections;
mod planner;
mod prompt;
mod provider;
mod reply;
mod typed;

pub use self::complete::{Complete, CompleteError, Completion, Truncation, Usage};
pub use self::context::{
    ExpansionContext, FinishedStep, InterviewAnswer, Memory, OpenContracts, PlanningContext,
    RejectedPlan, ReplanContext, RevisedPlan, ToolDescription,
};
pub use self::objections::Objection;
pub use self::planner::{DraftEnd, DraftReport, DraftedPlan, Planner, Round};
pub use self::prompt::{PromptError, PromptName, Prompts};
pub use self::provider::{
    ModelTokens, Provider, ProviderModel, ProviderRequest, ProviderResponse, ResponseBody,
    Transport, TransportError,
};
pub use self::reply::{
    ObjectProblem, PlanText, REPLY_BYTES, ReplyProblem, read_object, read_reply,
};
pub use self::typed::{TypedError, TypedReply, ask_typed};
