//! The fields of a plan.

use serde_json::json;

use super::normal::object;
use super::shape::Shape::{Budget, Id, Number, Prose, Scope, Sentences, Text};
use super::shape::{Field, Shape, Special, field, slot, unsigned};
use crate::draft::Draft;
use crate::model::Plan;

pub(crate) static PLAN: [Field<Draft, Plan>; 15] = [
    unsigned("id", Id(slot!(id))),
    field("title", Text(slot!(title))),
    field("task", Prose(slot!(task))),
    field("context", Prose(slot!(context))),
    unsigned("status", Text(slot!(status))),
    unsigned("version", Number(slot!(version), 0, None)),
    unsigned("owner", Text(slot!(owner))),
    unsigned("previous", Text(slot!(previous))),
    field("budget", Budget(slot!(budget))),
    unsigned("priority", Text(slot!(priority))),
    field("tools", Scope(slot!(tools))),
    field("constraints", Sentences(slot!(constraints))),
    field(
        "params",
        Shape::Special(Special {
            value: |plan| json!(plan.params),
            clear: |plan| plan.params.clear(),
            normal: object,
        }),
    ),
    field("risks", Sentences(slot!(risks))),
    field("executor_model", Text(slot!(executor_model))),
];
