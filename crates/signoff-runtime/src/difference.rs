//! What changed between the signed plan and terms and the present ones.

use serde_json::Value;
use signoff_plan::diff::{self, Change};

/// A difference, in the words people get to see.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// Changes of the plan itself.
    pub plan: Vec<Change>,
    /// Changes of what it runs under: path, before, after.
    pub terms: Vec<(String, Option<String>, Option<String>)>,
    /// The plan's file is gone or has errors now.
    pub broken: Option<String>,
}

impl Difference {
    /// Compares what was signed with what is there now.
    pub fn between(signed: (&Value, &Value), present: (&Value, &Value)) -> Self {
        let mut terms = Vec::new();
        compare_leaves("", Some(signed.1), Some(present.1), &mut terms);
        Self {
            plan: diff::compare(signed.0, present.0),
            terms,
            broken: None,
        }
    }

    /// Is there any?
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.terms.is_empty() && self.broken.is_none()
    }
}

fn compare_leaves(
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<(String, Option<String>, Option<String>)>,
) {
    if before == after {
        return;
    }
    let (left, right) = (
        before.and_then(Value::as_object),
        after.and_then(Value::as_object),
    );
    if left.is_none() && right.is_none() {
        found.push((
            path.to_owned(),
            before.map(Value::to_string),
            after.map(Value::to_string),
        ));
        return;
    }
    let names: std::collections::BTreeSet<&String> = left
        .into_iter()
        .chain(right)
        .flat_map(serde_json::Map::keys)
        .collect();
    for name in names {
        let inner = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        compare_leaves(
            &inner,
            left.and_then(|map| map.get(name)),
            right.and_then(|map| map.get(name)),
            found,
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn terms_are_compared_leaf_by_leaf() {
        let mut found = Vec::new();
        let before =
            json!({"agents": {"coder": {"command": ["a"]}}, "contract": {"shell": "bash"}});
        let after = json!({"agents": {"coder": {"command": ["b"]}, "tester": {"driver": "command"}}, "contract": {"shell": "bash"}});
        compare_leaves("", Some(&before), Some(&after), &mut found);
        assert_eq!(
            found,
            [
                (
                    "agents.coder.command".to_owned(),
                    Some("[\"a\"]".to_owned()),
                    Some("[\"b\"]".to_owned())
                ),
                (
                    "agents.tester.driver".to_owned(),
                    None,
                    Some("\"command\"".to_owned())
                ),
            ]
        );
    }
}
