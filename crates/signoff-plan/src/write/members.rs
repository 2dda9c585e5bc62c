//! What `record` and `toolplan` write alike: keys and values, each left out where it says nothing.

use serde_json::{Map, Value};

use crate::field;
use crate::model::Plan;
use crate::spelling::Dialect;

/// Keys and values under construction.
#[derive(Debug, Default)]
pub(super) struct MemberWriter(Map<String, Value>);

impl MemberWriter {
    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// A value under a key, which may be one inside an object; unless there is none.
    pub(super) fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        let Some(value) = value else {
            return;
        };
        match key.split_once('.') {
            None => self.put(key, value),
            Some((outer, key)) => {
                let empty = || Value::Object(Map::new());
                let outer = self.0.entry(outer).or_insert_with(empty);
                if let Value::Object(members) = outer {
                    members.insert(key.to_owned(), value.into());
                }
            }
        }
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// The value of a field of the plan, unless it says nothing.
pub(super) fn plan(plan: &Plan, name: &str, dialect: Dialect) -> Option<Value> {
    match field::of_plan(name) {
        Some(field) => unless_default(name, field.shape.value(plan), dialect),
        None => plan.record.get(name).cloned(),
    }
}

/// The value of a field of the step at `at`, unless it says nothing.
pub(super) fn step(plan: &Plan, at: usize, name: &str, dialect: Dialect) -> Option<Value> {
    let step = plan.steps.get(at)?;
    if name == "on_fail" {
        return super::policy(step, dialect).map(Value::from);
    }
    let kept = step.record.get(name);
    kept.cloned()
        .or_else(|| unless_default(name, field::step_value(plan, at, name)?, dialect))
}

fn unless_default(name: &str, value: Value, dialect: Dialect) -> Option<Value> {
    if field::is_default_value(dialect, name, &value) {
        return None;
    }
    // Where "yes" has a word of its own, that is written.
    let yes = value == true;
    Some(if yes {
        field::flag_word(name).into()
    } else {
        value
    })
}

impl MemberWriter {
    /// Writes a contract as its command alone, where that says it all.
    pub(super) fn shorten_contract(&mut self) {
        if let Some(Value::Object(contract)) = self.0.get_mut("contract")
            && contract.len() == 1
            && let Some(command) = contract.swap_remove("command")
        {
            self.put("contract", command);
        }
    }
}
