//! What makes a step the same step: its work, its contract and its scopes.

use serde_json::{Map, Value};

use crate::digest::{Digest, canonical};
use crate::model::{Depends, Plan, Step};

/// Members of a canonical step that define it.
const DEFINING: [&str; 6] = [
    "work",
    "contract",
    "tools",
    "produces",
    "protects",
    "unexpanded",
];

/// Members that shape what an agent is told beside its task.
const TOLD: [&str; 5] = [
    "subscriptions",
    "acceptance",
    "subtasks",
    "instructions",
    "hint",
];

/// The hash of what a step does, what decides that it is done, and what it may touch.
///
/// Title, position and dependencies are no part of it: a finished step stays finished when they
/// change, and is done anew when this does.
pub fn definition_hash(step: &Step) -> Digest {
    of_canonical(&alone(step))
}

/// The hash of what a step asks for: its definition, and everything else that its agent is told. Whoever edits one of
/// these and runs the plan again wants the step done anew.
pub fn request_hash(step: &Step) -> Digest {
    members_hash(&alone(step), DEFINING.iter().chain(&TOLD))
}

/// Do two versions of a step ask for the same?
pub fn asks_the_same(was: &Step, is: &Step) -> bool {
    // Usually nothing at all differs, which needs no hash.
    let plainly = (&was.work, &was.contract, &was.tools) == (&is.work, &is.contract, &is.tools)
        && (&was.produces, &was.protects) == (&is.produces, &is.protects)
        && (&was.subscriptions, &was.acceptance) == (&is.subscriptions, &is.acceptance)
        && (&was.subtasks, &was.instructions) == (&is.subtasks, &is.instructions)
        && (&was.hint, &was.unexpanded) == (&is.hint, &is.unexpanded);
    plainly || request_hash(was) == request_hash(is)
}

/// The hash of everything that is said about a step, but for its name, its place and what it waits
/// for.
pub fn text_hash(step: &Step) -> Digest {
    let mut alone = alone(step);
    if let Some(members) = alone.as_object_mut() {
        members.retain(|name, _| !matches!(name.as_str(), "id" | "title" | "depends_on"));
    }
    Digest::of_json(&alone)
}

/// A step in its canonical form, by itself.
fn alone(step: &Step) -> Value {
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
    members_hash(step, DEFINING.iter())
}

fn members_hash<'n>(step: &Value, names: impl Iterator<Item = &'n &'n str>) -> Digest {
    let member = |name: &str| Some((name.to_owned(), step.get(name)?.clone()));
    let members: Map<String, Value> = names.filter_map(|name| member(name)).collect();
    Digest::of_json(&Value::Object(members))
}
