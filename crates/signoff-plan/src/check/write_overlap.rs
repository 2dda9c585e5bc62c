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

use std::collections::BTreeMap;

use super::availability::folder;
use super::context::{Context, StepView};
use super::glob_overlap::overlap;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::model::Work;
use crate::tools::{Tool, built_in};

/// An entry of a step's `produces`, or behind those a file that its call writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Producer {
    step: usize,
    entry: usize,
}

/// Who produces one path or pattern.
type Producers = Vec<Producer>;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let mut patterns: BTreeMap<&str, Producers> = BTreeMap::new();
    for (step, definition) in context.plan.steps.iter().enumerate() {
        // Behind a cycle nothing can be said of before and after.
        if context.graph.is_stuck(step) {
            continue;
        }
        let called = written_by_call(&definition.work);
        let produces = definition.produces.iter().map(String::as_str);
        for (entry, pattern) in produces.chain(called).enumerate() {
            let short = pattern.strip_prefix("./").unwrap_or(pattern);
            patterns
                .entry(short)
                .or_default()
                .push(Producer { step, entry });
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

/// Reports producers of one file that may run at once, those that belong together in one go.
// Sorted by rank, it is enough that each waits for the one before it: waiting is transitive.
fn compare(context: &Context<'_>, mut producers: Producers, problems: &mut Vec<Diagnostic>) {
    producers.sort_by_key(|producer| (context.graph.rank(producer.step), *producer));
    let at_once = |first: &Producer, second: &Producer| {
        let (Some(a), Some(b)) = (context.step(first.step), context.step(second.step)) else {
            return false;
        };
        first.step != second.step
            && !context.graph.waits_for(second.step, first.step)
            && !share_a_lock(a, b)
    };
    for group in producers.chunk_by(at_once).filter(|group| group.len() > 1) {
        let mut group = group.to_vec();
        group.sort_unstable();
        problems.extend(overlaps(context, &group));
    }
}

fn share_a_lock(a: StepView<'_>, b: StepView<'_>) -> bool {
    a.resolved
        .locks
        .iter()
        .any(|lock| b.resolved.locks.contains(lock))
}

/// What an entry names, and where.
fn produced(step: StepView<'_>, entry: usize) -> Option<Spanned<String>> {
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

fn overlaps(context: &Context<'_>, producers: &[Producer]) -> Option<Diagnostic> {
    let written = producers.iter().filter_map(|producer| {
        let step = context.step(producer.step)?;
        Some((step, produced(step, producer.entry)?))
    });
    let written: Vec<_> = written.collect();
    let ((last, produced), others) = written.split_last()?;
    let (first, _) = others.first()?;
    let mut patterns: Vec<String> = Vec::new();
    for (_, path) in &written {
        let path = format!("`{}`", path.value);
        if !patterns.contains(&path) {
            patterns.push(path);
        }
    }
    let ids: Vec<_> = others
        .iter()
        .map(|(step, _)| format!("`{}`", step.id()))
        .collect();
    let named = ids
        .get(..NAMED.min(ids.len()))
        .unwrap_or_default()
        .join(", ");
    let more = match ids.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    let both = if others.len() == 1 { "both" } else { "all" };
    let message = format!(
        "steps {named}{more} and `{}` may run at once, and {both} produce {}",
        last.id(),
        patterns.join(" and ")
    );
    let mut found = last.problem(Code::WriteOverlap, produced.span, message);
    for (_, path) in others.iter().take(NAMED) {
        found = found.related(path.span, "produced here too");
    }
    Some(found.help(if others.len() == 1 {
        format!("let `{}` wait for `{}`", last.id(), first.id())
    } else {
        "let each wait for the one before it".to_owned()
    }))
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
    fn all_who_write_a_file_are_named_together() {
        let step = |number: usize, after: &str| {
            format!(
                "### {number}. A\n**id:** s{number}\n**depends_on:** {after}\n**produces:** a.txt\n"
            )
        };
        let three = plan(
            &(1..=3)
                .map(|number| step(number, "none"))
                .collect::<String>(),
        );
        check(
            Code::WriteOverlap,
            &three,
            &[
                "a.txt | steps `s1`, `s2` and `s3` may run at once, and all produce `a.txt` | \
               let each wait for the one before it",
            ],
        );
        let two = plan(&(step(1, "none") + &step(2, "s1") + &step(3, "s1")));
        check(
            Code::WriteOverlap,
            &two,
            &[
                "a.txt | steps `s2` and `s3` may run at once, and both produce `a.txt` | let `s3` wait for `s2`",
            ],
        );
        let many = plan(
            &(1..=9)
                .map(|number| step(number, "none"))
                .collect::<String>(),
        );
        check(
            Code::WriteOverlap,
            &many,
            &[
                "a.txt | steps `s1`, `s2`, `s3`, `s4`, `s5`, 3 more and `s9` may run at once, \
               and all produce `a.txt` | let each wait for the one before it",
            ],
        );
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
    fn calls_write_files_too() {
        let write = |path: &str| {
            format!("**tool:** write_file\n**args:** {{\"path\": \"{path}\", \"content\": \"1\"}}")
        };
        let free = |path: &str| format!("**depends_on:** none\n{}", write(path));
        let found = "steps `a` and `b` may run at once, and both produce `x`";
        let call = "{\"path\": \"x\", \"content\": \"1\"}";
        let expected = format!("{call} | {found} | let `b` wait for `a`");
        two(&write("x"), &free("x"), &[&expected]);
        two("**produces:** x", &free("x"), &[&expected]);
        two(&write("x"), &free("y"), &[]);
        two(&write("x"), &write("x"), &[]);
        two(&write("{{ params.a }}"), &free("{{ params.a }}"), &[]);
    }

    #[test]
    fn waiting_in_a_chain_is_enough() {
        let steps = "### 1. A\n**produces:** x\n### 2. B\n**depends_on:** 1\n### 3. C\n**depends_on:** 2\n**produces:** x\n";
        check(Code::WriteOverlap, &plan(steps), &[]);
    }
}
