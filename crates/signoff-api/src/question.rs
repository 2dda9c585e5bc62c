//! `signoff.question/1`: a question to a person that no run asks, and the lines of the log that keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::InboxKind;
use crate::inbox::Item;

pub const SCHEMA: &str = "signoff.question/1";

/// A question, and its answer once there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the wire format")]
pub struct Question {
    pub schema: String,
    /// As `answer` takes it.
    pub id: String,
    /// `open` or `answered`.
    pub status: String,
    /// The plan that it is about.
    pub plan: Option<String>,
    /// The planning session that asks.
    pub session: Option<String>,
    pub question: String,
    /// The answers that are offered; any text is one where there are none.
    pub choices: Vec<String>,
    pub asked_by: String,
    pub asked_at: String,
    /// `null` while nobody has answered.
    pub answer: Option<Answer>,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub text: String,
    pub by: String,
    pub at: String,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QuestionEvent {
    QuestionAsked {
        id: String,
        plan: Option<String>,
        session: Option<String>,
        question: String,
        choices: Vec<String>,
        by: String,
    },
    QuestionAnswered {
        id: String,
        text: String,
        by: String,
    },
}

impl Question {
    /// The question as an item of the inbox.
    pub fn to_item(&self) -> Item {
        let title = match (&self.plan, &self.session) {
            (Some(plan), _) => format!("plan {plan}"),
            (None, Some(session)) => format!("session {session}"),
            (None, None) => String::new(),
        };
        let reply = "your answer: any text".to_owned();
        let (choices, meanings) = match &self.choices[..] {
            [] => (
                vec!["reply".to_owned()],
                [("reply".to_owned(), reply)].into(),
            ),
            offered => (offered.to_vec(), [].into()),
        };
        Item {
            id: self.id.clone(),
            kind: InboxKind::Question,
            run: String::new(),
            title,
            step: String::new(),
            steps: Vec::new(),
            question: self.question.clone(),
            choices,
            meanings,
            about: Vec::new(),
            worktree: None,
        }
    }
}
