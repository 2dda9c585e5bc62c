//! The frontmatter: what the file is, who owns it, how far it is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::probe::{Probe, TrialPlan};
use super::{OWNER, Writer};
use crate::dialect::{Dialect, rejection};
use crate::spelling::status::{is_same_plan_status, plan_word};
use crate::write::readback::other_status;

impl Writer<'_> {
    pub(super) fn frontmatter(&mut self) {
        let plan = self.plan;
        let mut lines = vec!["---".to_owned(), "type: plan".to_owned()];
        for (name, value) in [("id", &plan.id), ("previous", &plan.previous)] {
            lines.extend(self.frontmatter_field(name, value.as_deref()));
        }
        lines.extend(plan.version.map(|version| format!("version: {version}")));
        let briefing = plan.briefing();
        if briefing != Dialect::Workunit.default_briefing() {
            lines.push(format!("briefing: {}", briefing.word()));
        }
        lines.extend(self.names("approval_required_from", &plan.approval_required_from));
        lines.push(format!("status: {}", self.status()));
        lines.push(self.owner());
        lines.extend(self.params());
        lines.extend(self.record());
        lines.push("---".to_owned());
        self.line(&lines.join("\n"));
    }

    /// The line of a field that holds text, if it can.
    fn frontmatter_field(&mut self, name: &'static str, text: Option<&str>) -> Option<String> {
        let text = Value::from(text?);
        if self.is_omitted(None, name) {
            return None;
        }
        // Plans that are tried have an owner already.
        let tried = if name == "owner" { "previous" } else { name };
        let value = scalar(&text);
        if reads(&self.probe, &format!("{tried}: {value}"), tried, &text) {
            return Some(format!("{name}: {value}"));
        }
        self.note_loss(None, name, "YAML cannot hold this text");
        None
    }

    /// The line of a field that holds names.
    fn names(&mut self, name: &'static str, names: &[String]) -> Option<String> {
        if names.is_empty() || self.is_omitted(None, name) {
            return None;
        }
        let items: Vec<String> = names
            .iter()
            .map(|item| scalar(&item.as_str().into()))
            .collect();
        let line = format!("{name}: [{}]", items.join(", "));
        let value = names.iter().map(String::as_str).collect();
        if reads(&self.probe, &line, name, &value) {
            return Some(line);
        }
        self.note_loss(None, name, "YAML cannot hold one of the names");
        None
    }

    fn params(&mut self) -> Option<String> {
        let params = &self.plan.params;
        if params.is_empty() || self.is_omitted(None, "params") {
            return None;
        }
        let lines = mapping("params", params);
        let value = params.clone().into_iter().collect();
        if reads(&self.probe, &lines, "params", &value) {
            return Some(lines);
        }
        self.note_loss(None, "params", "YAML cannot hold one of the values");
        None
    }

    /// The status in a word of this dialect.
    fn status(&mut self) -> &'static str {
        const NEW: &str = "draft";
        let Some(status) = self.plan.status.as_deref() else {
            return NEW;
        };
        let Some(word) = plan_word(Dialect::Workunit, status) else {
            self.note_loss(None, "status", "this dialect has no such status");
            return NEW;
        };
        if !is_same_plan_status(status, word) {
            self.note_loss(None, "status", &other_status(status, word));
        }
        word
    }

    /// The owner, which the dialect requires.
    fn owner(&mut self) -> String {
        if self.plan.owner.is_none() {
            self.fill_in("owner", OWNER);
        }
        let owner = self.frontmatter_field("owner", self.plan.owner.as_deref());
        owner.unwrap_or_else(|| format!("owner: {OWNER}"))
    }

    /// What is kept about the plan and has no field here.
    fn record(&mut self) -> Option<String> {
        let mut kept = BTreeMap::new();
        for (name, value) in &self.plan.record {
            let Some(field) = crate::field::plan_name(name) else {
                self.note_loss(None, name, "a plan has no such field");
                continue;
            };
            let one = BTreeMap::from([(name.clone(), value.clone())]);
            if field == "rejections" && self.rejections(value).is_some() {
                continue;
            }
            if self.is_omitted(None, field) {
                continue;
            }
            if reads(&self.probe, &mapping("record", &one), field, value) {
                kept.extend(one);
            } else {
                self.note_loss(None, field, "YAML cannot hold this value");
            }
        }
        (!kept.is_empty()).then(|| mapping("record", &kept))
    }

    /// The rejections as sections, if that is what they read back from.
    pub(super) fn rejections(&self, value: &Value) -> Option<String> {
        let sections: Option<Vec<String>> = value.as_array()?.iter().map(section).collect();
        let sections = sections?.join("\n\n");
        let trial = TrialPlan {
            end: &sections,
            ..TrialPlan::default()
        };
        let held = self.probe.plan(trial, "rejections", value);
        held.then_some(sections)
    }
}

fn reads(probe: &Probe, lines: &str, field: &str, value: &Value) -> bool {
    let trial = TrialPlan {
        frontmatter: &format!("{lines}\n"),
        ..TrialPlan::default()
    };
    probe.plan(trial, field, value)
}

/// A field that is a mapping, one member a line.
fn mapping(name: &str, members: &BTreeMap<String, Value>) -> String {
    let members = members
        .iter()
        .map(|(key, value)| format!("  {}: {}", key_text(key), scalar(value)));
    let lines: Vec<_> = std::iter::once(format!("{name}:")).chain(members).collect();
    lines.join("\n")
}

fn key_text(key: &str) -> String {
    if is_plain(key) {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

/// A value on one line: a bare word where YAML reads it as text, else JSON.
pub(crate) fn scalar(value: &Value) -> String {
    match value.as_str().filter(|text| is_plain(text)) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}

/// Whether a word means itself in any YAML.
fn is_plain(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(part)
        && !word.contains(&text.to_lowercase().as_str())
}

/// A rejection as a section of the file; without one of these shapes there is none.
fn section(rejection: &Value) -> Option<String> {
    let feedback = rejection.get("feedback")?.as_str()?;
    let version = match rejection.get("version") {
        Some(version) => Some(version.as_u64()?),
        None => None,
    };
    let heading = rejection::heading(version);
    Some(format!(
        "{heading}\n\n{}",
        rejection::escape_feedback(feedback)
    ))
}
