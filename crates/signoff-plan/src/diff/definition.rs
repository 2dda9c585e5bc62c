//! What makes a step the same step: its work, its contract and its scopes.

use serde_json::{Map, Value};

use crate::digest::{Digest, canonical};
use crate::field::{FieldRole, FieldSpec, STEP};
use crate::model::{Depends, Plan, Step};

/// Members of a canonical step that define it and are not fields of their own.
const DEFINING: [&str; 3] = ["work", "contract", "unexpanded"];

/// The hash of what a step does, what decides that it is done, and what it may touch.
///
/// Title, position and dependencies are not part of it: a finished step stays finished when they
/// change, and is done anew when this does.
pub fn definition_hash(step: &Step) -> Digest {
    of_canonical(&canonical_step(step))
}

/// The hash of what a step asks for: its definition, and everything else that its agent is told. Whoever edits one of
/// these and runs the plan again wants the step done anew.
pub fn request_hash(step: &Step) -> Digest {
    members_hash(
        &canonical_step(step),
        defining().chain(fields(FieldRole::Told)),
    )
}

/// Do two versions of a step ask for the same?
pub fn asks_the_same(was: &Step, is: &Step) -> bool {
    // Usually nothing at all differs, which needs no hash.
    let asked = |field: &&FieldSpec<_, Step>| field.role != FieldRole::Schedules;
    let plainly = (&was.work, &was.contract) == (&is.work, &is.contract)
        && was.unexpanded == is.unexpanded
        && (STEP.iter().filter(asked)).all(|field| field.shape.value(was) == field.shape.value(is));
    plainly || request_hash(was) == request_hash(is)
}

/// The hash of everything that is said about a step, but for its name, its place and what it waits
/// for.
pub fn text_hash(step: &Step) -> Digest {
    let mut alone = canonical_step(step);
    if let Some(members) = alone.as_object_mut() {
        members.retain(|name, _| !matches!(name.as_str(), "id" | "title" | "depends_on"));
    }
    Digest::of_json(&alone)
}

/// A step in its canonical form, by itself.
fn canonical_step(step: &Step) -> Value {
    let alone = Plan {
        steps: vec![Step {
            // Positions of other steps mean nothing without them.
            depends_on: Depends::AllBefore,
            ..step.clone()
        }],
        ..Plan::default()
    };
    let canonical = canonical(&alone);
    let step = canonical.pointer("/steps/0");
    // A default here would make all steps equal.
    step.expect("the plan has one step").clone()
}

/// The same of a step in its canonical form.
pub(super) fn of_canonical(step: &Value) -> Digest {
    members_hash(step, defining())
}

fn defining() -> impl Iterator<Item = &'static str> {
    DEFINING.into_iter().chain(fields(FieldRole::Defines))
}

fn fields(role: FieldRole) -> impl Iterator<Item = &'static str> {
    let fields = STEP.iter().filter(move |field| field.role == role);
    fields.map(|field| field.name)
}

fn members_hash(step: &Value, names: impl Iterator<Item = &'static str>) -> Digest {
    let member = |name: &str| Some((name.to_owned(), step.get(name)?.clone()));
    let members: Map<String, Value> = names.filter_map(member).collect();
    Digest::of_json(&Value::Object(members))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field whose role changes makes finished steps of every plan look different.
    #[test]
    fn a_step_is_what_it_always_was() {
        let names = |role| fields(role).collect::<Vec<_>>().join(" ");
        assert_eq!(names(FieldRole::Defines), "produces protects tools");
        let told = "subscriptions acceptance subtasks instructions hint";
        assert_eq!(names(FieldRole::Told), told);
    }
}
