//! Which items of a loop an earlier run had. Only this file decides it.

use serde_json::Value;
use signoff_plan::diff::request_hash;
use signoff_plan::model::{Step, Work};

use crate::event::{EarlierItem, EarlierStep};

/// An item of a loop, and what is to be done with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewItem<'a> {
    pub(crate) value: &'a Value,
    pub(crate) step: &'a Step,
}

/// How alike two items are, the best first.
const ALIKE: [fn(&Comparison<'_>) -> bool; 3] = [
    |pair| pair.is_same_value() && pair.is_same_request(),
    |pair| pair.is_same_value(),
    // Another item may still mean the same call.
    |pair| pair.is_same_call(),
];

/// For each item, its match among the earlier items, wherever that stood in its list. Each earlier item is matched
/// once.
pub(crate) fn match_items(items: &[NewItem<'_>], known: &[&EarlierStep]) -> Vec<Option<usize>> {
    let requests: Vec<String> = items
        .iter()
        .map(|item| request_hash(item.step).to_string())
        .collect();
    let mut found = vec![None; items.len()];
    let mut free: Vec<usize> = (0..known.len()).collect();
    for is_alike in ALIKE {
        for ((item, request), slot) in items.iter().zip(&requests).zip(&mut found) {
            if slot.is_some() {
                continue;
            }
            let fits = |at: &usize| {
                known.get(*at).is_some_and(|earlier| {
                    is_alike(&Comparison {
                        item,
                        request,
                        earlier,
                    })
                })
            };
            if let Some(place) = free.iter().position(fits) {
                *slot = Some(free.remove(place));
            }
        }
    }
    found
}

/// An item and an earlier one.
struct Comparison<'a> {
    item: &'a NewItem<'a>,
    request: &'a str,
    earlier: &'a EarlierStep,
}

impl Comparison<'_> {
    fn earlier_item(&self) -> Option<&EarlierItem> {
        self.earlier.item.as_ref()
    }

    fn is_same_value(&self) -> bool {
        self.earlier_item()
            .is_some_and(|was| was.value == *self.item.value)
    }

    fn is_same_request(&self) -> bool {
        self.earlier_item()
            .is_some_and(|was| was.request == self.request)
    }

    fn is_same_call(&self) -> bool {
        let made = self.earlier.call.as_ref();
        match &self.item.step.work {
            Work::Tool { tool, args } => {
                made.is_some_and(|made| made.tool == *tool && made.args == *args)
            }
            Work::Agent { .. } | Work::Ask { .. } | Work::Check => false,
        }
    }
}
