//! Steps that may run at once produce the same file.
//!
//! ## Why
//! Agents that work at once have a worktree each: the one that ends last meets a conflict, and has to do
//! its work again. Of other steps the last one wins, and which that is differs from run to run.
//!
//! ## Example
//! ```text
//! ### 1. English
//! **depends_on:** none
//! **produces:** docs/*.md
//! ### 2. German
//! **depends_on:** none
//! **produces:** docs/index.md
//! ```
//!
//! ## Instead
//! Let one wait for the other, give them files of their own, or a lock in common (`locks`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use super::availability::folder;
use super::context::{Context, StepView};
use super::glob_overlap::overlap;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::model::Work;
use crate::tools::{Tool, built_in};
use crate::workspace::plain_path;

/// An entry of a step's `produces`, or behind those a file that its call writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Producer {
    step: usize,
    entry: usize,
}

/// Who produces one path or pattern.
type Producers = Vec<Producer>;

/// Who produces each path or pattern.
type ByPath<'a> = BTreeMap<Cow<'a, str>, Producers>;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let mut patterns: ByPath<'_> = BTreeMap::new();
    for (step, definition) in context.plan.steps.iter().enumerate() {
        // Behind a cycle nothing can be said of before and after.
        if context.graph.is_stuck(step) {
            continue;
        }
        let called = written_by_call(&definition.work);
        let produces = definition.produces.iter().map(String::as_str);
        for (entry, pattern) in produces.chain(called).enumerate() {
            patterns
                .entry(plain_path(pattern))
                .or_default()
                .push(Producer { step, entry });
        }
    }
    for producers in patterns.values().filter(|producers| producers.len() > 1) {
        compare(context, producers.clone(), problems);
    }
    let (pairs, whole) = overlapping_pairs(&patterns);
    if !whole {
        context.pairs_left_out.set(true);
    }
    for (a, b) in pairs {
        let both = patterns.get(a).into_iter().chain(patterns.get(b)).flatten();
        compare(context, both.copied().collect(), problems);
    }
}

/// The files that a call writes, as far as the plan alone tells.
fn written_by_call(work: &Work) -> impl Iterator<Item = &str> {
    let (tool, args) = match work {
        Work::Tool { tool, args } => (built_in(tool), Some(args)),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => (None, None),
    };
    let names = tool.map(Tool::written_files).unwrap_or_default().iter();
    let paths = names.filter_map(move |name| args?.get(name)?.as_str());
    paths.filter(|path| !path.contains('$') && !path.contains("{{"))
}

/// How many pairs of patterns are compared; a plan with more has other worries.
const PAIRS: usize = 200_000;

/// Pairs of different patterns that can cover the same path. Only a pattern with wildcards can cover
/// another, and only below the folder it begins with. Whether that is all of them comes with it.
fn overlapping_pairs<'a>(patterns: &'a ByPath<'_>) -> (Vec<(&'a str, &'a str)>, bool) {
    let is_wild = |pattern: &&str| pattern.contains(['*', '?']) || pattern.ends_with('/');
    let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pattern in patterns.keys().map(Cow::as_ref).filter(is_wild) {
        by_folder.entry(folder(pattern)).or_default().push(pattern);
    }
    let mut pairs = Vec::new();
    let mut left = PAIRS;
    for (below, wild) in &by_folder {
        for a in wild {
            let from = (Bound::Included(*below), Bound::Unbounded);
            let inside = patterns.range::<str, _>(from).map(|(b, _)| b.as_ref());
            let inside = inside.take_while(|b| b.starts_with(*below));
            // Patterns that begin further up are met from there.
            for b in inside.filter(|b| b != a) {
                let Some(rest) = left.checked_sub(1) else {
                    return (pairs, false);
                };
                left = rest;
                let met_twice = is_wild(&b) && folder(b) == *below && b < *a;
                if !met_twice && overlap(a, b) {
                    pairs.push((*a, b));
                }
            }
        }
    }
    (pairs, true)
}

/// How many producers of one file are compared each with each.
const COMPARED: usize = 200;

/// Reports producers of one file that may run at once: each pair once, and as one group those that all may.
fn compare(context: &Context<'_>, mut producers: Producers, problems: &mut Vec<Diagnostic>) {
    if producers.len() > COMPARED {
        compare_neighbours(context, producers, problems);
        return;
    }
    producers.sort_unstable();
    let mut groups: Vec<Producers> = Vec::new();
    for (place, producer) in producers.iter().enumerate() {
        let earlier = producers.get(..place).unwrap_or_default().iter();
        let beside = earlier.filter(|other| may_run_at_once(context, **other, *producer));
        let beside: Producers = beside.copied().collect();
        match groups.iter_mut().find(|group| **group == beside) {
            Some(group) => group.push(*producer),
            None => {
                groups.push(vec![*producer]);
                problems.extend(overlap_with_others(context, *producer, &beside));
            }
        }
    }
    let grouped = groups.iter().filter_map(|group| overlaps(context, group));
    problems.extend(grouped);
}

/// For very many producers: each is only compared with the next by rank.
fn compare_neighbours(
    context: &Context<'_>,
    mut producers: Producers,
    problems: &mut Vec<Diagnostic>,
) {
    producers.sort_by_key(|producer| (context.graph.rank(producer.step), *producer));
    let at_once = |first: &Producer, second: &Producer| may_run_at_once(context, *first, *second);
    let groups: Vec<&[Producer]> = producers.chunk_by(at_once).collect();
    // Waiting is transitive: if each waits for the one before it, there is no other pair.
    if groups.len() > 1 && groups.len() < producers.len() {
        context.pairs_left_out.set(true);
    }
    for group in groups {
        let mut group = group.to_vec();
        group.sort_unstable();
        problems.extend(overlaps(context, &group));
    }
}

fn may_run_at_once(context: &Context<'_>, first: Producer, second: Producer) -> bool {
    let (Some(a), Some(b)) = (context.step(first.step), context.step(second.step)) else {
        return false;
    };
    first.step != second.step
        && !context.graph.waits_for(second.step, first.step)
        && !context.graph.waits_for(first.step, second.step)
        && !share_a_lock(a, b)
}

fn share_a_lock(a: StepView<'_>, b: StepView<'_>) -> bool {
    a.resolved
        .locks
        .iter()
        .any(|lock| b.resolved.locks.contains(lock))
}

/// What an entry names, and where.
fn produced_path(step: StepView<'_>, entry: usize) -> Option<Spanned<String>> {
    let own = &step.written.produces;
    if let Some(path) = own.get(entry) {
        return Some(path.clone());
    }
    let path = written_by_call(&step.resolved.work).nth(entry - own.len())?;
    let args = step.written.args.as_ref()?;
    Some(Spanned::new(path.to_owned(), args.span))
}

/// How many steps a message names.
const NAMED: usize = 5;

type WrittenPath<'c> = (StepView<'c>, Spanned<String>);

fn written_paths<'c>(context: &'c Context<'_>, producers: &[Producer]) -> Vec<WrittenPath<'c>> {
    let written = producers.iter().filter_map(|producer| {
        let step = context.step(producer.step)?;
        Some((step, produced_path(step, producer.entry)?))
    });
    written.collect()
}

/// Producers of one file which all may run at once; `None` for a single one.
fn overlaps(context: &Context<'_>, producers: &[Producer]) -> Option<Diagnostic> {
    let written = written_paths(context, producers);
    let (last, others) = written.split_last()?;
    let (first, _) = others.first()?;
    let both = if others.len() == 1 { "both" } else { "all" };
    let message = format!(
        "steps {} and `{}` may run at once, and {both} produce {}",
        step_names(others),
        last.0.id(),
        path_names(&written)
    );
    Some(report(last, others, message).help(if others.len() == 1 {
        format!("let `{}` wait for `{}`", last.0.id(), first.id())
    } else {
        "let each wait for the one before it".to_owned()
    }))
}

/// A producer that may run at once with each of some others, of which some wait for each other.
fn overlap_with_others(
    context: &Context<'_>,
    producer: Producer,
    others: &[Producer],
) -> Option<Diagnostic> {
    if let [other] = others {
        return overlaps(context, &[*other, producer]);
    }
    let others = written_paths(context, others);
    let (first, _) = others.first()?;
    let own = written_paths(context, &[producer]).pop()?;
    let all: Vec<_> = others.iter().chain([&own]).cloned().collect();
    let message = format!(
        "step `{}` may run at once with {}, and all produce {}",
        own.0.id(),
        step_names(&others),
        path_names(&all)
    );
    let help = format!(
        "let `{}` wait for them, or `{}` for it",
        own.0.id(),
        first.id()
    );
    Some(report(&own, &others, message).help(help))
}

fn report(own: &WrittenPath<'_>, others: &[WrittenPath<'_>], message: String) -> Diagnostic {
    let (step, path) = own;
    let mut found = step.problem(Code::WriteOverlap, path.span, message);
    for (_, path) in others.iter().take(NAMED) {
        found = found.with_related(path.span, "produced here too");
    }
    found
}

fn step_names(steps: &[WrittenPath<'_>]) -> String {
    let ids = steps.iter().take(NAMED);
    let ids: Vec<_> = ids.map(|(step, _)| format!("`{}`", step.id())).collect();
    match steps.len().saturating_sub(NAMED) {
        0 => ids.join(", "),
        more => format!("{}, {more} more", ids.join(", ")),
    }
}

fn path_names(written: &[WrittenPath<'_>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for (_, path) in written {
        let name = format!("`{}`", path.value);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

#[cfg(test)]
mod tests;
