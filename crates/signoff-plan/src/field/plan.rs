//! The fields of a plan.

use serde_json::json;

use super::normalize::object;
use super::shape::Shape::{Budget, Choice, Names, Number, Scope, Sentences, Text};
use super::shape::{CustomField, FieldSpec, Shape, TextStyle, as_unsigned, field, slot};
use crate::draft::Draft;
use crate::model::Plan;
use crate::spelling::words;

pub(crate) static PLAN: [FieldSpec<Draft, Plan>; 17] = [
    as_unsigned("id", Text(slot!(id), TextStyle::Id)),
    field("title", Text(slot!(title), TextStyle::Line)),
    field("task", Text(slot!(task), TextStyle::Prose)),
    field("context", Text(slot!(context), TextStyle::Prose)),
    as_unsigned("status", Text(slot!(status), TextStyle::Line)),
    as_unsigned("version", Number(slot!(version), 0, None)),
    as_unsigned("owner", Text(slot!(owner), TextStyle::Line)),
    as_unsigned("previous", Text(slot!(previous), TextStyle::Line)),
    field("budget", Budget(slot!(budget))),
    as_unsigned("priority", Text(slot!(priority), TextStyle::Line)),
    field("tools", Scope(slot!(tools))),
    field("constraints", Sentences(slot!(constraints))),
    field(
        "params",
        Shape::Custom(CustomField {
            value: |plan| json!(plan.params),
            clear: |plan| plan.params.clear(),
            normalize: object,
        }),
    ),
    field("risks", Sentences(slot!(risks))),
    field(
        "executor_model",
        Text(slot!(executor_model), TextStyle::Line),
    ),
    field(
        "approval_required_from",
        Names(slot!(approval_required_from)),
    ),
    field("briefing", Choice(slot!(briefing), &words::BRIEFING)),
];
