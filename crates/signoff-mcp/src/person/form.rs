//! What a person is shown before they decide, and the form that they fill in.

use std::fmt::Write as _;

use rmcp::model::{BooleanSchema, ElicitRequestParams, ElicitationSchema, StringSchema};
use serde_json::Value;
use signoff_api::plan::{Plan, Step, Work};
use signoff_plan::diff::full_lines;
use signoff_plan::visible;
use signoff_runtime::plans::UnsignedChanges;

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

/// What the dialog shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownPlan<'a> {
    pub(crate) plan: &'a Plan,
    /// Its file, as it can be typed.
    pub(crate) path: &'a str,
    pub(crate) changes: Option<&'a UnsignedChanges>,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PersonReply {
    /// Their note or their feedback.
    pub(crate) words: Option<String>,
}

impl Decision {
    /// The dialog: what it is about, and what to fill in.
    pub(crate) fn form(self, shown: &ShownPlan<'_>, words: Option<&str>) -> ElicitRequestParams {
        let (confirm, label) = match self {
            Self::Approve => ("I have read this plan and sign it off", "Note (optional)"),
            Self::Reject => ("Reject this plan", "What has to change (optional)"),
        };
        let mut text = StringSchema::new().title(label);
        if let Some(words) = words {
            text = text.with_default(visible::escape_text(words));
        }
        let schema = ElicitationSchema::builder()
            .required_bool_property(CONFIRM, |_| BooleanSchema::new().title(confirm))
            .property(WORDS, rmcp::model::PrimitiveSchemaDefinition::String(text))
            .build_unchecked();
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message(shown),
            requested_schema: schema,
        }
    }

    /// What the person filled in, if they agreed.
    pub(crate) fn read(content: Option<&Value>) -> Option<PersonReply> {
        let content = content?;
        let words = content.get(WORDS).and_then(Value::as_str);
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        (content.get(CONFIRM)? == &Value::Bool(true)).then(|| PersonReply {
            words: words.map(str::to_owned),
        })
    }

    fn message(self, shown: &ShownPlan<'_>) -> String {
        let ShownPlan {
            plan,
            path,
            changes,
        } = shown;
        let asks = match self {
            Self::Approve if needs_more_people(plan) => {
                "An agent asks you to sign off this plan. It can be run when everybody has signed who has to."
            }
            Self::Approve => "An agent asks you to sign off this plan. Signed, it can be run.",
            Self::Reject => "An agent asks you to reject this plan.",
        };
        let title = plan.title.as_deref().unwrap_or("untitled");
        let mut text = format!(
            "{asks}\n\n{}\nplan    {}\ndigest  {}\nstate   {}\n",
            visible::escape_text(title),
            visible::escape_text(path),
            plan.digest,
            plan.status
        );
        if let Some(approval) = &plan.approval {
            let _ = writeln!(text, "signed  {}", visible::escape_text(&approval.summary));
        }
        for demand in &plan.asks_for {
            let _ = writeln!(text, "note    this plan {}", visible::escape_text(demand));
        }
        if let Some(changes) = changes {
            text.push_str(&unsigned_changes_text(changes, path));
        }
        for (at, step) in plan.steps.iter().enumerate() {
            let lines = step_lines(step);
            if text.len() + lines.len() > LONGEST {
                let more = plan.steps.len() - at;
                let _ = write!(
                    text,
                    "\n… and {more} more steps that do not fit here. Read them before you decide: `signoff show {}`",
                    visible::escape_text(path)
                );
                break;
            }
            text.push_str(&lines);
        }
        text
    }
}

/// Does it still wait for others once this person has signed?
fn needs_more_people(plan: &Plan) -> bool {
    let approval = plan.approval.as_ref();
    approval.is_some_and(|approval| approval.signed.len() + 1 < approval.needed)
}

/// What nobody signed yet: for most it is what they want to read first.
fn unsigned_changes_text(changes: &UnsignedChanges, path: &str) -> String {
    let mut text = match &changes.run {
        Some(run) => format!("\nWhat run {run} does not carry out yet:\n"),
        None => "\nDifferent from what was signed last:\n".to_owned(),
    };
    let lines = full_lines(&changes.difference.plan).into_iter();
    let lines = lines.chain(changes.difference.terms.iter().cloned());
    for line in lines {
        if text.len() + line.len() > LONGEST / 2 {
            let path = visible::escape_text(path);
            let _ = writeln!(
                text,
                "  … and more that does not fit here: `signoff diff --signed {path}`"
            );
            break;
        }
        let _ = writeln!(text, "  {}", visible::escape_text(&line));
    }
    text
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
    let mut text = format!("\n{}. {}\n", step.number, visible::escape_text(&step.title));
    let mut line = |name: &str, value: &str| {
        let value = visible::escape_text(value.trim_end()).replace('\n', "\n            ");
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
