//! What makes a step the same step: its work, its contract and its scopes.

use serde_json::{Map, Value};

use crate::digest::{Digest, canonical};
use crate::model::{Depends, Plan, Step};

/// Members of a canonical step that define it.
const DEFINING: [&str; 5] = ["work", "contract", "tools", "produces", "protects"];

/// The hash of what a step does, what decides that it is done, and what it may touch.
///
/// Title, position and dependencies are no part of it: a finished step stays finished when they
/// change, and is done anew when this does.
pub fn definition_hash(step: &Step) -> Digest {
    of_canonical(&alone(step))
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
    let member = |name: &str| Some((name.to_owned(), step.get(name)?.clone()));
    let members: Map<String, Value> = DEFINING.iter().filter_map(|name| member(name)).collect();
    Digest::of_json(&Value::Object(members))
}
