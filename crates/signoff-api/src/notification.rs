//! `signoff.notification/1`: what a webhook is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.notification/1";

/// Something that an absent person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notification {
    pub schema: String,
    /// The same in every attempt to deliver it.
    pub id: String,
    /// When it happened: RFC 3339, UTC, milliseconds.
    pub at: String,
    pub kind: NotificationKind,
    /// The plan's id, else its path.
    pub plan: String,
    pub title: String,
    pub run: Option<String>,
    /// The item of the inbox that waits, as `answer` takes it.
    pub item: Option<String>,
    pub question: Option<String>,
    /// Where the page shows it, where a server serves the page.
    pub link: Option<String>,
    /// What a person types to see it.
    pub command: String,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// Something waits on a person.
    Waiting,
    /// A run was completed.
    Completed,
    /// A run failed.
    Failed,
    /// A run has no process any more.
    Stalled,
    /// A plan waited too long and was cancelled.
    Expired,
}

impl NotificationKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stalled => "stalled",
            Self::Expired => "expired",
        }
    }
}
