//! The fields of a step, without its id, its work and its contract.

use serde_json::{Value, json};

use super::normalize::hint;
use super::shape::Shape::{
    Budget, Choice, Duration, Flag, Names, Number, Policy, References, Scope, Sentences, Text,
};
use super::shape::{CustomField, FieldSpec, Shape, TextStyle, as_told, defines, field, slot};
use crate::draft;
use crate::model::Step;
use crate::spelling::words;

pub(crate) static STEP: [FieldSpec<draft::DraftStep, Step>; 19] = [
    field("on_fail", Policy(slot!(on_fail))),
    as_told(field("subscriptions", References(slot!(subscriptions)))),
    defines(field("produces", Names(slot!(produces)))),
    defines(field("protects", Names(slot!(protects)))),
    defines(field("tools", Scope(slot!(tools)))),
    field("approval", Flag(slot!(approval), false, &words::APPROVAL)),
    field("when", Text(slot!(when), TextStyle::Word)),
    field("for_each", Text(slot!(for_each), TextStyle::Line)),
    field(
        "max_items",
        Number(slot!(max_items), 1, Some(Step::MAX_ITEMS)),
    ),
    field("timeout", Duration(slot!(timeout))),
    field("budget", Budget(slot!(budget))),
    field("critical", Flag(slot!(critical), true, &words::YES_OR_NO)),
    field("locks", Names(slot!(locks))),
    field("isolation", Choice(slot!(isolation), &words::ISOLATION)),
    field("reviewer", Text(slot!(reviewer), TextStyle::Word)),
    as_told(field("acceptance", Sentences(slot!(acceptance)))),
    as_told(field("subtasks", Sentences(slot!(subtasks)))),
    as_told(field(
        "instructions",
        Text(slot!(instructions), TextStyle::Prose),
    )),
    as_told(field(
        "hint",
        Shape::Custom(CustomField {
            value: |step| match &step.hint {
                Some(hint) => {
                    json!({"tool": hint.tool, "operation": hint.operation, "target": hint.target})
                }
                None => Value::Null,
            },
            clear: |step| step.hint = None,
            normalize: hint,
        }),
    )),
];
