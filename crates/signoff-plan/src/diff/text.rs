//! Differences as lines that leave nothing out, for a person who is about to sign them.

use super::Change;

/// Every difference in full, below the step or the plan that it is about. Lines of what went begin with `-`, of what came
/// with `+`.
pub fn full_lines(changes: &[Change]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current: Option<&Option<String>> = None;
    for change in changes {
        if current != Some(&change.step) && change.field != "step" {
            lines.push(match &change.step {
                Some(step) => format!("step {step}"),
                None => "plan".to_owned(),
            });
        }
        current = Some(&change.step);
        lines.extend(lines_of(change));
    }
    lines
}

fn lines_of(change: &Change) -> Vec<String> {
    let step = change.step.as_deref().unwrap_or_default();
    match (change.field.as_str(), &change.before, &change.after) {
        ("step", None, Some(title)) => vec![format!("+ step {step}: {title}")],
        ("step", Some(title), _) => vec![format!("- step {step}: {title}")],
        ("position", Some(before), Some(after)) => {
            vec![format!("  moved from position {before} to {after}")]
        }
        (field, before, after) => {
            let mut lines = vec![format!("  {field}")];
            for (sign, text) in [('-', before), ('+', after)] {
                let of_text = text.iter().flat_map(|text| text.lines());
                lines.extend(of_text.map(|line| format!("    {sign} {line}")));
            }
            lines
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diff::compare;

    #[test]
    fn a_new_step_is_shown_with_all_that_it_asks_for() {
        let long = "x".repeat(200);
        let before = json!({"title": "A", "steps": [
            {"id": "a", "title": "A", "work": {"kind": "agent", "task": "one\ntwo"}},
            {"id": "b", "title": "B"}]});
        let after = json!({"title": "B", "steps": [
            {"id": "a", "title": "A", "work": {"kind": "agent", "task": "one\nthree"}},
            {"id": "n", "title": "New", "work": {"kind": "agent", "role": "coder", "task": format!("do\n{long}")},
             "contract": {"command": "make\nmake test"}, "tools": ["bash", "read_file"], "isolation": "shared",
             "on_fail": {"retries": 0, "then": "skip"}}]});
        let long = format!("    + {long}");
        let expected = [
            "plan",
            "  title",
            "    - A",
            "    + B",
            "step a",
            "  work.task",
            "    - two",
            "    + three",
            "+ step n: New",
            "  contract.command",
            "    + make",
            "    + make test",
            "  contract.expect",
            "    + exit_code == 0",
            "  isolation",
            "    + shared",
            "  on_fail",
            "    + skip",
            "  tools",
            "    + bash",
            "    + read_file",
            "  work.kind",
            "    + agent",
            "  work.role",
            "    + coder",
            "  work.task",
            "    + do",
            &long,
            "- step b: B",
        ];
        assert_eq!(full_lines(&compare(&before, &after)), expected);
    }
}
