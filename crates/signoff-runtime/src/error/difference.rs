//! What changed between the signed plan and terms and the present ones.

use std::collections::BTreeSet;

use serde_json::Value;
use signoff_plan::diff::{self, Change};

/// A difference, in the words people get to see.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SignedDifference {
    /// Changes of the plan itself.
    pub plan: Vec<Change>,
    /// Changes of what it runs under, in words: "PATH changed: …".
    pub terms: Vec<String>,
    /// The plan's file is gone or has errors now.
    pub broken: Option<String>,
}

impl SignedDifference {
    /// Compares what was signed with what is there now.
    pub fn compare(signed: (&Value, &Value), present: (&Value, &Value)) -> Self {
        Self {
            plan: diff::compare(signed.0, present.0),
            terms: changed_terms(signed.1, present.1),
            broken: None,
        }
    }

    /// Is there any?
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.terms.is_empty() && self.broken.is_none()
    }
}

/// What changed between two values of terms.
fn changed_terms(signed: &Value, present: &Value) -> Vec<String> {
    let mut leaves = Vec::new();
    let mut lines = Vec::new();
    for name in keys(signed, present) {
        let (before, after) = (signed.get(&name), present.get(&name));
        match name.as_str() {
            _ if before == after => {}
            "files" | "prompts" => lines.extend(files(before, after)),
            "path" => lines.push(search_path(before, after)),
            "tools" => lines.extend(tools(before, after)),
            "prompt" => lines.push(prompt(before, after)),
            "schema" => lines.push(format!(
                "this version signs other terms ({} → {}), so a signature from before holds no longer",
                display_value(before),
                display_value(after)
            )),
            _ => compare_leaves(&name, before, after, &mut leaves),
        }
    }
    let leaf = |(name, before, after)| format!("terms: {name}: {before} → {after}");
    leaves.into_iter().map(leaf).chain(lines).collect()
}

fn files(before: Option<&Value>, after: Option<&Value>) -> Vec<String> {
    let (none, mut lines) = (Value::Null, Vec::new());
    let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
    for name in keys(before, after) {
        let what = match (before.get(&name), after.get(&name)) {
            (before, after) if before == after => continue,
            (Some(_), Some(_)) => "changed since it was signed",
            (Some(_), None) => "was there when it was signed, and is gone",
            (None, _) => "was not covered when it was signed",
        };
        lines.push(format!("{name} {what}"));
    }
    lines
}

/// By name: how a tool is described is too long to compare by eye.
fn tools(before: Option<&Value>, after: Option<&Value>) -> Vec<String> {
    let none = Value::Null;
    let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
    let names = keys(before, after).into_iter();
    let differ = names.filter(|name| before.get(name) != after.get(name));
    let line = |name: String| match (before.get(&name), after.get(&name)) {
        (None, _) => format!("tool `{name}` was not known when it was signed"),
        (Some(_), None) => format!("tool `{name}` is no longer known"),
        (Some(_), Some(_)) => {
            format!("tool `{name}` is not described as it was when it was signed")
        }
    };
    differ.map(line).collect()
}

/// Names what came and went; the whole is too long to compare by eye.
fn search_path(before: Option<&Value>, after: Option<&Value>) -> String {
    let entries = |value: Option<&Value>| -> Option<Vec<String>> {
        let list = value?.as_array()?.iter();
        Some(list.filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let (before, after) = match (entries(before), entries(after)) {
        (Some(before), Some(after)) => (before, after),
        (None, Some(_)) => return "PATH was not covered when it was signed".to_owned(),
        (_, None) => return "PATH is no longer let through".to_owned(),
    };
    let missing = |from: &[String], of: &[String]| -> Vec<String> {
        let gone = of.iter().filter(|entry| !from.contains(entry));
        gone.map(|entry| format!("`{entry}`")).collect()
    };
    let (added, gone) = (missing(&before, &after), missing(&after, &before));
    let said = [("with", added), ("without", gone)];
    let parts: Vec<_> = said
        .iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(word, entries)| format!("{word} {}", entries.join(", ")))
        .collect();
    if parts.is_empty() {
        return "PATH changed: its directories are in another order".to_owned();
    }
    format!("PATH changed: it is now {}", parts.join(" and "))
}

fn prompt(before: Option<&Value>, after: Option<&Value>) -> String {
    let words = match (
        before.and_then(Value::as_str),
        after.and_then(Value::as_str),
    ) {
        (Some(_), Some(_)) => "the text around tasks in prompts changed with signoff's version",
        (None, _) => "prompts were not covered when it was signed",
        (Some(_), None) => "no step has a prompt now",
    };
    words.to_owned()
}

fn keys(left: &Value, right: &Value) -> BTreeSet<String> {
    let maps = [left, right].into_iter().filter_map(Value::as_object);
    maps.flat_map(serde_json::Map::keys).cloned().collect()
}

fn display_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

/// Goes down to the values that differ.
fn compare_leaves(
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<(String, String, String)>,
) {
    if before == after {
        return;
    }
    let is_map = |value: Option<&Value>| value.is_some_and(Value::is_object);
    if !is_map(before) && !is_map(after) {
        found.push((path.to_owned(), display_value(before), display_value(after)));
        return;
    }
    let none = Value::Null;
    for name in keys(before.unwrap_or(&none), after.unwrap_or(&none)) {
        let of = |value: Option<&'_ Value>| value.and_then(|map| map.get(&name)).cloned();
        let inner = format!("{path}.{name}");
        compare_leaves(&inner, of(before).as_ref(), of(after).as_ref(), found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(before: Value, after: Value, expected: &[&str]) {
        assert_eq!(changed_terms(&before, &after), expected);
    }

    #[test]
    fn settings_are_compared_leaf_by_leaf() {
        check(
            json!({"agents": {"coder": {"command": ["a"]}}, "contract": {"shell": "bash"}}),
            json!({"agents": {"coder": {"command": ["b"]}, "tester": {"driver": "command"}}, "contract": {"shell": "bash"}}),
            &[
                r#"terms: agents.coder.command: ["a"] → ["b"]"#,
                r#"terms: agents.tester.driver: nothing → "command""#,
            ],
        );
    }

    #[test]
    fn files_are_named_with_what_happened_to_them() {
        check(
            json!({"files": {"a.sh": "1", "b.sh": "1", "same": "1"}}),
            json!({"files": {"a.sh": "2", "c.sh": "1", "same": "1"}}),
            &[
                "a.sh changed since it was signed",
                "b.sh was there when it was signed, and is gone",
                "c.sh was not covered when it was signed",
            ],
        );
    }

    #[test]
    fn tools_are_named() {
        check(
            json!({"tools": {"a": "1", "b": "1", "same": "1"}}),
            json!({"tools": {"a": "2", "c": "1", "same": "1"}, "servers": {"s": {"command": ["x"]}}}),
            &[
                r#"terms: servers.s.command: nothing → ["x"]"#,
                "tool `a` is not described as it was when it was signed",
                "tool `b` is no longer known",
                "tool `c` was not known when it was signed",
            ],
        );
    }

    #[test]
    fn of_a_path_only_what_differs() {
        let path = |entries: &[&str]| json!({ "path": entries });
        check(
            path(&["/a", "/b"]),
            path(&["/c", "/a"]),
            &["PATH changed: it is now with `/c` and without `/b`"],
        );
        check(
            path(&["/a", "/b"]),
            path(&["/b", "/a"]),
            &["PATH changed: its directories are in another order"],
        );
        check(
            path(&["/a"]),
            json!({"path": null}),
            &["PATH is no longer let through"],
        );
    }

    #[test]
    fn a_signature_of_version_1_says_why_it_is_void() {
        check(
            json!({"schema": "signoff.terms/1"}),
            json!({"schema": "signoff.terms/2", "path": ["/a"], "prompt": "x", "files": {}}),
            &[
                "PATH was not covered when it was signed",
                "prompts were not covered when it was signed",
                r#"this version signs other terms ("signoff.terms/1" → "signoff.terms/2"), so a signature from before holds no longer"#,
            ],
        );
    }
}
