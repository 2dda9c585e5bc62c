//! What a person is shown before they decide, and the form that they fill in.

use std::fmt::Write as _;

use rmcp::model::{BooleanSchema, ElicitRequestParams, ElicitationSchema, StringSchema};
use serde_json::Value;
use signoff_api::plan::{Plan, Step, Work};
use signoff_plan::visible;

/// The field that says yes.
const CONFIRM: &str = "confirm";
/// The field for a note or for feedback.
const WORDS: &str = "words";
/// What a dialog can show of a plan; the rest is named.
const LONGEST: usize = 24_000;

/// What a person is asked to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Approve,
    Reject,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Their note or their feedback.
    pub(crate) words: Option<String>,
}

impl Decision {
    /// The dialog: what it is about, and what to fill in.
    pub(crate) fn form(self, plan: &Plan, path: &str, words: Option<&str>) -> ElicitRequestParams {
        let (confirm, label) = match self {
            Self::Approve => ("I have read this plan and sign it off", "Note (optional)"),
            Self::Reject => ("Reject this plan", "What has to change (optional)"),
        };
        let mut text = StringSchema::new().title(label);
        if let Some(words) = words {
            text = text.with_default(visible::text(words));
        }
        let schema = ElicitationSchema::builder()
            .required_bool_property(CONFIRM, |_| BooleanSchema::new().title(confirm))
            .property(WORDS, rmcp::model::PrimitiveSchemaDefinition::String(text))
            .build_unchecked();
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message(plan, path),
            requested_schema: schema,
        }
    }

    /// What the person filled in, if they agreed.
    pub(crate) fn read(content: Option<&Value>) -> Option<Decided> {
        let content = content?;
        let words = content.get(WORDS).and_then(Value::as_str);
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        (content.get(CONFIRM)? == &Value::Bool(true)).then(|| Decided {
            words: words.map(str::to_owned),
        })
    }

    fn message(self, plan: &Plan, path: &str) -> String {
        let asks = match self {
            Self::Approve => "An agent asks you to sign off this plan. Signed, it can be run.",
            Self::Reject => "An agent asks you to reject this plan.",
        };
        let title = plan.title.as_deref().unwrap_or("untitled");
        let mut text = format!(
            "{asks}\n\n{}\nplan    {}\ndigest  {}\nstate   {}\n",
            visible::text(title),
            visible::text(path),
            plan.digest,
            plan.status
        );
        for (at, step) in plan.steps.iter().enumerate() {
            let lines = step_lines(step);
            if text.len() + lines.len() > LONGEST {
                let more = plan.steps.len() - at;
                let _ = write!(
                    text,
                    "\n… and {more} more steps that do not fit here. Read them before you decide: `signoff show {}`",
                    visible::text(path)
                );
                break;
            }
            text.push_str(&lines);
        }
        text
    }
}

/// What runs in a step, and what decides about it.
fn step_lines(step: &Step) -> String {
    let work = match &step.work {
        Work::Agent { role, task } => {
            let role = role.as_deref().unwrap_or("default");
            format!("agent `{role}`: {task}")
        }
        Work::Tool { tool, args } => format!("calls `{tool}` with {args}"),
        Work::Ask { question, .. } => format!("asks you: {question}"),
        Work::Check => "checks only".to_owned(),
    };
    let mut text = format!("\n{}. {}\n", step.number, visible::text(&step.title));
    let mut line = |name: &str, value: &str| {
        let value = visible::text(value.trim_end()).replace('\n', "\n            ");
        let _ = writeln!(text, "   {name:<8} {value}");
    };
    line("work", &work);
    if let Some(hint) = &step.hint {
        let parts = [&hint.tool, &hint.operation, &hint.target];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        line("tool", &parts.join(" "));
    }
    match &step.contract {
        Some(contract) => {
            line("contract", &contract.command);
            line("expects", &contract.expect.join(", "));
        }
        None => line("contract", "none: a person accepts the result"),
    }
    for asks in &step.asks {
        line("stops", asks);
    }
    text
}
