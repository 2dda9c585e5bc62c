//! Steps that may run at once produce the same file.
//!
//! ## Why
//! The one that ends last wins, and which that is differs from run to run.
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

use std::collections::BTreeMap;

use super::context::{Context, StepView};
use super::glob_overlap::overlap;
use super::provided::folder;
use crate::diagnostic::{Code, Diagnostic};

/// Who produces one path or pattern: positions, and places in their lists, by rank.
type Producers = Vec<(usize, usize)>;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let mut patterns: BTreeMap<&str, Producers> = BTreeMap::new();
    for (index, step) in context.plan.steps.iter().enumerate() {
        // Behind a cycle nothing can be said of before and after.
        if context.graph.is_stuck(index) {
            continue;
        }
        for (place, pattern) in step.produces.iter().enumerate() {
            let short = pattern.strip_prefix("./").unwrap_or(pattern);
            patterns.entry(short).or_default().push((index, place));
        }
    }
    for producers in patterns.values() {
        compare(context, producers.clone(), problems);
    }
    let (pairs, whole) = overlapping(&patterns);
    if !whole {
        context.pairs_left_out.set(true);
    }
    for (a, b) in pairs {
        let both = patterns.get(a).into_iter().chain(patterns.get(b)).flatten();
        compare(context, both.copied().collect(), problems);
    }
}

/// How many pairs of patterns are compared; a plan with more has other worries.
const PAIRS: usize = 200_000;

/// Pairs of different patterns that can cover the same path. Only a pattern with wildcards can cover
/// another, and only below the folder it begins with. Whether that is all of them comes with it.
fn overlapping<'a>(patterns: &BTreeMap<&'a str, Producers>) -> (Vec<(&'a str, &'a str)>, bool) {
    let is_wild = |pattern: &&str| pattern.contains(['*', '?']) || pattern.ends_with('/');
    let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pattern in patterns.keys().copied().filter(is_wild) {
        by_folder.entry(folder(pattern)).or_default().push(pattern);
    }
    let mut pairs = Vec::new();
    let mut left = PAIRS;
    for (below, wild) in &by_folder {
        for a in wild {
            let inside = patterns.range(*below..).map(|(b, _)| *b);
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

/// Reports producers of one file that may run at once.
// Sorted by rank, it is enough that each waits for the one before it: waiting is transitive.
fn compare(context: &Context<'_>, mut producers: Producers, problems: &mut Vec<Diagnostic>) {
    producers.sort_by_key(|(index, _)| context.graph.rank(*index));
    for pair in producers.windows(2) {
        let [first, second] = pair else { continue };
        if first.0 == second.0 || context.graph.waits_for(second.0, first.0) {
            continue;
        }
        let (earlier, later) = (first.min(second), first.max(second));
        if let (Some(a), Some(b)) = (context.step(earlier.0), context.step(later.0))
            && !share_a_lock(a, b)
        {
            problems.extend(overlaps(a, earlier.1, b, later.1));
        }
    }
}

fn share_a_lock(a: StepView<'_>, b: StepView<'_>) -> bool {
    a.resolved
        .locks
        .iter()
        .any(|lock| b.resolved.locks.contains(lock))
}

fn overlaps(a: StepView<'_>, a_at: usize, b: StepView<'_>, b_at: usize) -> Option<Diagnostic> {
    let (one, other) = (a.written.produces.get(a_at)?, b.written.produces.get(b_at)?);
    let what = if one.value == other.value {
        format!("`{}`", one.value)
    } else {
        format!("`{}` and `{}`", one.value, other.value)
    };
    let message = format!(
        "steps `{}` and `{}` may run at once, and both produce {what}",
        a.id(),
        b.id()
    );
    let found = b.problem(Code::WriteOverlap, other.span, message);
    let found = found.related(one.span, "produced here too");
    Some(found.help(format!("let `{}` wait for `{}`", b.id(), a.id())))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn two(a: &str, b: &str, expected: &[&str]) {
        let text = plan(&format!(
            "### 1. A\n**id:** a\n**depends_on:** none\n{a}\n### 2. B\n**id:** b\n{b}\n"
        ));
        check(Code::WriteOverlap, &text, expected);
    }

    #[test]
    fn parallel_steps_write_different_files() {
        let none = "**depends_on:** none\n";
        let message = "steps `a` and `b` may run at once, and both produce";
        let help = "let `b` wait for `a`";
        two("**produces:** x.md", "**produces:** x.md", &[]);
        two(
            "**produces:** x.md",
            &format!("{none}**produces:** y.md"),
            &[],
        );
        two(
            "**produces:** x.md",
            &format!("{none}**produces:** ./x.md"),
            &[&format!("./x.md | {message} `x.md` and `./x.md` | {help}")],
        );
        two(
            "**produces:** docs/**",
            &format!("{none}**produces:** docs/a/b.md"),
            &[&format!(
                "docs/a/b.md | {message} `docs/**` and `docs/a/b.md` | {help}"
            )],
        );
        two(
            "**produces:** src/*.rs",
            &format!("{none}**produces:** **/main.*"),
            &[&format!(
                "**/main.* | {message} `src/*.rs` and `**/main.*` | {help}"
            )],
        );
        two(
            "**locks:** docs\n**produces:** x.md",
            &format!("{none}**locks:** docs\n**produces:** x.md"),
            &[],
        );
    }

    #[test]
    fn waiting_in_a_chain_is_enough() {
        let steps = "### 1. A\n**produces:** x\n### 2. B\n**depends_on:** 1\n### 3. C\n**depends_on:** 2\n**produces:** x\n";
        check(Code::WriteOverlap, &plan(steps), &[]);
    }
}
