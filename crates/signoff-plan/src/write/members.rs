//! What `record` and `toolplan` write alike: keys and values, each left out where it says nothing.

use serde_json::{Map, Value};

use crate::model::{Budget, Condition, Contract, Plan, Step, Work};
use crate::spelling::Dialect;
use crate::{budget, duration};

/// Keys and values under construction.
#[derive(Debug, Default)]
pub(super) struct Members(Map<String, Value>);

impl Members {
    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// A value, unless there is none.
    pub(super) fn some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// A list, unless it is empty.
    pub(super) fn list(&mut self, key: &str, items: &[String]) {
        if !items.is_empty() {
            self.put(key, items);
        }
    }

    /// What is kept and decides nothing.
    pub(super) fn record(
        &mut self,
        key: &str,
        record: &std::collections::BTreeMap<String, Value>,
        name: &str,
    ) {
        self.some(key, record.get(name).cloned());
    }

    pub(super) fn budget(&mut self, budget: &Budget) {
        if !budget.is_empty() {
            self.put("budget", budget::format(budget));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// Fields of a plan that both dialects have.
pub(super) fn plan(out: &mut Members, plan: &Plan) {
    out.some("context", plan.context.as_deref());
    out.some("tools", plan.tools.as_deref());
    out.budget(&plan.budget);
    if !plan.params.is_empty() {
        out.put("params", Value::from_iter(plan.params.clone()));
    }
}

/// Fields of a step that both dialects have, but for its status.
pub(super) fn step(out: &mut Members, step: &Step, dialect: Dialect) {
    if let Work::Ask { question, choices } = &step.work {
        let mut ask = Members::default();
        ask.put("question", question.as_str());
        ask.list("choices", choices);
        out.put("ask", ask.into_value());
    }
    out.some("contract", step.contract.as_ref().map(contract));
    if step.on_fail != dialect.default_on_fail() {
        out.put("onFail", step.on_fail.to_string());
    }
    out.some("when", step.when.as_deref());
    out.some("forEach", step.for_each.as_deref());
    out.some("maxItems", step.max_items);
    if step.approval {
        out.put("approval", "required");
    }
    if !step.critical {
        out.put("critical", false);
    }
    out.list("produces", &step.produces);
    out.list("protects", &step.protects);
    out.some("tools", step.tools.as_deref());
    out.some("timeout", step.timeout.map(duration::format));
    out.budget(&step.budget);
    out.list("locks", &step.locks);
}

/// The command alone where that says it all.
fn contract(contract: &Contract) -> Value {
    let mut out = Members::default();
    out.put("command", contract.command.as_str());
    out.some("shell", contract.shell.as_deref());
    if contract.expect != [Condition::DEFAULT] {
        let conditions: Vec<_> = contract.expect.iter().map(ToString::to_string).collect();
        out.list("expect", &conditions);
    }
    out.some("timeout", contract.timeout.map(duration::format));
    if !contract.baseline {
        out.put("baseline", false);
    }
    if contract.fewer_tests_allowed {
        out.put("fewerTests", "allowed");
    }
    if contract.holds_once {
        out.put("holds", "once");
    }
    if out.0.len() == 1 {
        return Value::from(contract.command.as_str());
    }
    out.into_value()
}
