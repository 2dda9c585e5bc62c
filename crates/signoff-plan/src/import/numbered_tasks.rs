//! Check boxes with numbers, as Kiro and `OpenSpec` have them: `- [ ] 2.1 what to do`.
//!
//! A task with tasks of its own is done by doing these: it is not a step, and its tasks say what they are part of.

use super::context::{context_around, heading_text, title_line};
use super::imported::{ImportedPlan, ImportedStep};
use super::lists::{ItemBlock, all_items, block, outermost_items};
use super::markdown::{MarkdownLine, lines};
use super::plan_mode::add_part;
use super::status::take_mark;

pub(super) fn read(name: &str, text: &str) -> ImportedPlan {
    let lines = lines(text);
    let title = title_line(&lines);
    let mut imported = ImportedPlan {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        ..ImportedPlan::default()
    };
    let numbered = all_items(&lines, |item| {
        item.mark.is_some() && number(item.text).is_some()
    });
    let blocks = if numbered.is_empty() {
        outermost_items(&lines, |_, item| item.mark.is_some())
    } else {
        with_unnumbered(&lines, numbered)
    };
    let (groups, tasks): (Vec<_>, Vec<_>) = (blocks.iter().enumerate())
        .partition(|(at, block)| is_group(block, blocks.get(at + 1), &lines));
    let ranges: Vec<_> = tasks
        .iter()
        .map(|(_, block)| block.start..block.end)
        .collect();
    let surroundings = context_around(&lines, &ranges, title);
    for ((at, block), part) in tasks.into_iter().zip(surroundings.parts) {
        let mut parents = groups.iter().filter(|(group, _)| *group < at);
        let parent = parents.rfind(|(_, group)| is_below(block, group, &lines));
        let parent = parent.map(|(_, group)| group.item.text);
        let part = [part.as_deref(), parent]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" › ");
        let mut step = found_step(block);
        add_part(&mut step, (!part.is_empty()).then_some(part));
        let line = lines.get(block.start).map(|line| line.number);
        imported
            .losses
            .extend(take_mark(&mut step, &block.item, name, line));
        imported.steps.push(step);
    }
    for (_, group) in &groups {
        let line = lines.get(group.start).map(|line| line.number);
        let mut step = ImportedStep::default();
        imported
            .losses
            .extend(take_mark(&mut step, &group.item, name, line));
    }
    imported.add_context(&surroundings.text);
    if !groups.is_empty() {
        imported
            .note("tasks that have tasks of their own are not steps; their text is in the context");
    }
    imported
}

/// Check boxes without a number that belong to no task are tasks too.
fn with_unnumbered<'s>(
    lines: &[MarkdownLine<'s>],
    numbered: Vec<ItemBlock<'s>>,
) -> Vec<ItemBlock<'s>> {
    let mut taken = vec![false; lines.len()];
    for at in numbered.iter().flat_map(|task| task.start..task.end) {
        taken
            .get_mut(at)
            .into_iter()
            .for_each(|taken| *taken = true);
    }
    let mut all = outermost_items(lines, |at, item| {
        item.mark.is_some() && taken.get(at) == Some(&false)
    });
    for task in &mut all {
        // It ends where a task with a number begins.
        let next = numbered.partition_point(|other| other.start <= task.start);
        let next = numbered.get(next).map_or(task.end, |other| other.start);
        if next < task.end {
            *task = block(lines, task.start, next, task.item);
        }
    }
    all.extend(numbered);
    all.sort_by_key(|block| block.start);
    all
}

fn found_step(block: &ItemBlock<'_>) -> ImportedStep {
    let number = number(block.item.text);
    let text = number.map_or(block.item.text, |(_, rest)| rest);
    ImportedStep {
        name: number.map(|(number, _)| number.to_owned()),
        title: text.to_owned(),
        task: block.text.replacen(block.item.text, text, 1),
        ..ImportedStep::default()
    }
}

/// The number of a task, as in `2.`, `2.1` or `2.1.`, and the text behind it.
fn number(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let number = first.trim_end_matches(['.', ')', ':']);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // `3 files` is a text, `3. files` is not.
    let marked = number.len() < first.len() || number.contains('.');
    let rest = rest.trim_start();
    (marked && number.split('.').all(digits) && !rest.is_empty()).then_some((number, rest))
}

/// Whether the next task is one of this task's own.
fn is_group(
    block: &ItemBlock<'_>,
    next: Option<&ItemBlock<'_>>,
    lines: &[MarkdownLine<'_>],
) -> bool {
    next.is_some_and(|next| is_below(next, block, lines))
}

/// Whether a task belongs to another one: by its number, or where there is none by its indentation.
fn is_below(block: &ItemBlock<'_>, group: &ItemBlock<'_>, lines: &[MarkdownLine<'_>]) -> bool {
    match (number(block.item.text), number(group.item.text)) {
        (Some((number, _)), Some((above, _))) => {
            let rest = number.strip_prefix(above);
            rest.is_some_and(|rest| rest.starts_with('.'))
        }
        _ => {
            let indent =
                |block: &ItemBlock<'_>| lines.get(block.start).map_or(0, |line| line.indent);
            indent(block) > indent(group) && number(group.item.text).is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_text() {
        assert_eq!(number("1. Set up"), Some(("1", "Set up")));
        assert_eq!(number("2.10 Add"), Some(("2.10", "Add")));
        assert_eq!(number("2.1. Add"), Some(("2.1", "Add")));
        assert_eq!(number("3 files"), None);
        assert_eq!(number("1."), None);
        assert_eq!(number("v1.2 x"), None);
    }
}
