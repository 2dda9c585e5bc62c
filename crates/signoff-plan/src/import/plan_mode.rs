//! Markdown of any form, as plan modes write it: check boxes, headings with numbers, or lists.

use std::ops::Range;

use super::context::{around, heading_text, title_line};
use super::lists::{ItemBlock, dedented, outermost};
use super::markdown::{MarkdownLine, lines};
use super::material::{FoundStep, Material};
use super::status::marked;

/// Words of headings below which a list is a list of steps.
const STEPS: [&str; 7] = [
    "step",
    "task",
    "todo",
    "to-do",
    "change",
    "implementation",
    "plan",
];

/// Words of headings below which it is not, whatever else they say.
const NO_STEPS: [&str; 12] = [
    "test",
    "verif",
    "assum",
    "risk",
    "scope",
    "question",
    "context",
    "summary",
    "goal",
    "criteria",
    "background",
    "note",
];

/// What Codex writes around a plan.
const TAGS: [&str; 2] = ["<proposed_plan>", "</proposed_plan>"];

pub(super) fn read(name: &str, text: &str) -> Material {
    if text.trim_start().starts_with(TAGS[0]) {
        // Line numbers stay.
        let plan = TAGS
            .iter()
            .fold(text.to_owned(), |text, tag| text.replacen(tag, "", 1));
        let mut material = read(name, &plan);
        material.note(format!(
            "`{}` and `{}` around the plan are left away",
            TAGS[0], TAGS[1]
        ));
        return material;
    }
    let lines = lines(text);
    let title = title_line(&lines);
    let mut material = Material {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        ..Material::default()
    };
    let headings = numbered_headings(&lines);
    let boxes = outermost(&lines, |_, item| item.mark.is_some());
    let inside = |block: &ItemBlock<'_>| {
        let step = headings.partition_point(|step| step.end <= block.start);
        headings
            .get(step)
            .is_some_and(|step| step.contains(&block.start))
    };
    let finer = boxes.iter().filter(|block| inside(block)).count() >= headings.len();
    let ranges = if !boxes.is_empty() && (headings.is_empty() || finer) {
        add_items(&mut material, name, &lines, &boxes, "check boxes")
    } else if !headings.is_empty() {
        add_headings(&mut material, &lines, &headings)
    } else {
        let (items, what) = listed(&lines);
        add_items(&mut material, name, &lines, &items, what)
    };
    let surroundings = around(&lines, &ranges, title);
    material.add_context(&surroundings.text);
    for (step, part) in material.steps.iter_mut().zip(surroundings.parts) {
        add_part(step, part);
    }
    material
}

/// Says in the task of a step what it is part of.
pub(super) fn add_part(step: &mut FoundStep, part: Option<String>) {
    if let Some(part) = part {
        step.task = format!("{}\n\nPart of: {part}", step.task);
    }
}

/// Makes a step of each item.
pub(super) fn add_items(
    material: &mut Material,
    name: &str,
    lines: &[MarkdownLine<'_>],
    items: &[ItemBlock<'_>],
    what: &str,
) -> Vec<Range<usize>> {
    if !items.is_empty() {
        material.note(format!("the steps are its {what}, one after the other"));
    }
    for block in items {
        let mut step = FoundStep {
            title: block.item.text.to_owned(),
            task: block.text.clone(),
            ..FoundStep::default()
        };
        let number = lines.get(block.start).map(|line| line.number);
        material
            .losses
            .extend(marked(&mut step, &block.item, name, number));
        material.steps.push(step);
    }
    items.iter().map(|block| block.start..block.end).collect()
}

fn add_headings(
    material: &mut Material,
    lines: &[MarkdownLine<'_>],
    headings: &[Range<usize>],
) -> Vec<Range<usize>> {
    material.note("the steps are its headings with numbers, one after the other");
    for (at, section) in headings.iter().enumerate() {
        let heading = heading_text(lines, section.start);
        let title = without_number(heading, at + 1);
        let body = lines
            .get(section.start + 1..section.end)
            .unwrap_or_default();
        let body = dedented(body);
        let task = if body.is_empty() {
            title.to_owned()
        } else {
            format!("{title}\n\n{body}")
        };
        material.steps.push(FoundStep {
            title: title.to_owned(),
            task,
            ..FoundStep::default()
        });
    }
    headings.to_vec()
}

/// Headings such as `Step 2: …` or `2. …` with what stands below them, of the level that has most of them.
fn numbered_headings(lines: &[MarkdownLine<'_>]) -> Vec<Range<usize>> {
    let headings = lines.iter().enumerate();
    let headings = headings.filter_map(|(at, line)| Some((at, line.kind.heading()?)));
    let headings: Vec<(usize, usize, bool)> = headings
        .map(|(at, heading)| (at, heading.level, after_number(heading.text).is_some()))
        .collect();
    let count = |level: usize| {
        let of_level = headings
            .iter()
            .filter(|(_, other, is_step)| *is_step && *other == level);
        of_level.count()
    };
    let level = (1..=6).rev().max_by_key(|level| count(*level)).unwrap_or(1);
    if count(level) < 2 {
        return Vec::new();
    }
    let end = |index: usize| {
        let mut after = headings.iter().skip(index + 1);
        let next = after.find(|(_, other, _)| *other <= level);
        next.map_or(lines.len(), |(at, ..)| *at)
    };
    let steps = headings.iter().enumerate();
    let steps = steps.filter(|(_, (_, other, is_step))| *is_step && *other == level);
    steps.map(|(index, (at, ..))| *at..end(index)).collect()
}

/// The number of a step's heading, and the text behind it.
fn after_number(text: &str) -> Option<(u64, &str)> {
    let lower = text.to_ascii_lowercase();
    let words = ["step ", "phase ", "task ", "stage ", "milestone ", "part "];
    let word = words.iter().find(|word| lower.starts_with(**word));
    let rest = text.get(word.map_or(0, |word| word.len())..)?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest.get(..digits)?.parse().ok()?;
    let after = rest.get(digits..)?;
    let separated = after.starts_with(['.', ')', ':']) && !after.starts_with(".0");
    let spaced = after.is_empty() || after.starts_with([' ', '–', '—', '-']);
    let is_number = after
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_number || !(separated || (word.is_some() && spaced)) {
        return None;
    }
    Some((
        number,
        after.trim_start_matches(['.', ')', ':', ' ', '–', '—', '-']),
    ))
}

/// A heading without a number that the step has anyway.
fn without_number(heading: &str, number: usize) -> &str {
    let plain = heading.starts_with(|c: char| c.is_ascii_digit())
        || heading
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("step "));
    match after_number(heading) {
        Some((found, rest)) if plain && !rest.is_empty() && u64::try_from(number) == Ok(found) => {
            rest
        }
        _ => heading,
    }
}

/// Items of lists that are steps, and what they are.
fn listed<'s>(lines: &[MarkdownLine<'s>]) -> (Vec<ItemBlock<'s>>, &'static str) {
    let below = below_step_headings(lines);
    let is_below = |at: usize| below.get(at).copied().unwrap_or(false);
    let numbered = outermost(lines, |at, item| item.numbered && is_below(at));
    if !numbered.is_empty() {
        return (numbered, "numbered items");
    }
    let bullets = outermost(lines, |at, _| is_below(at));
    if !bullets.is_empty() {
        return (bullets, "list items");
    }
    (outermost(lines, |_, item| item.numbered), "numbered items")
}

/// For each line whether it stands below a heading that announces steps.
fn below_step_headings(lines: &[MarkdownLine<'_>]) -> Vec<bool> {
    let mut below = None;
    let announces = |text: &str| {
        let text = text.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| text.contains(word));
        any(&STEPS) && !any(&NO_STEPS)
    };
    let line = |line: &MarkdownLine<'_>| {
        if let Some(heading) = line.kind.heading() {
            let inner = below.is_some_and(|level| heading.level > level);
            // The title of a plan announces nothing.
            let announced = heading.level > 1 && announces(heading.text);
            if announced && !inner {
                below = Some(heading.level);
            } else if !inner {
                below = None;
            }
        }
        below.is_some()
    };
    lines.iter().map(line).collect()
}
