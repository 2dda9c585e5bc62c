//! The results of each step in a record's or a toolplan's file: when it was done, by whom, and with which result.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use signoff_engine::{Outcome, Run, StepState, StepStatus};
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Records, StepMark};
use signoff_plan::model::{Step, Work};
use signoff_work::secrets::Secrets;

use super::{step_mark, steps_in_file};
use crate::clock::timestamp;

/// Bytes of a step's output that its file holds.
const LONGEST: usize = 4096;

/// How deep a value may be to be written as it is: files are read only to this depth.
const DEEPEST: usize = 32;

type Fields = Vec<(&'static str, Value)>;

/// What the file says beside the marks, without secrets.
pub(super) fn records(run: &Run, secrets: &Secrets, now: u64) -> Records {
    let dialect = run.signed_plan().dialect();
    if !matches!(dialect, Dialect::Record | Dialect::Toolplan) {
        return Records::default();
    }
    let steps = steps_in_file(run).map(|(written, definition, step)| {
        let mark = step_mark(run, written, definition, step);
        // A step that waited when a person ended the run has no reason of its own.
        let left_open = || run.halt_reason(run.position(&definition.id)?);
        let reason = step.outcome.reason.as_deref().or_else(left_open);
        let mut fields = match dialect {
            _ if is_theirs(written, step, mark) => Vec::new(),
            Dialect::Toolplan => result(step, mark, reason),
            _ => fields(&definition.work, step, mark, reason),
        };
        for (_, value) in &mut fields {
            redact(secrets, value);
        }
        (definition.id.clone(), fields)
    });
    Records {
        plan: vec![("current_step_index", current(run).into())],
        steps: steps.filter(|(_, fields)| !fields.is_empty()).collect(),
        updated_at: Some(timestamp(now).into()),
    }
}

/// Did somebody else do it and record its result in the file? Then only its contract runs here.
fn is_theirs(written: &Step, step: &StepState, mark: Option<StepMark>) -> bool {
    let is_work = matches!(written.work, Work::Agent { .. } | Work::Tool { .. });
    let stands = matches!(mark, Some(StepMark::Running | StepMark::Done));
    written.claimed
        && is_work
        && stands
        && step.attempts == 0
        && step.attempt.repaired_by.is_none()
        && step.attempt.accepted_by.is_none()
}

/// A plan's file is for everybody.
fn redact(secrets: &Secrets, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = secrets.hide(text) {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(secrets, item)),
        Value::Object(fields) => fields.values_mut().for_each(|value| redact(secrets, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The first step under way, else the first that is not done; behind the last one when all is.
fn current(run: &Run) -> usize {
    let through = matches!(run.outcome(), Some(Outcome::Completed | Outcome::Partial));
    let first = |wanted: fn(&StepState) -> bool| {
        let mut steps = steps_in_file(run);
        steps
            .position(|(_, _, step)| wanted(step))
            .filter(|_| !through)
    };
    let open =
        |step: &StepState| !matches!(step.status, StepStatus::Completed | StepStatus::Skipped);
    let current = first(is_under_way).or_else(|| first(open));
    current.unwrap_or_else(|| steps_in_file(run).count())
}

fn is_under_way(step: &StepState) -> bool {
    matches!(
        step.status,
        StepStatus::Running | StepStatus::Verifying | StepStatus::Waiting
    )
}

/// What a record says of a step. What is no longer true is `null`.
fn fields(work: &Work, step: &StepState, mark: Option<StepMark>, reason: Option<&str>) -> Fields {
    let ended = has_ended(mark);
    let begun = (ended || is_under_way(step)) && step.history.began_at > 0;
    let if_so = |so: bool, value: Option<Value>| value.filter(|_| so).unwrap_or_default();
    // A step that its run left open has no end of its own.
    let at = |at: u64| (at > 0).then(|| Value::from(timestamp(at)));
    let error = reason.map(|why| shorten(why).into());
    let all = [
        ("started_at", if_so(begun, at(step.history.began_at))),
        (
            "completed_at",
            if_so(begun && ended, at(step.history.ended_at)),
        ),
        ("executed_by", if_so(begun, performer(work, step))),
        ("output", if_so(mark == Some(StepMark::Done), output(step))),
        ("error", if_so(mark == Some(StepMark::Failed), error)),
        ("affected_files", if_so(begun && ended, files(step))),
    ];
    // Anything else at a step that has not ended is somebody's claim.
    let is_claim = matches!(mark, None | Some(StepMark::NotBegun));
    let ours = |(_, value): &(_, Value)| !is_claim || !value.is_null();
    all.into_iter().filter(ours).collect()
}

fn has_ended(mark: Option<StepMark>) -> bool {
    matches!(
        mark,
        Some(StepMark::Done | StepMark::Failed | StepMark::Skipped)
    )
}

/// Who did it: the agent's role, the tool, the person.
fn performer(work: &Work, step: &StepState) -> Option<Value> {
    let worked = step.attempts > 0;
    let name = match work {
        Work::Agent { role, .. } => worked.then(|| role.as_deref().unwrap_or("default")),
        Work::Tool { tool, .. } => worked.then_some(tool.as_str()),
        Work::Ask { .. } => step.attempt.accepted_by.as_deref(),
        Work::Check => None,
    };
    step.attempt
        .repaired_by
        .as_deref()
        .or(name)
        .map(Value::from)
}

/// What its agent said last, its tool gave or a person answered, as text.
fn output(step: &StepState) -> Option<Value> {
    let said = step.history.said.clone();
    let text = said.or_else(|| Some(value_text(step.values.output.as_ref()?)))?;
    let text = text.trim();
    (!text.is_empty()).then(|| shorten(text).into())
}

/// The files it changed, if somebody looked. Half of a long list would be wrong.
fn files(step: &StepState) -> Option<Value> {
    let files = step.changes.files.as_ref()?;
    let long = files.iter().map(|file| file.len() + 4).sum::<usize>() > LONGEST;
    (!long).then(|| json!(files))
}

/// What a toolplan says of a step.
fn result(step: &StepState, mark: Option<StepMark>, reason: Option<&str>) -> Fields {
    match mark {
        None | Some(StepMark::NotBegun) => return Vec::new(),
        Some(mark) if !has_ended(Some(mark)) => return vec![("result", Value::Null)],
        Some(_) => {}
    }
    let ok = mark == Some(StepMark::Done);
    let reason = reason.filter(|_| !ok);
    let members = [
        ("ok", Some(ok.into())),
        (
            "value",
            step.values
                .output
                .as_ref()
                .filter(|_| ok)
                .map(shallow_value),
        ),
        ("error", reason.map(|why| shorten(why).into())),
        ("duration", step.duration().map(Value::from)),
        (
            "timestamp",
            Some(step.history.ended_at)
                .filter(|at| *at > 0)
                .map(|at| timestamp(at).into()),
        ),
    ];
    let members = members
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    vec![("result", Value::Object(members.collect::<Map<_, _>>()))]
}

/// A value as it is; one that is long or deep as the beginning of its text.
fn shallow_value(value: &Value) -> Value {
    let text = value_text(value);
    if text.len() <= LONGEST && is_shallow(value, DEEPEST) {
        value.clone()
    } else {
        shorten(&text).into()
    }
}

fn is_shallow(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(items) => items.iter().all(|item| is_shallow(item, below)),
        Value::Object(members) => members.values().all(|member| is_shallow(member, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The beginning of a text that is long.
fn shorten(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(LONGEST - '…'.len_utf8());
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_or_deep_is_cut() {
        let long = "ä".repeat(LONGEST);
        let cut = shorten(&long);
        assert!(cut.len() <= LONGEST && cut.ends_with("ä…"), "{}", cut.len());
        assert_eq!(shorten("as it is"), "as it is");
        assert_eq!(shallow_value(&json!({"a": [1]})), json!({"a": [1]}));
        assert_eq!(
            shallow_value(&json!([long])),
            json!(shorten(&format!("[\"{long}\"]")))
        );
        let deep = (0..DEEPEST).fold(json!(1), |inner, _| json!([inner]));
        assert!(shallow_value(&deep).is_string());
    }

    #[test]
    fn marks_that_are_no_longer_true_are_taken_away() {
        let step = StepState {
            history: signoff_engine::History {
                began_at: 1,
                ended_at: 2,
                ended_before: true,
                worked: 0,
                said: Some("made".to_owned()),
            },
            ..StepState::default()
        };
        let names = |fields: Fields| {
            fields
                .into_iter()
                .filter(|(_, value)| value.is_null())
                .count()
        };
        assert_eq!(
            names(fields(&Work::Check, &step, Some(StepMark::None), None)),
            6
        );
        assert_eq!(fields(&Work::Check, &step, None, None), []);
        assert_eq!(
            result(&step, Some(StepMark::None), None),
            [("result", Value::Null)]
        );
        assert_eq!(result(&step, None, None), []);
    }
}
