//! The fields of a plan.

use serde_json::json;

use super::normal::object;
use super::shape::Shape::{Budget, Number, Scope, Sentences, Text};
use super::shape::{Field, Shape, Special, Style, field, slot, unsigned};
use crate::draft::Draft;
use crate::model::Plan;

pub(crate) static PLAN: [Field<Draft, Plan>; 15] = [
    unsigned("id", Text(slot!(id), Style::Id)),
    field("title", Text(slot!(title), Style::Line)),
    field("task", Text(slot!(task), Style::Prose)),
    field("context", Text(slot!(context), Style::Prose)),
    unsigned("status", Text(slot!(status), Style::Line)),
    unsigned("version", Number(slot!(version), 0, None)),
    unsigned("owner", Text(slot!(owner), Style::Line)),
    unsigned("previous", Text(slot!(previous), Style::Line)),
    field("budget", Budget(slot!(budget))),
    unsigned("priority", Text(slot!(priority), Style::Line)),
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
    field("executor_model", Text(slot!(executor_model), Style::Line)),
];
