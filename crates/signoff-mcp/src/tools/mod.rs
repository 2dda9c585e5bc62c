//! The tools, one file for each group, and their table in `table.rs`.

pub(crate) mod ask;
pub(crate) mod listing;
pub(crate) mod plans;
pub(crate) mod proposing;
pub(crate) mod run;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod threads;

use serde_json::{Map, Value};

use crate::answers::Answer;
use crate::context::Context;
use crate::errors::ToolError;

/// A tool that waits for nobody.
pub(crate) type BlockingTool = fn(&Context, Map<String, Value>) -> Result<Answer, ToolError>;

/// The tool of this name, if it waits for nobody.
pub(crate) fn blocking(name: &str) -> Option<BlockingTool> {
    Some(match name {
        "plan_propose" => proposing::propose,
        "plan_revise" => proposing::revise,
        "plan_get" => plans::get,
        "plan_verify" => plans::verify,
        "plan_ask" => ask::ask,
        "plan_dir" => threads::dir,
        "plan_request_thread_dir" => threads::request,
        "plan_remove_thread" => threads::remove,
        "plan_clear_current" => threads::clear,
        "plan_commit" => threads::commit,
        "plan_set_topic" => threads::set_topic,
        _ => return None,
    })
}
