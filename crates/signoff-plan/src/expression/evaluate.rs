//! Evaluates expressions. Pure, and with an end: each may take so many steps and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value as Evaluated};
use serde_json::{Map, Value};

use super::names::LEFT_OUT;
use super::reads::{ExpressionReads, read};
use super::tokens::{ExprToken, ExprTokenKind, tokens};
use crate::json::kind;

/// How many instructions an expression may take.
const FUEL: u64 = 100_000;

/// What an expression can read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    /// The plan's parameters.
    pub params: BTreeMap<String, Value>,
    /// What steps gave, by id.
    pub steps: BTreeMap<String, StepValues>,
    /// The item of a loop.
    pub item: Option<Value>,
    /// Its number, from 0.
    pub index: Option<u64>,
}

/// What a step gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepValues {
    /// Result of a tool or answer of a person.
    pub output: Option<Value>,
    /// What its contract printed.
    pub stdout: Option<String>,
}

crate::blank!(StepValues);

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationFailed {
    /// In a few words.
    pub message: String,
}

impl fmt::Display for EvaluationFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvaluationFailed {}

fn fail<T>(message: impl Into<String>) -> Result<T, EvaluationFailed> {
    let message = message.into();
    Err(EvaluationFailed { message })
}

/// Whether a condition holds. Only `true` and `false` count: in text and numbers truth is a guess.
pub fn evaluate_condition(text: &str, scope: &Scope) -> Result<bool, EvaluationFailed> {
    let value = evaluate(text, scope)?;
    match value.as_bool() {
        Some(holds) => Ok(holds),
        None => fail(format!("it yields {}, not true or false", kind(&value))),
    }
}

/// The items of a loop, at most `max_items`.
pub fn evaluate_list(
    text: &str,
    scope: &Scope,
    max_items: u64,
) -> Result<Vec<Value>, EvaluationFailed> {
    let value = evaluate(text, scope)?;
    let Value::Array(items) = value else {
        return fail(format!("it yields {}, not a list", kind(&value)));
    };
    let count = items.len();
    if u64::try_from(count).is_ok_and(|count| count > max_items) {
        return fail(format!("it yields {count} items; it may yield {max_items}"));
    }
    Ok(items)
}

/// The value of an expression that reads nothing but parameters, all of which are known, and calls
/// nothing; `None` = it cannot be known before the plan runs, or takes too long to compute.
pub fn constant(
    text: &str,
    reads: &ExpressionReads<'_>,
    params: &BTreeMap<String, Value>,
) -> Option<Result<Value, EvaluationFailed>> {
    if reads
        .params
        .iter()
        .any(|param| !params.contains_key(param.name))
    {
        return None;
    }
    let calls =
        |token: &ExprToken<'_>| matches!(token.kind, ExprTokenKind::Sign('|' | '(' | '*' | '~'));
    if !reads.steps.is_empty() || !reads.loop_variables.is_empty() || tokens(text).iter().any(calls)
    {
        return None;
    }
    let names: BTreeSet<&str> = reads.params.iter().map(|param| param.name).collect();
    let read = |name: &str| reads.all_params || names.contains(name);
    let read = params.iter().filter(|(name, _)| read(name));
    let scope = Scope {
        params: read
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        ..Scope::default()
    };
    Some(evaluate_read(text, &scope))
}

/// The value of an expression.
pub(super) fn evaluate(text: &str, scope: &Scope) -> Result<Value, EvaluationFailed> {
    if let Some(mistake) = read(text).err().and_then(|all| all.into_iter().next()) {
        return fail(mistake.message);
    }
    evaluate_read(text, scope)
}

/// The language without what can make much out of little.
static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut language = Environment::new();
    for name in LEFT_OUT {
        language.remove_filter(name);
    }
    language.set_fuel(Some(FUEL));
    language.set_undefined_behavior(UndefinedBehavior::Strict);
    language
});

/// The value of an expression in which no mistake was found.
fn evaluate_read(text: &str, scope: &Scope) -> Result<Value, EvaluationFailed> {
    let value = LANGUAGE
        .compile_expression_owned(text.to_owned())
        .and_then(|expression| expression.eval(context(scope)))
        .map_err(|error| EvaluationFailed {
            message: error_message(&error),
        })?;
    if value.is_undefined() {
        return fail("it reads something that does not exist");
    }
    serde_json::to_value(&value).or_else(|error| fail(error.to_string()))
}

fn error_message(error: &minijinja::Error) -> String {
    match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => "it takes too long".to_owned(),
        (ErrorKind::UndefinedError, _) => "it reads something that does not exist".to_owned(),
        (_, Some(detail)) => detail.to_owned(),
        (kind, None) => kind.to_string(),
    }
}

fn context(scope: &Scope) -> Evaluated {
    let mut all = Map::new();
    all.insert(
        "params".to_owned(),
        scope.params.clone().into_iter().collect(),
    );
    let steps = scope.steps.iter().map(|(id, values)| {
        let mut fields = Map::new();
        if let Some(output) = &values.output {
            fields.insert("output".to_owned(), output.clone());
        }
        if let Some(stdout) = &values.stdout {
            fields.insert("stdout".to_owned(), Value::from(stdout.as_str()));
        }
        (id.clone(), Value::Object(fields))
    });
    all.insert("steps".to_owned(), steps.collect());
    if let Some(item) = &scope.item {
        all.insert("item".to_owned(), item.clone());
    }
    if let Some(index) = scope.index {
        all.insert("index".to_owned(), Value::from(index));
    }
    Evaluated::from(Serde(Value::Object(all)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope() -> Scope {
        let answer = StepValues {
            output: Some(json!({"n": 3, "list": [1, 2]})),
            stdout: Some("ok\n".to_owned()),
        };
        Scope {
            params: [("x".to_owned(), json!("a")), ("on".to_owned(), json!(true))].into(),
            steps: [("tool-1".to_owned(), answer)].into(),
            item: Some(json!({"name": "b"})),
            index: Some(1),
        }
    }

    #[track_caller]
    fn condition(text: &str, expected: Result<bool, &str>) {
        let found = evaluate_condition(text, &scope()).map_err(|error| error.message);
        assert_eq!(found, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn conditions_are_true_or_false() {
        condition("params.on", Ok(true));
        condition(
            "steps[\"tool-1\"].output.n > 2 and params.x == 'a'",
            Ok(true),
        );
        condition("'ok' not in steps['tool-1'].stdout", Ok(false));
        condition("item.name == 'b' and index == 1", Ok(true));
        condition("params.y is defined", Ok(false));
        condition("params.x", Err("it yields text, not true or false"));
        condition("1", Err("it yields a number, not true or false"));
        condition("params.y", Err("it reads something that does not exist"));
        condition(
            "steps['no'].output.n > 1",
            Err("it reads something that does not exist"),
        );
    }

    #[test]
    fn loops_take_lists_of_a_limited_length() {
        let list = |text, max| evaluate_list(text, &scope(), max).map_err(|error| error.message);
        assert_eq!(
            list("steps['tool-1'].output.list", 2),
            Ok(vec![json!(1), json!(2)])
        );
        assert_eq!(list("range(3)", 3).map(|items| items.len()), Ok(3));
        assert_eq!(
            list("[1, 2, 3]", 2),
            Err("it yields 3 items; it may yield 2".to_owned())
        );
        assert_eq!(
            list("params.x", 2),
            Err("it yields text, not a list".to_owned())
        );
    }

    #[test]
    fn no_expression_makes_much_out_of_little() {
        for text in [
            "'a' * 1000000000 == ''",
            "[1] * 100000000 == []",
            "'a'|indent(1000000000) == ''",
            "['a']|map('indent', 1000000000)|list == []",
            "range(1000000000)|list == []",
            "9 ** 9 ** 9 == 1",
        ] {
            assert!(evaluate_condition(text, &scope()).is_err(), "{text}");
        }
        let long = format!("[{}]|length > 0", "1,".repeat(2000));
        condition(&long, Ok(true));
        let long = format!("[{}]|length > 0", "1,".repeat(200_000));
        condition(&long, Err("it has more than 4096 bytes"));
        let deep = "(".repeat(4000);
        assert!(evaluate_condition(&deep, &scope()).is_err());
    }
}
