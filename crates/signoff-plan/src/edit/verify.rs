//! After an edit: exactly the wanted field has changed, to exactly the wanted value.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Edit, EditRefused};
use crate::check::resolve::resolve;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::draft::Draft;
use crate::field::{
    self, clear_plan, clear_step, normalize, plan_name, plan_value, step_name, step_value,
};
use crate::model::{Depends, OnFail, Plan, Step};
use crate::spelling::Dialect;
use crate::spelling::status::{self, plan_words, step_words};

/// What a file must say once it is changed.
pub(super) struct ExpectedResult {
    dialect: Dialect,
    before: Plan,
    errors: BTreeMap<Code, usize>,
    change: ExpectedChange,
}

/// The one difference.
enum ExpectedChange {
    Plan(&'static str, Value),
    /// Position of the step, name of the field.
    Step(usize, &'static str, Value),
    Rejection(String),
}

impl ExpectedResult {
    /// What an edit of this draft asks for; or why no edit can do that.
    pub(super) fn new(draft: &Draft, edit: &Edit) -> Result<Self, EditRefused> {
        let mut problems = draft.problems.clone();
        let before = resolve(draft, &mut problems);
        let change = match edit {
            Edit::SetPlan { field, value } => {
                let no_field = || EditRefused::unknown_field("plan", field, field::plan_names());
                let name = plan_name(field).ok_or_else(no_field)?;
                let value = normalize(&before, name, value).map_err(EditRefused::BadValue)?;
                known_status(name, &value, &plan_words(draft.dialect))?;
                ExpectedChange::Plan(name, value)
            }
            Edit::SetStep { step, field, value } => {
                let at = before.index_of(step);
                let at = at.ok_or_else(|| EditRefused::UnknownStep(step.clone()))?;
                let no_field = || EditRefused::unknown_field("step", field, field::step_names());
                let name = step_name(field).ok_or_else(no_field)?;
                let value = normalize(&before, name, value).map_err(EditRefused::BadValue)?;
                known_status(name, &value, &step_words(draft.dialect))?;
                ExpectedChange::Step(at, name, value)
            }
            Edit::Reject { feedback, .. } => ExpectedChange::Rejection(feedback.clone()),
        };
        Ok(Self {
            dialect: draft.dialect,
            before,
            errors: errors(&problems),
            change,
        })
    }

    /// Refuses a file that says anything else.
    pub(super) fn check(self, draft: &Draft) -> Result<(), EditRefused> {
        let mut problems = draft.problems.clone();
        let mut after = resolve(draft, &mut problems);
        if draft.dialect != self.dialect {
            return Err(EditRefused::NotOnlyField(
                "what kind of plan it is".to_owned(),
            ));
        }
        self.no_new_error(&problems)?;
        let mut before = self.before;
        if let ExpectedChange::Step(at, "critical", _) = self.change {
            follow_unsaid_policy(self.dialect, before.steps.get_mut(at), after.steps.get(at));
        }
        let field = match &self.change {
            ExpectedChange::Plan(name, value) => {
                let found = plan_value(&after, name).unwrap_or_default();
                is_there(self.dialect, name, value, &found)?;
                clear_plan(&mut before, name);
                clear_plan(&mut after, name);
                name
            }
            ExpectedChange::Step(at, name, value) => {
                check_step(self.dialect, &after, *at, name, value)?;
                clear_step_at(&mut before, *at, name, value);
                clear_step_at(&mut after, *at, name, value);
                name
            }
            ExpectedChange::Rejection(feedback) => {
                check_rejection(&before, &after, feedback)?;
                for plan in [&mut before, &mut after] {
                    // A rejection may be more than its text.
                    for name in ["rejections", "status", "version", "updated_at"] {
                        clear_plan(plan, name);
                    }
                }
                "rejections"
            }
        };
        // What agents are really told follows from the rest, too.
        before.briefing.clone_from(&after.briefing);
        if before != after {
            let what = format!("more than `{field}`");
            return Err(EditRefused::NotOnlyField(what));
        }
        Ok(())
    }

    fn no_new_error(&self, problems: &[Diagnostic]) -> Result<(), EditRefused> {
        let now = errors(problems);
        let more = |problem: &&Diagnostic| {
            let count = |errors: &BTreeMap<Code, usize>| errors.get(&problem.code).copied();
            problem.severity == Severity::Error && count(&now) > count(&self.errors)
        };
        match problems.iter().find(more) {
            Some(problem) => Err(EditRefused::BadValue(problem.message.clone())),
            None => Ok(()),
        }
    }
}

fn errors(problems: &[Diagnostic]) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    for problem in errors {
        *counts.entry(problem.code).or_insert(0) += 1;
    }
    counts
}

/// The failure policy of a step that says nothing of its own.
fn unsaid_policy(dialect: Dialect, step: &Step) -> OnFail {
    dialect.default_on_fail(&step.work, step.critical)
}

/// The policy of a step that says none follows from whether it is critical.
fn follow_unsaid_policy(dialect: Dialect, before: Option<&mut Step>, after: Option<&Step>) {
    let says_none = |step: &Step| step.on_fail == unsaid_policy(dialect, step);
    if let (Some(before), Some(after)) = (before, after)
        && says_none(before)
        && says_none(after)
    {
        before.on_fail = after.on_fail;
    }
}

fn known_status(name: &str, value: &Value, words: &[&str]) -> Result<(), EditRefused> {
    match value.as_str() {
        Some(word) if name == "status" && !words.contains(&word) => {
            Err(EditRefused::UnknownStatus(word.to_owned()))
        }
        _ => Ok(()),
    }
}

fn is_there(
    dialect: Dialect,
    name: &str,
    wanted: &Value,
    found: &Value,
) -> Result<(), EditRefused> {
    let there = if wanted.is_null() {
        is_unset(dialect, name, found)
    } else {
        wanted == found
    };
    let what = || format!("`{name}` to something else");
    there
        .then_some(())
        .ok_or_else(|| EditRefused::NotOnlyField(what()))
}

fn check_step(
    dialect: Dialect,
    after: &Plan,
    at: usize,
    name: &str,
    wanted: &Value,
) -> Result<(), EditRefused> {
    let found = step_value(after, at, name).unwrap_or_default();
    match (name, wanted) {
        // Only what the model knows of a mark; which word it is the marks themselves show.
        ("status", wanted) => {
            let done = wanted.as_str().is_some_and(status::is_done);
            is_there(dialect, name, &json!(done.then_some("done")), &found)
        }
        ("depends_on", Value::Null) => {
            let unsaid = dialect.default_dependencies(at);
            let depends = after.steps.get(at).map(|step| &step.depends_on);
            let there = depends == Some(&unsaid);
            let what = "`depends_on` to something else".to_owned();
            there.then_some(()).ok_or(EditRefused::NotOnlyField(what))
        }
        ("on_fail", Value::Null) => {
            let step = after.steps.get(at);
            let unsaid = step.map(|step| unsaid_policy(dialect, step).to_string());
            is_there(dialect, name, &json!(unsaid), &found)
        }
        // Without an id it is known by its number.
        ("id", Value::Null) => is_there(dialect, name, &json!(format!("step-{}", at + 1)), &found),
        _ => is_there(dialect, name, wanted, &found),
    }
}

/// Whether a value is what a field has that is not given.
fn is_unset(dialect: Dialect, name: &str, value: &Value) -> bool {
    let empty = match value {
        Value::String(text) => name == "task" && text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    empty || field::is_default_value(dialect, name, value)
}

/// Takes the field away; all of a contract with its command.
fn clear_step_at(plan: &mut Plan, at: usize, name: &str, value: &Value) {
    let Some(step) = plan.steps.get_mut(at) else {
        return;
    };
    if name == "contract.command" && value.is_null() {
        step.contract = None;
    }
    if name == "depends_on" {
        step.depends_on = Depends::AllBefore;
    }
    clear_step(step, name);
}

/// Whether one rejection has come to those before, with this text.
fn check_rejection(before: &Plan, after: &Plan, feedback: &str) -> Result<(), EditRefused> {
    let list = |plan: &Plan| match plan.record.get("rejections") {
        Some(Value::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    let (old, mut new) = (list(before), list(after));
    let last = new.pop().unwrap_or_default();
    let text = last.get("feedback").and_then(Value::as_str);
    let same = text.is_some_and(|text| text.trim() == feedback.replace("\r\n", "\n").trim());
    let what = || EditRefused::NotOnlyField("the rejections in another way".to_owned());
    (old == new && same).then_some(()).ok_or_else(what)
}
