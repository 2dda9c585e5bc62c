//! A plan for people: everything that a signature covers. A person can only review what is shown.

use std::borrow::Cow;

use serde_json::Value;
use signoff_plan::duration::format;
use signoff_plan::model::{BriefingStyle, Budget, Contract, Depends, Hint, Plan, Step, Work};
use signoff_plan::tools::plan_demands;
use signoff_plan::visible;

use crate::style::{DIM, TITLE, paint, sanitize};

/// The whole plan.
/// `asks`: why a run would stop at each step and ask a person.
pub(crate) fn plan_lines(plan: &Plan, statuses: &[&str], asks: &[Vec<String>]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fields = Fields::new(&mut lines, "");
    // The heading shows another text instead, and a signature covers that the title is missing.
    let untitled = plan.title.is_none().then_some("none of its own");
    fields.text("title", untitled);
    fields.text("request", plan.task.as_deref());
    fields.text("context", plan.context.as_deref());
    fields.list("constraint", &plan.constraints);
    fields.list("risk", &plan.risks);
    fields.list("notes", &plan_demands(plan));
    fields.text("budget", budget(&plan.budget).as_deref());
    fields.scope("tools", plan.tools.as_deref());
    fields.text("model", plan.executor_model.as_deref());
    fields.list("must sign", &plan.approval_required_from);
    for (name, value) in &plan.params {
        fields.text("param", Some(&format!("{name} = {value}")));
    }
    let told = plan.briefing().word();
    let told =
        (plan.briefing() != BriefingStyle::Task).then(|| format!("what a {told} tells them"));
    fields.text("told", told.as_deref());
    fields.text("owner", plan.owner.as_deref());
    fields.text("priority", plan.priority.as_deref());
    fields.text("replaces", plan.previous.as_deref());
    // Rejections stand above, with those that only the store knows.
    for (name, value) in plan.record.iter().filter(|(name, _)| *name != "rejections") {
        metadata(&mut fields, name, value);
    }
    for (at, step) in plan.steps.iter().enumerate() {
        lines.push(String::new());
        let status = statuses.get(at).copied().unwrap_or("pending");
        lines.push(format!(
            "{} {} {}",
            paint(TITLE, format!("{}. {}", step.number, sanitize(&step.title))),
            paint(DIM, format!("[{}]", sanitize(&step.id))),
            paint(DIM, status),
        ));
        let mut fields = Fields::new(&mut lines, "   ");
        step_fields(&mut fields, plan, at, step);
        // The lines about contract and approval say it of other steps.
        if matches!(step.work, Work::Tool { .. }) && !step.approval {
            fields.list("asks", asks.get(at).map_or(&[], Vec::as_slice));
        }
    }
    lines
}

/// What is kept about a plan: a line for each item of a list or member of an object.
fn metadata(fields: &mut Fields<'_>, name: &str, value: &Value) {
    let shown = match name {
        "tool_outputs" => "output".to_owned(),
        "artifacts" => "artifact".to_owned(),
        "informed_by" => "informed by".to_owned(),
        _ => name.replace('_', " "),
    };
    match value {
        Value::Array(items) => {
            for item in items {
                fields.text(&shown, Some(&metadata_text(item)));
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                fields.text(&shown, Some(&format!("{name} = {value}")));
            }
        }
        one => fields.text(&shown, Some(&metadata_text(one))),
    }
}

fn metadata_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn step_fields(fields: &mut Fields<'_>, plan: &Plan, at: usize, step: &Step) {
    let open = step.unexpanded.as_ref();
    let open = open.map(|number| format!("`{number}` stands for steps that are not written yet"));
    fields.text("open", open.as_deref());
    work(fields, &step.work);
    fields.text("hint", step.hint.as_ref().and_then(hint).as_deref());
    fields.text("instruct", step.instructions.as_deref());
    fields.list("accept", &step.acceptance);
    fields.list("subtask", &step.subtasks);
    let subscriptions: Vec<String> = step.subscriptions.iter().map(ToString::to_string).collect();
    fields.list("reads", &subscriptions);
    fields.commands("produces", &step.produces);
    fields.commands("protects", &step.protects);
    fields.scope("tools", step.tools.as_deref());
    match &step.contract {
        Some(one) => contract(fields, one),
        None if matches!(step.work, Work::Agent { .. }) => {
            fields.text("contract", Some("none: a person has to accept the step"));
        }
        None => {}
    }
    let after = match &step.depends_on {
        Depends::AllBefore if at == 0 => None,
        Depends::AllBefore => Some("every step before".to_owned()),
        Depends::On(some) if some.is_empty() => Some("nothing: it can start at once".to_owned()),
        Depends::On(_) => Some(plan.dependency_ids(at).collect::<Vec<_>>().join(", ")),
    };
    fields.text("after", after.as_deref());
    fields.command("when", step.when.as_deref());
    fields.command("for each", step.for_each.as_deref());
    fields.text(
        "at most",
        step.max_items
            .map(|most| format!("{most} items"))
            .as_deref(),
    );
    fields.text("timeout", step.timeout.map(format).as_deref());
    fields.text("budget", budget(&step.budget).as_deref());
    fields.list("lock", &step.locks);
    fields.text("isolation", step.isolation.as_deref());
    fields.text("reviewer", step.reviewer.as_deref());
    fields.text(
        "approval",
        step.approval.then_some("a person, before it starts"),
    );
    fields.text(
        "critical",
        (!step.critical).then_some("no: the run goes on without it"),
    );
    fields.text("on fail", Some(&step.on_fail.to_string()));
}

fn work(fields: &mut Fields<'_>, work: &Work) {
    match work {
        Work::Agent { role, task } => {
            let unnamed = "default (no role is named)";
            fields.text("agent", Some(role.as_deref().unwrap_or(unnamed)));
            fields.text("task", Some(task));
        }
        Work::Tool { tool, args } => {
            fields.command("tool", Some(tool));
            fields.command("args", serde_json::to_string_pretty(args).ok().as_deref());
        }
        Work::Ask { question, choices } => {
            fields.text("ask", Some(question));
            fields.list("choice", choices);
        }
        Work::Check => fields.text("check", Some("no work, only the contract")),
    }
}

/// `tool: operation → target`, as a proposal writes it.
fn hint(hint: &Hint) -> Option<String> {
    let Hint {
        tool,
        operation,
        target,
    } = hint;
    let target = target.as_ref().map(|target| format!("→ {target}"));
    let tool = tool.as_ref().map(|tool| format!("{tool}:"));
    let parts: Vec<String> = [tool, operation.clone(), target]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn contract(fields: &mut Fields<'_>, contract: &Contract) {
    fields.command("contract", Some(&contract.command));
    let conditions: Vec<String> = contract.expect.iter().map(ToString::to_string).collect();
    fields.command("holds if", Some(&conditions.join(", ")));
    fields.command("shell", contract.shell.as_deref());
    fields.text("limit", contract.timeout.map(format).as_deref());
    fields.text(
        "baseline",
        (!contract.baseline).then_some("no: not run before the work"),
    );
    fields.text(
        "tests",
        contract
            .fewer_tests_allowed
            .then_some("fewer than before are allowed"),
    );
    fields.text(
        "holds",
        contract
            .holds_once
            .then_some("once: it need not pass again at the end"),
    );
}

fn budget(budget: &Budget) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(budget.tokens.map(|tokens| format!("{tokens} tokens")));
    parts.extend(budget.usd_e4.map(dollars));
    parts.extend(
        budget
            .wall
            .map(|wall| format!("{} wall clock", format(wall))),
    );
    parts.extend(budget.agents.map(|agents| format!("{agents} agents")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn dollars(hundredths_of_cents: u64) -> String {
    let (whole, rest) = (hundredths_of_cents / 10_000, hundredths_of_cents % 10_000);
    if rest.is_multiple_of(100) {
        format!("${whole}.{:02}", rest / 100)
    } else {
        format!("${whole}.{rest:04}")
    }
}

/// Lines of `name value`; the other lines of a value stand under its first.
struct Fields<'a> {
    lines: &'a mut Vec<String>,
    indent: &'static str,
}

impl<'a> Fields<'a> {
    fn new(lines: &'a mut Vec<String>, indent: &'static str) -> Self {
        Self { lines, indent }
    }

    /// A text for people and agents.
    fn text(&mut self, name: &str, value: Option<&str>) {
        self.lines_of(name, value, visible::escape_text);
    }

    /// A text that is run, compared or matched: shows every character.
    fn command(&mut self, name: &str, value: Option<&str>) {
        self.lines_of(name, value, visible::escape_command);
    }

    fn lines_of(&mut self, name: &str, value: Option<&str>, show: fn(&str) -> Cow<'_, str>) {
        let Some(value) = value else {
            return;
        };
        // An empty text is not the same as no text.
        let value = match value.trim_end() {
            "" => "(empty)",
            value => value,
        };
        for (at, line) in value.lines().enumerate() {
            let name = if at == 0 { name } else { "" };
            let shown = format!(
                "{}{} {}",
                self.indent,
                paint(DIM, format!("{name:<10}")),
                show(line)
            );
            self.lines.push(shown.trim_end().to_owned());
        }
    }

    fn list(&mut self, name: &str, values: &[String]) {
        for value in values {
            self.text(name, Some(value));
        }
    }

    fn commands(&mut self, name: &str, values: &[String]) {
        for value in values {
            self.command(name, Some(value));
        }
    }

    fn scope(&mut self, name: &str, values: Option<&[String]>) {
        let text = values.map(|values| {
            if values.is_empty() {
                "none".to_owned()
            } else {
                values.join(", ")
            }
        });
        self.text(name, text.as_deref());
    }
}

#[cfg(test)]
mod tests;
