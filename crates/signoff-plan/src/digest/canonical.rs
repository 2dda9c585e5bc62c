//! What a signature covers, as JSON.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use super::SCHEMA;
use crate::field::{self, FieldSpec, Shape};
use crate::model::{
    Briefing, Budget, Condition, Contract, Depends, Hint, OnFail, Plan, Step, Work,
};
use crate::source::text_up_to;

/// The part of a resolved plan that its digest covers.
///
/// Defaults are left out, so that saying what holds anyway changes nothing; sets are sorted; text
/// has LF line ends and no blank lines at its end.
pub fn canonical(plan: &Plan) -> Value {
    let mut out = Members::default();
    out.put("schema", Value::from(SCHEMA));
    for field in field::PLAN.iter().filter(|field| field.signed) {
        match field.name {
            "params" if plan.params.is_empty() => {}
            "briefing" if plan.briefing() == Briefing::Task => {}
            "params" => out.put("params", plan.params.clone().into_iter().collect()),
            _ => out.field(field, plan),
        }
        // Part of the context: what was found out, and what is acted on. Of the record nothing else is.
        if let ("context", Some(outputs)) = (field.name, plan.record.get("tool_outputs")) {
            out.put("tool_outputs", outputs.clone());
        }
    }
    let steps = plan.steps.iter().enumerate();
    out.put(
        "steps",
        steps.map(|(at, step)| step_value(plan, at, step)).collect(),
    );
    Value::Object(out.0)
}

fn step_value(plan: &Plan, at: usize, step: &Step) -> Value {
    let mut out = Members::default();
    out.put("id", Value::from(step.id.as_str()));
    out.text("title", Some(&step.title));
    // Waiting for every step before is the default; any other list is given, also an empty one.
    if step.depends_on != Depends::AllBefore {
        let ids: BTreeSet<&str> = plan.dependency_ids(at).collect();
        out.put("depends_on", ids.into_iter().collect());
    }
    out.put("work", work_value(&step.work));
    if let Some(contract) = &step.contract {
        out.put("contract", contract_value(contract));
    }
    for field in &field::STEP {
        out.field(field, step);
    }
    out.policy("on_fail", step);
    let hint = step.hint.as_ref().map(hint_members);
    out.object("hint", hint.unwrap_or_default());
    Value::Object(out.0)
}

fn work_value(work: &Work) -> Value {
    let mut out = Members::default();
    out.put("kind", Value::from(work.kind()));
    match work {
        Work::Agent { role, task } => {
            out.text("role", role.as_deref());
            out.text("task", Some(task));
        }
        Work::Tool { tool, args } => {
            out.text("tool", Some(tool));
            out.put("args", args.clone());
        }
        Work::Ask { question, choices } => {
            out.text("question", Some(question));
            out.list("choices", choices);
        }
        Work::Check => {}
    }
    Value::Object(out.0)
}

fn contract_value(contract: &Contract) -> Value {
    let Contract {
        command,
        shell,
        expect,
        timeout,
        baseline,
        fewer_tests_allowed,
        holds_once,
    } = contract;
    let mut out = Members::default();
    // Byte-exact but for line ends: white space can matter to a shell.
    let command = line_feeds(command);
    out.put("command", Value::from(command.trim_end_matches('\n')));
    out.text("shell", shell.as_deref());
    let expect = expect
        .iter()
        .filter(|condition| **condition != Condition::DEFAULT);
    let expect: Vec<_> = expect.map(ToString::to_string).collect();
    out.list("expect", &expect);
    out.duration("timeout_ms", *timeout);
    out.flag("baseline", *baseline, true);
    out.flag("fewer_tests_allowed", *fewer_tests_allowed, false);
    out.flag("holds_once", *holds_once, false);
    Value::Object(out.0)
}

fn budget_members(budget: &Budget) -> Members {
    let mut out = Members::default();
    out.number("tokens", budget.tokens);
    out.number("usd_e4", budget.usd_e4);
    out.duration("wall_ms", budget.wall);
    out.number("agents", budget.agents);
    out
}

fn hint_members(hint: &Hint) -> Members {
    let mut out = Members::default();
    out.text("tool", hint.tool.as_deref());
    out.text("operation", hint.operation.as_deref());
    out.text("target", hint.target.as_deref());
    out
}

/// Members of an object under construction; each method leaves out what equals its default.
#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// A field; one that has code of its own is left to that.
    fn field<D, M>(&mut self, field: &FieldSpec<D, M>, model: &M) {
        let name = field.name;
        match &field.shape {
            Shape::Text(slot, _) | Shape::Choice(slot, _) => {
                self.text(name, (slot.value)(model).as_deref());
            }
            Shape::Number(slot, _, usual) => {
                let number = (slot.value)(model).filter(|number| Some(*number) != *usual);
                self.number(name, number);
            }
            Shape::Duration(slot) => self.duration(&format!("{name}_ms"), *(slot.value)(model)),
            Shape::Budget(slot) => self.object(name, budget_members((slot.value)(model))),
            Shape::Flag(slot, usual, _) => self.flag(name, *(slot.value)(model), *usual),
            Shape::Switch(slot, _) => self.flag(name, *(slot.value)(model), false),
            // Its default depends on the work.
            Shape::Policy(_) => {}
            Shape::Names(slot) => self.set(name, (slot.value)(model)),
            Shape::Sentences(slot) => self.list(name, (slot.value)(model)),
            Shape::References(slot) => {
                let references = (slot.value)(model).iter();
                self.list(
                    name,
                    &references.map(ToString::to_string).collect::<Vec<_>>(),
                );
            }
            Shape::Scope(slot) => self.scope(name, (slot.value)(model).as_deref()),
            Shape::Custom(_) => {}
        }
    }

    /// A failure policy. Of a tool step it says so if every failure is retried: without that word, only
    /// those are that may pass.
    fn policy(&mut self, name: &str, step: &Step) {
        let policy = step.on_fail;
        if policy == OnFail::DEFAULT.unsaid_for(&step.work) {
            return;
        }
        let mut out = Self::default();
        out.put("retries", Value::from(policy.retries));
        out.put("then", Value::from(policy.then.name()));
        if policy.retries > 0 && policy != policy.unsaid_for(&step.work) {
            out.put("failures", Value::from("every"));
        }
        self.object(name, out);
    }

    fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.put(name, Value::from(tidy(text)));
        }
    }

    fn list(&mut self, name: &str, items: &[String]) {
        if !items.is_empty() {
            self.put(name, items.iter().map(|item| tidy(item)).collect());
        }
    }

    fn set(&mut self, name: &str, items: &[String]) {
        if !items.is_empty() {
            self.put(name, sorted(items));
        }
    }

    /// A tool scope: an empty one allows nothing, which is not the same as none.
    fn scope(&mut self, name: &str, items: Option<&[String]>) {
        if let Some(items) = items {
            self.put(name, sorted(items));
        }
    }

    fn flag(&mut self, name: &str, value: bool, default: bool) {
        if value != default {
            self.put(name, Value::from(value));
        }
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.put(name, exact(value));
        }
    }

    fn duration(&mut self, name: &str, value: Option<Duration>) {
        let milliseconds =
            |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.number(name, value.map(milliseconds));
    }

    fn object(&mut self, name: &str, members: Self) {
        if !members.0.is_empty() {
            self.put(name, Value::Object(members.0));
        }
    }
}

/// A whole number as JSON, as text where a double could not hold it.
fn exact(value: u64) -> Value {
    const LARGEST: u64 = (1 << 53) - 1;
    if value <= LARGEST {
        Value::from(value)
    } else {
        Value::from(value.to_string())
    }
}

fn sorted(items: &[String]) -> Value {
    let set: BTreeSet<String> = items.iter().map(|item| tidy(item)).collect();
    set.into_iter().collect()
}

/// Text with LF line ends and no blank lines at its end.
fn tidy(text: &str) -> String {
    let text = line_feeds(text);
    let mut end = text.len();
    while let Some(kept) = text.get(..end) {
        match kept.rfind('\n') {
            Some(newline)
                if kept
                    .get(newline..)
                    .is_some_and(|line| line.trim().is_empty()) =>
            {
                end = newline;
            }
            _ => break,
        }
    }
    text_up_to(&text, end).to_owned()
}

fn line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_loses_carriage_returns_and_trailing_blank_lines() {
        assert_eq!(tidy("a\r\nb \r\n\r\n  \n"), "a\nb ");
        assert_eq!(tidy("  "), "  ");
        assert_eq!(tidy("\n\n"), "");
    }

    #[test]
    fn contracts_are_exact_but_for_line_ends() {
        let command = |text: &str| contract_value(&Contract::new(text.to_owned()));
        assert_eq!(command("a\r\nb\n\n"), json!({"command": "a\nb"}));
        assert_eq!(command(" a \n "), json!({"command": " a \n "}));
    }

    #[test]
    fn numbers_beyond_doubles_stay_exact() {
        assert_eq!(
            exact(9_007_199_254_740_991),
            json!(9_007_199_254_740_991_u64)
        );
        assert_eq!(exact(9_007_199_254_740_993), json!("9007199254740993"));
    }
}
