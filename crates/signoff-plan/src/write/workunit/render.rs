//! One field as lines of text.

use serde_json::Value;

use super::probe::{Probe, TrialPlan};
use crate::check::unknown_field::documented_name;
use crate::dialect::workunit::step_in;
use crate::dialect::workunit::values::VERBATIM;
use crate::field;
use crate::model::is_id;
use crate::spelling::Dialect;

/// What a field belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldOwner {
    Plan,
    Step,
}

/// Why a text has no spelling.
const UNREADABLE: &str = "no spelling of this text reads back as it is";

/// The lines of a field, label included, without the last line end; or why there are none.
///
/// `name` and `value` are as in [`crate::field`]; a value that is the default has lines all the
/// same.
pub(crate) fn render(
    probe: &Probe,
    owner: FieldOwner,
    name: &str,
    value: &Value,
) -> Result<String, String> {
    let field = RenderedField {
        probe,
        owner,
        name,
        label: label(owner, name),
    };
    match value {
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            field.list(&items, value)
        }
        Value::String(text) if field::is_prose(name) => field.markdown(text, value),
        Value::String(text) => field.scalar(text, value),
        Value::Bool(true) => Ok(format!("**{}:** {}", field.label, field::flag_word(name))),
        Value::Bool(false) => Ok(format!("**{}:** no", field.label)),
        Value::Number(number) => Ok(format!("**{}:** {number}", field.label)),
        Value::Object(_) if name == "hint" => field.hint(value),
        Value::Object(_) | Value::Null => Err(UNREADABLE.to_owned()),
    }
}

/// The label of a field.
fn label(owner: FieldOwner, name: &str) -> String {
    let label = crate::spelling::label(name);
    match owner {
        FieldOwner::Plan => documented_name(label, "a plan"),
        FieldOwner::Step => label.to_owned(),
    }
}

struct RenderedField<'r> {
    probe: &'r Probe,
    owner: FieldOwner,
    name: &'r str,
    label: String,
}

impl RenderedField<'_> {
    /// Whether these lines are read as the value.
    fn reads(&self, lines: &str, value: &Value) -> bool {
        match self.owner {
            // Answers mean something only beside a question.
            FieldOwner::Step if self.name == "choices" => {
                let lines = format!("**ask:** q\n{lines}");
                let trial = TrialPlan {
                    step_field: &lines,
                    ..TrialPlan::default()
                };
                let question = Value::from("q");
                let fields = [("question", &question), ("choices", value)];
                self.probe.step(trial, &fields)
            }
            FieldOwner::Step => {
                let trial = TrialPlan {
                    step_field: lines,
                    ..TrialPlan::default()
                };
                self.probe.step(trial, &[(self.name, value)])
            }
            FieldOwner::Plan => {
                let mut trial = TrialPlan::default();
                match self.name {
                    "context" => trial.narrative = lines,
                    "risks" => trial.end = lines,
                    _ => trial.field = lines,
                }
                self.probe.plan(trial, self.name, value)
            }
        }
    }

    /// The first spelling that reads back.
    fn first(&self, spellings: &[String], value: &Value) -> Result<String, String> {
        let found = spellings.iter().find(|lines| self.reads(lines, value));
        found.cloned().ok_or_else(|| UNREADABLE.to_owned())
    }

    fn scalar(&self, text: &str, value: &Value) -> Result<String, String> {
        let plain = format!("**{}:** {text}", self.label);
        if is_simple(text) {
            return Ok(plain);
        }
        self.first(&[plain, format!("**{}:** `{text}`", self.label)], value)
    }

    fn markdown(&self, text: &str, value: &Value) -> Result<String, String> {
        let label = &self.label;
        let multiline = text.contains('\n');
        let plain = if multiline {
            format!("**{label}:**\n{text}")
        } else {
            format!("**{label}:** {text}")
        };
        if is_inert(text) {
            return Ok(plain);
        }
        let verbatim = format!("**{label}:**\n{}", fenced_block(VERBATIM, text));
        if text.lines().any(begins_with_label) {
            // It would be read back, and reported as an unknown field.
            return self.first(&[verbatim, plain], value);
        }
        self.first(&[plain, verbatim], value)
    }

    fn list(&self, items: &[&str], value: &Value) -> Result<String, String> {
        let label = &self.label;
        if items.is_empty() {
            return Ok(format!("**{label}:** none"));
        }
        let names = field::is_names(self.name);
        let inline = items.join(", ");
        if names && inline.len() <= 80 && items.iter().all(|item| is_path(item)) {
            return Ok(format!("**{label}:** {inline}"));
        }
        let mut lines = if self.name == "risks" {
            "## Risks\n".to_owned()
        } else {
            format!("**{label}:**")
        };
        for item in items {
            lines.push('\n');
            lines.push_str(&self.item(item)?);
        }
        if items.iter().all(|item| is_simple(item)) || self.reads(&lines, value) {
            Ok(lines)
        } else {
            Err(UNREADABLE.to_owned())
        }
    }

    fn item(&self, item: &str) -> Result<String, String> {
        let plain = format!("- {item}");
        if is_simple(item) {
            return Ok(plain);
        }
        let head = match self.name {
            "risks" => "## Risks\n".to_owned(),
            _ => format!("**{}:**", self.label),
        };
        let value = Value::from(vec![item]);
        let mut spellings = [plain, format!("- `{item}`")].into_iter();
        spellings
            .find(|line| self.reads(&format!("{head}\n{line}"), &value))
            .ok_or_else(|| UNREADABLE.to_owned())
    }

    /// `tool: operation → target`
    fn hint(&self, value: &Value) -> Result<String, String> {
        let part = |name: &str| value.get(name).and_then(Value::as_str);
        let mut text = part("tool").unwrap_or_default().to_owned();
        if let Some(operation) = part("operation") {
            text = format!("{text}: {operation}");
        }
        if let Some(target) = part("target") {
            text = format!("{text} → {target}");
        }
        let plain = format!("**{}:** {text}", self.label);
        self.first(&[plain, format!("**{}:** `{text}`", self.label)], value)
    }
}

/// Whether a line of a text looks like a field: `**Goal:** …`.
fn begins_with_label(line: &str) -> bool {
    let bold = line.trim_start().strip_prefix("**");
    let label = bold.and_then(|rest| rest.split_once("**"));
    label.is_some_and(|(label, _)| label.ends_with(':'))
}

/// A fenced block around any text.
pub(crate) fn fenced_block(language: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    // Around what looks like a step a usual fence would seem to be forgotten.
    let usual = if step_in(text).is_some() { 4 } else { 3 };
    let fence = "`".repeat((longest + 1).max(usual));
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Whether no line of a text can be taken for a label, a heading, a rule, a block or a comment.
fn is_inert(text: &str) -> bool {
    let line = |line: &str| {
        let start = line.trim_start();
        let marks = ["#", "**", "---", "***", "___"];
        let parts = ["```", "~~~", "<", "\r", "\0"];
        !marks.iter().any(|mark| start.starts_with(mark))
            && !parts.iter().any(|part| line.contains(part))
            && !line.ends_with(char::is_whitespace)
            // `- - -` is a rule too.
            && (start.is_empty() || start.contains(char::is_alphanumeric))
    };
    text.trim() == text && !text.is_empty() && text.split('\n').all(line)
}

/// Whether a line is nothing but words, so that it is only ever read as text.
pub(super) fn is_simple(line: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || " ,.;/()_?!=+&'-".contains(c);
    line.starts_with(char::is_alphanumeric)
        && !line.ends_with(' ')
        && line != "none"
        && line.chars().all(part)
}

/// Whether a name can stand between commas.
fn is_path(item: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "_./*-".contains(c);
    let words = item != "none" && item.chars().all(part);
    is_id(item) || (words && item.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Whether a text can stand in the middle of a line.
pub(crate) fn one_line(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(['\n', '\r'])
}

/// Whether a value says what holds anyway.
pub(super) fn is_omissible(name: &str, value: &Value) -> bool {
    let empty = matches!(name, "status" | "task" | "question") && value == "";
    empty || field::is_default_value(Dialect::Workunit, name, value)
}
