//! One step.

use serde_json::Value;

use super::Writer;
use super::probe::TrialPlan;
use super::render::{FieldOwner, fenced_block, is_omissible, is_simple, render};
use crate::field::step_value;
use crate::model::{Contract, Depends, Step, Work};
use crate::spelling::Dialect;
use crate::spelling::status::step_word;
use crate::write::policy;

impl Writer<'_> {
    pub(super) fn step(&mut self, at: usize) {
        let Some(step) = self.plan.steps.get(at) else {
            return;
        };
        let heading = self.heading(at, step);
        self.block(&heading);
        self.text.push('\n');
        for key in Dialect::Workunit.step_keys() {
            match key.field {
                None if !step.record.is_empty() => {
                    self.json(key.key, &step.record.to_value());
                }
                None => {}
                Some("id") if step.id == format!("step-{}", at + 1) => {}
                Some("args") => self.args(step),
                Some("depends_on") => self.depends_on(at, step),
                Some("contract.command") => self.contract(at, step),
                Some("task") if step.work == NOTHING => self.line("**task:**"),
                Some("on_fail") if policy(step, Dialect::Workunit).is_none() => {}
                Some("status") => self.mark(at, step),
                Some(name) => self.step_field(at, name),
            }
        }
    }

    /// A step that is done has a tick in its heading; any other mark stands last, as edits put it.
    fn mark(&mut self, at: usize, step: &Step) {
        let Some(mark) = step.mark.as_deref().filter(|_| !step.claimed) else {
            return;
        };
        match step_word(Dialect::Workunit, mark) {
            Some(word) => self.line(&format!("**status:** {word}")),
            None => {
                let why = "steps of this dialect are marked `done`, `failed` or `skipped`";
                self.note_loss(Some(at), "status", why);
            }
        }
    }

    fn heading(&mut self, at: usize, step: &Step) -> String {
        let tick = if step.claimed { "✅ " } else { "" };
        let mut title = step.title.as_str();
        if self.is_omitted(Some(at), "title") {
            title = "";
        }
        let trial = TrialPlan {
            step_heading: Some(title),
            ..TrialPlan::default()
        };
        let wanted = Value::from(title);
        if !is_simple(title) && !title.is_empty() && !self.probe.step(trial, &[("title", &wanted)])
        {
            self.note_loss(Some(at), "title", "it does not fit into a heading");
            title = "";
        }
        let number = (at + 1).to_string();
        let number = step.unexpanded.as_deref().unwrap_or(&number);
        format!("### {number}. {tick}{title}").trim_end().to_owned()
    }

    fn step_field(&mut self, at: usize, name: &'static str) {
        let Some(value) = step_value(self.plan, at, name) else {
            return;
        };
        if is_omissible(name, &value) || self.is_omitted(Some(at), name) {
            return;
        }
        match render(&self.probe, FieldOwner::Step, name, &value) {
            Ok(lines) => self.line(&lines),
            Err(why) => self.note_loss(Some(at), name, &why),
        }
    }

    fn args(&mut self, step: &Step) {
        let Work::Tool { args, .. } = &step.work else {
            return;
        };
        if args.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        self.json("args", args);
    }

    fn json(&mut self, label: &str, value: &Value) {
        let text = serde_json::to_string_pretty(value).expect("a JSON value serialises");
        self.line(&format!("**{label}:**\n{}", fenced_block("json", &text)));
    }

    fn depends_on(&mut self, at: usize, step: &Step) {
        let unknown = self.unknown.get(&at);
        if step.depends_on == Depends::AllBefore && unknown.is_none() {
            return;
        }
        if self.is_omitted(Some(at), "depends_on") {
            return;
        }
        let known = self.plan.dependencies(at).filter_map(|position| {
            let step = self.plan.steps.get(position)?;
            let id = crate::model::is_id(&step.id);
            Some(if id {
                step.id.clone()
            } else {
                step.number.to_string()
            })
        });
        let names: Vec<String> = known
            .chain(unknown.into_iter().flatten().cloned())
            .collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        self.line(&format!("**depends_on:** {names}"));
    }

    fn contract(&mut self, at: usize, step: &Step) {
        let Some(contract) = &step.contract else {
            return;
        };
        let values = ["command", "shell", "expect"].map(|name| {
            let name = format!("contract.{name}");
            let value = step_value(self.plan, at, &name).unwrap_or_default();
            (name, value)
        });
        let fields = values
            .each_ref()
            .map(|(name, value)| (name.as_str(), value));
        let lines = contract_lines(contract);
        let trial = TrialPlan {
            step_field: &lines,
            ..TrialPlan::default()
        };
        // In a fence that is longer than any inside almost anything is itself.
        let text = &contract.command;
        let plain = text.trim() == text && !text.is_empty() && !text.contains(char::is_control);
        if plain || self.probe.step(trial, &fields) {
            self.line(&lines);
        } else {
            for (name, _) in &values {
                self.note_loss(Some(at), name, "no fenced block holds it");
            }
        }
    }
}

/// An agent of any role with nothing to do.
const NOTHING: Work = Work::Agent {
    role: None,
    task: String::new(),
};

fn contract_lines(contract: &Contract) -> String {
    let shell = contract.shell.as_deref().unwrap_or("shell");
    let mut lines = format!("**contract:**\n{}", fenced_block(shell, &contract.command));
    if contract.expect != [crate::model::Condition::DEFAULT] {
        for condition in &contract.expect {
            lines.push('\n');
            lines.push_str(&condition.to_string());
        }
    }
    lines
}
