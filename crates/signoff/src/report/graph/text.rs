//! The graph as Mermaid and Graphviz text.

use std::fmt::Write as _;

use signoff_plan::model::{Plan, Step, Work};

use super::{RunProgress, heading, remark};
use crate::report::graph::layout::StepGraph;
use crate::style::sanitize;

/// For a fenced block `mermaid`.
pub(crate) fn mermaid(
    plan: &Plan,
    graph: &StepGraph,
    progress: Option<&RunProgress<'_>>,
) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for step in &plan.steps {
        let label = format!(
            "{}<br/><small>{}</small>",
            label(&heading(step)),
            label(&remark(step, progress))
        );
        let (open, close) = match step.work {
            Work::Agent { .. } => ("[\"", "\"]"),
            Work::Tool { .. } => ("[[\"", "\"]]"),
            Work::Ask { .. } => ("([\"", "\"])"),
            Work::Check => ("{{\"", "\"}}"),
        };
        let _ = writeln!(text, "  {}{open}{label}{close}", name(step));
    }
    for (before, after, backward) in edges(plan, graph) {
        let arrow = if backward { "-. cycle .->" } else { "-->" };
        let _ = writeln!(text, "  {} {arrow} {}", name(before), name(after));
    }
    text
}

/// Mermaid reads entities, written with `#`, and would read HTML.
fn label(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '"' => safe.push_str("#quot;"),
            '<' => safe.push_str("#lt;"),
            '>' => safe.push_str("#gt;"),
            '&' => safe.push_str("#amp;"),
            '#' => safe.push_str("#35;"),
            // Markdown would make lists and styles of these.
            '`' => safe.push_str("#96;"),
            '*' => safe.push_str("#42;"),
            '_' => safe.push_str("#95;"),
            '\\' => safe.push_str("#92;"),
            // A label that begins `1. ` would be a list.
            '.' => safe.push_str("#46;"),
            other => safe.push(other),
        }
    }
    safe
}

/// For `dot -Tsvg`.
pub(crate) fn dot(plan: &Plan, graph: &StepGraph, progress: Option<&RunProgress<'_>>) -> String {
    let mut text = "digraph plan {\n".to_owned();
    let _ = writeln!(
        text,
        "  label={};",
        dot_quote(&sanitize(plan.display_title()))
    );
    text.push_str("  labelloc=t;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    for step in &plan.steps {
        let shape = match step.work {
            Work::Agent { .. } => "box",
            Work::Tool { .. } => "component",
            Work::Ask { .. } => "ellipse",
            Work::Check => "hexagon",
        };
        let _ = writeln!(
            text,
            "  {} [label={}, shape={shape}, tooltip={}];",
            name(step),
            dot_quote(&format!("{}\n{}", heading(step), remark(step, progress))),
            dot_quote(&sanitize(&step.id)),
        );
    }
    for (before, after, backward) in edges(plan, graph) {
        let style = if backward {
            " [style=dashed, color=red]"
        } else {
            ""
        };
        let _ = writeln!(text, "  {} -> {}{style};", name(before), name(after));
    }
    text.push_str("}\n");
    text
}

/// A string of the DOT language.
fn dot_quote(text: &str) -> String {
    let inner = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{inner}\"")
}

/// The node's name: a number, because ids may be keywords of these languages.
fn name(step: &Step) -> String {
    format!("s{}", step.number)
}

/// The edges between steps, and whether each closes a cycle.
fn edges<'a>(
    plan: &'a Plan,
    graph: &'a StepGraph,
) -> impl Iterator<Item = (&'a Step, &'a Step, bool)> + 'a {
    let forward = graph
        .dependencies
        .iter()
        .enumerate()
        .flat_map(|(step, before)| before.iter().map(move |other| (*other, step, false)));
    let backward = graph
        .backward
        .iter()
        .map(|(step, before)| (*before, *step, true));
    forward
        .chain(backward)
        .filter_map(|(before, after, backward)| {
            Some((plan.steps.get(before)?, plan.steps.get(after)?, backward))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_title_is_markup() {
        assert_eq!(
            label("1. Say \"hi\" <b> #1"),
            "1#46; Say #quot;hi#quot; #lt;b#gt; #35;1"
        );
        assert_eq!(dot_quote("a\"\\\nb"), "\"a\\\"\\\\\\nb\"");
    }
}
