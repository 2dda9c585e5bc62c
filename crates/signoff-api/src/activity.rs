//! `signoff.activity/1`: what becomes of plans and what waits on people, in all of a project, as `/api/events` streams it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.activity/1";

/// One change. Nothing is decided by it: plans, journals and signatures are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivityEvent {
    pub schema: String,
    /// Counts up, also across servers.
    pub seq: u64,
    /// When it happened, else when it was noticed: RFC 3339, UTC, milliseconds.
    pub at: String,
    /// `plan_<state>`, `plan_deleted`, `inbox_opened` or `inbox_closed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The plan's id, else its path. `null` for an item that is about none.
    pub plan: Option<String>,
    pub title: Option<String>,
    pub version: Option<u64>,
    /// The item of the inbox.
    pub item: Option<String>,
    pub question: Option<String>,
}
