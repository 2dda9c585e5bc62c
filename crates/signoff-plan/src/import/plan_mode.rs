//! Markdown of any form, as plan modes write it: check boxes, headings with numbers, or lists.

use std::borrow::Cow;
use std::ops::Range;

use super::context::{context_around, heading_text, title_line};
use super::imported::{ImportedPlan, ImportedStep};
use super::lists::{ItemBlock, dedent, outermost_items};
use super::markdown::{MarkdownLine, lines};
use super::status::take_mark;
use super::step_headings::{
    announces, is_no_work, is_section, lines_below, numbered_headings, with_bold_headings,
    without_number,
};

/// What Codex writes around a plan.
const TAGS: [&str; 2] = ["<proposed_plan>", "</proposed_plan>"];

pub(super) fn read(name: &str, text: &str) -> ImportedPlan {
    let (text, notes) = without_tags(text);
    let lines = with_bold_headings(lines(&text));
    let title = title_line(&lines).filter(|at| !is_section(heading_text(&lines, *at)));
    let mut imported = ImportedPlan {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        notes,
        ..ImportedPlan::default()
    };
    let headings = numbered_headings(&lines, title);
    let (listed, what) = listed_steps(&lines, title);
    let boxes = check_boxes(&lines, headings.is_empty() && listed.is_empty());
    let inside = |block: &ItemBlock<'_>| {
        let step = headings.partition_point(|step| step.end <= block.start);
        headings
            .get(step)
            .is_some_and(|step| step.contains(&block.start))
    };
    let finer = boxes.iter().filter(|block| inside(block)).count() >= headings.len();
    let ranges = if !boxes.is_empty() && (headings.is_empty() || finer) {
        add_items(&mut imported, name, &lines, &boxes, "check boxes")
    } else if !headings.is_empty() {
        add_headings(&mut imported, &lines, &headings)
    } else {
        add_items(&mut imported, name, &lines, &listed, what)
    };
    let surroundings = context_around(&lines, &ranges, title);
    imported.add_context(&surroundings.text);
    for (step, part) in imported.steps.iter_mut().zip(surroundings.parts) {
        add_part(step, part);
    }
    imported
}

/// The text without the tags that Codex writes around a plan, with the same lines.
fn without_tags(text: &str) -> (Cow<'_, str>, Vec<String>) {
    let [open, close] = TAGS;
    let tagged = text.lines().any(|line| line.trim_start().starts_with(open));
    if !tagged {
        return (Cow::Borrowed(text), Vec::new());
    }
    let line = |line: &str| {
        if line.trim_start().starts_with(open) || line.trim_end().ends_with(close) {
            line.replacen(open, "", 1).replacen(close, "", 1)
        } else {
            line.to_owned()
        }
    };
    let plan: String = text.split_inclusive('\n').map(line).collect();
    let note = format!("`{open}` and `{close}` around the plan are left away");
    (Cow::Owned(plan), vec![note])
}

/// Check boxes, without those of a section about something else, such as what is out of scope: unless there are no others
/// and no other steps.
fn check_boxes<'s>(lines: &[MarkdownLine<'s>], only_these: bool) -> Vec<ItemBlock<'s>> {
    let other = lines_below(lines, |_, text| is_no_work(text));
    let is_other = |at: usize| other.get(at).copied().unwrap_or(false);
    let boxes = outermost_items(lines, |at, item| item.mark.is_some() && !is_other(at));
    if boxes.is_empty() && only_these {
        return outermost_items(lines, |_, item| item.mark.is_some());
    }
    boxes
}

/// Says in the task of a step what it is part of.
pub(super) fn add_part(step: &mut ImportedStep, part: Option<String>) {
    if let Some(part) = part {
        step.task = format!("{}\n\nPart of: {part}", step.task);
    }
}

/// Makes a step of each item.
pub(super) fn add_items(
    imported: &mut ImportedPlan,
    name: &str,
    lines: &[MarkdownLine<'_>],
    items: &[ItemBlock<'_>],
    what: &str,
) -> Vec<Range<usize>> {
    if !items.is_empty() {
        imported.note(format!("the steps are its {what}, one after the other"));
    }
    for block in items {
        let mut step = ImportedStep {
            title: block.item.text.to_owned(),
            task: block.text.clone(),
            ..ImportedStep::default()
        };
        let number = lines.get(block.start).map(|line| line.number);
        imported
            .losses
            .extend(take_mark(&mut step, &block.item, name, number));
        imported.steps.push(step);
    }
    items.iter().map(|block| block.start..block.end).collect()
}

fn add_headings(
    imported: &mut ImportedPlan,
    lines: &[MarkdownLine<'_>],
    headings: &[Range<usize>],
) -> Vec<Range<usize>> {
    imported.note("the steps are its headings with numbers, one after the other");
    for (at, section) in headings.iter().enumerate() {
        let heading = heading_text(lines, section.start);
        let title = without_number(heading, at + 1);
        let body = lines
            .get(section.start + 1..section.end)
            .unwrap_or_default();
        let body = dedent(body);
        let task = if body.is_empty() {
            title.to_owned()
        } else {
            format!("{title}\n\n{body}")
        };
        imported.steps.push(ImportedStep {
            title: title.to_owned(),
            task,
            ..ImportedStep::default()
        });
    }
    headings.to_vec()
}

/// Items of lists that are steps, and what they are.
fn listed_steps<'s>(
    lines: &[MarkdownLine<'s>],
    title: Option<usize>,
) -> (Vec<ItemBlock<'s>>, &'static str) {
    // The title of a plan announces nothing.
    let announced = lines_below(lines, |at, text| title != Some(at) && announces(text));
    let is_announced = |at: usize| announced.get(at).copied().unwrap_or(false);
    let numbered = outermost_items(lines, |at, item| item.numbered && is_announced(at));
    if !numbered.is_empty() {
        return (numbered, "numbered items");
    }
    let bullets = outermost_items(lines, |at, _| is_announced(at));
    if !bullets.is_empty() {
        return (bullets, "list items");
    }
    (
        outermost_items(lines, |_, item| item.numbered),
        "numbered items",
    )
}
