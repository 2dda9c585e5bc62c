//! The fields of a contract.

use serde_json::json;

use super::normalize::{command, conditions, text};
use super::shape::Shape::{Duration, Flag, Switch};
use super::shape::{CustomField, FieldSpec, Shape, field, slot};
use crate::draft;
use crate::model::{Condition, Contract};
use crate::spelling::words;

pub(crate) static CONTRACT: [FieldSpec<draft::DraftContract, Contract>; 7] = [
    field(
        "contract.command",
        Shape::Custom(CustomField {
            value: |contract| json!(contract.command),
            clear: |contract| contract.command.clear(),
            normalize: command,
        }),
    ),
    field(
        "contract.shell",
        Shape::Custom(CustomField {
            value: |contract| json!(contract.shell),
            clear: |contract| contract.shell = None,
            normalize: text,
        }),
    ),
    field(
        "contract.expect",
        Shape::Custom(CustomField {
            value: |contract| contract.expect.iter().map(ToString::to_string).collect(),
            clear: |contract| contract.expect = vec![Condition::DEFAULT],
            normalize: conditions,
        }),
    ),
    field("contract.timeout", Duration(slot!(timeout))),
    field(
        "contract.baseline",
        Flag(slot!(baseline), true, &words::YES_OR_NO),
    ),
    field(
        "contract.fewer_tests",
        Switch(slot!(fewer_tests, fewer_tests_allowed), &words::FEWER_TESTS),
    ),
    field(
        "contract.holds",
        Switch(slot!(holds, holds_once), &words::HOLDS),
    ),
];

/// Clears a field; a contract without fields disappears.
pub(super) fn clear(
    slot: &mut Option<Contract>,
    field: &'static FieldSpec<draft::DraftContract, Contract>,
) {
    if let Some(contract) = slot {
        field.shape.clear(contract);
        if *contract == Contract::new(String::new()) {
            *slot = None;
        }
    }
}
