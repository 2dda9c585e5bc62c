//! What a signature covers, as JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::{SCHEMA, jcs};
use crate::field::{self, FieldSpec, Shape};
use crate::model::{
    BriefingStyle, Budget, Condition, Contract, Depends, Hint, OnFail, Plan, Step, Work,
};
use crate::source::text_up_to;

/// The part of a resolved plan that its digest covers.
///
/// Defaults are left out, so that saying what holds anyway changes nothing; sets are sorted; text
/// has LF line ends and no blank lines at its end.
pub fn canonical(plan: &Plan) -> Value {
    plan_members(plan).into_value()
}

/// [`canonical`] as it was before it covered what agents receive beside their task and which failures of calls are retried.
pub(super) fn before_briefings(plan: &Plan) -> Value {
    let mut value = canonical(plan);
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("briefing");
    }
    let usual = serde_json::json!({
        "retries": OnFail::DEFAULT.retries,
        "then": OnFail::DEFAULT.then.name(),
    });
    let steps = value.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        let Some(policy) = step.get_mut("on_fail").and_then(Value::as_object_mut) else {
            continue;
        };
        policy.shift_remove("failures");
        if step.get("on_fail") == Some(&usual) {
            step.shift_remove("on_fail");
        }
    }
    value
}

/// Writes [`canonical`] in canonical form, one step after the other: all of them as a tree take many times the memory.
pub(super) fn write_plan(plan: &Plan, out: &mut String) {
    plan_members(plan).write(out);
}

fn step_members(plan: &Plan) -> impl Iterator<Item = Members<'_>> {
    let steps = plan.steps.iter().enumerate();
    steps.map(|(at, step)| one_step(plan, at, step))
}

fn plan_members(plan: &Plan) -> Members<'_> {
    let mut out = Members::default();
    out.push("schema", Value::from(SCHEMA));
    for field in field::PLAN.iter().filter(|field| field.signed) {
        match field.name {
            "params" if plan.params.is_empty() => {}
            "briefing" if plan.briefing() == BriefingStyle::Task => {}
            "params" => out.push("params", plan.params.clone().into_iter().collect::<Value>()),
            _ => out.field(field, plan),
        }
        // Part of the context: what was found out, and what is acted on. Of the record nothing else is.
        if let ("context", Some(outputs)) = (field.name, plan.record.get("tool_outputs")) {
            out.push("tool_outputs", outputs.clone());
        }
    }
    out.0.push(("steps".into(), Member::Steps(plan)));
    out
}

fn one_step<'p>(plan: &'p Plan, at: usize, step: &Step) -> Members<'p> {
    let mut out = Members::default();
    out.push("id", Value::from(step.id.as_str()));
    out.text("title", Some(&step.title));
    out.text("unexpanded", step.unexpanded.as_deref());
    // Waiting for every step before is the default; any other list is given, also an empty one.
    if step.depends_on != Depends::AllBefore {
        let ids: BTreeSet<&str> = plan.dependency_ids(at).collect();
        out.push("depends_on", ids.into_iter().collect::<Value>());
    }
    out.push("work", work_members(&step.work));
    if let Some(contract) = &step.contract {
        out.push("contract", contract_members(contract));
    }
    for field in &field::STEP {
        out.field(field, step);
    }
    out.policy("on_fail", step);
    let hint = step.hint.as_ref().map(hint_members);
    out.object("hint", hint.unwrap_or_default());
    out
}

fn work_members(work: &Work) -> Members<'static> {
    let mut out = Members::default();
    out.push("kind", Value::from(work.kind()));
    match work {
        Work::Agent { role, task } => {
            out.text("role", role.as_deref());
            out.text("task", Some(task));
        }
        Work::Tool { tool, args } => {
            out.text("tool", Some(tool));
            out.push("args", args.clone());
        }
        Work::Ask { question, choices } => {
            out.text("question", Some(question));
            out.list("choices", choices);
        }
        Work::Check => {}
    }
    out
}

fn contract_members(contract: &Contract) -> Members<'static> {
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
    out.push("command", Value::from(command.trim_end_matches('\n')));
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
    out
}

fn budget_members(budget: &Budget) -> Members<'static> {
    let mut out = Members::default();
    out.number("tokens", budget.tokens);
    out.number("usd_e4", budget.usd_e4);
    out.duration("wall_ms", budget.wall);
    out.number("agents", budget.agents);
    out
}

fn hint_members(hint: &Hint) -> Members<'static> {
    let mut out = Members::default();
    out.text("tool", hint.tool.as_deref());
    out.text("operation", hint.operation.as_deref());
    out.text("target", hint.target.as_deref());
    out
}

/// Members of an object under construction; each method leaves out what equals its default.
// A list and not a map: a plan may have a hundred thousand steps, of which each is three such objects.
#[derive(Default)]
struct Members<'p>(Vec<(Cow<'static, str>, Member<'p>)>);

enum Member<'p> {
    Value(Value),
    Object(Members<'p>),
    /// Made one by one when they are needed.
    Steps(&'p Plan),
}

impl From<Value> for Member<'_> {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl<'p> From<Members<'p>> for Member<'p> {
    fn from(members: Members<'p>) -> Self {
        Self::Object(members)
    }
}

impl<'p> Members<'p> {
    fn push(&mut self, name: impl Into<Cow<'static, str>>, member: impl Into<Member<'p>>) {
        self.0.push((name.into(), member.into()));
    }

    fn into_value(self) -> Value {
        let members = self.0.into_iter().map(|(name, member)| {
            let value = match member {
                Member::Value(value) => value,
                Member::Object(members) => members.into_value(),
                Member::Steps(plan) => step_members(plan).map(Members::into_value).collect(),
            };
            (name.into_owned(), value)
        });
        Value::Object(members.collect())
    }

    fn write(self, out: &mut String) {
        jcs::write_members(self.0, out, |member, out| match member {
            Member::Value(value) => jcs::write_value(&value, out),
            Member::Object(members) => members.write(out),
            Member::Steps(plan) => jcs::write_items(step_members(plan), out, Members::write),
        });
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
            Shape::Duration(slot) => {
                if let Some(duration) = *(slot.value)(model) {
                    self.duration(format!("{name}_ms"), Some(duration));
                }
            }
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
    fn policy(&mut self, name: &'static str, step: &Step) {
        let policy = step.on_fail;
        if policy == OnFail::DEFAULT.default_for(&step.work) {
            return;
        }
        let mut out = Self::default();
        out.push("retries", Value::from(policy.retries));
        out.push("then", Value::from(policy.then.name()));
        if policy.retries > 0 && policy != policy.default_for(&step.work) {
            out.push("failures", Value::from("every"));
        }
        self.object(name, out);
    }

    fn text(&mut self, name: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.push(name, Value::from(normalize_text(text)));
        }
    }

    fn list(&mut self, name: &'static str, items: &[String]) {
        if !items.is_empty() {
            self.push(
                name,
                items
                    .iter()
                    .map(|item| normalize_text(item))
                    .collect::<Value>(),
            );
        }
    }

    fn set(&mut self, name: &'static str, items: &[String]) {
        if !items.is_empty() {
            self.push(name, sorted_set(items));
        }
    }

    /// A tool scope: an empty one allows nothing, which is not the same as none.
    fn scope(&mut self, name: &'static str, items: Option<&[String]>) {
        if let Some(items) = items {
            self.push(name, sorted_set(items));
        }
    }

    fn flag(&mut self, name: &'static str, value: bool, default: bool) {
        if value != default {
            self.push(name, Value::from(value));
        }
    }

    fn number(&mut self, name: impl Into<Cow<'static, str>>, value: Option<u64>) {
        if let Some(value) = value {
            self.push(name, exact(value));
        }
    }

    fn duration(&mut self, name: impl Into<Cow<'static, str>>, value: Option<Duration>) {
        let milliseconds =
            |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.number(name, value.map(milliseconds));
    }

    fn object(&mut self, name: &'static str, members: Self) {
        if !members.0.is_empty() {
            self.push(name, members);
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

fn sorted_set(items: &[String]) -> Value {
    let set: BTreeSet<String> = items.iter().map(|item| normalize_text(item)).collect();
    set.into_iter().collect()
}

/// Text with LF line ends and no blank lines at its end.
fn normalize_text(text: &str) -> String {
    let text = line_feeds(text);
    if !text.ends_with(char::is_whitespace) {
        return text.into_owned();
    }
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

fn line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_loses_carriage_returns_and_trailing_blank_lines() {
        assert_eq!(normalize_text("a\r\nb \r\n\r\n  \n"), "a\nb ");
        assert_eq!(normalize_text("  "), "  ");
        assert_eq!(normalize_text("\n\n"), "");
    }

    #[test]
    fn contracts_are_exact_but_for_line_ends() {
        let command = |text: &str| contract_members(&Contract::new(text.to_owned())).into_value();
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
