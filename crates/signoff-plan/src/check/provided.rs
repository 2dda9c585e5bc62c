//! Which files will exist when a step starts.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Context, StepView};
use crate::glob;
use crate::model::{Plan, Subscription, Work};
use crate::shell::Analysis;

/// How a step may bring a file about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It says so.
    Produces,
    /// Its task or contract names the file.
    Names,
}

/// Why a file is not there when a step starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    /// Nobody makes it.
    Nobody,
    /// The step at this position makes it, and is not waited for.
    NotWaitedFor(usize, Way),
}

/// Which steps name which paths in their tasks and contracts.
#[derive(Debug, Default)]
pub(super) struct Mentions(BTreeMap<String, BTreeSet<usize>>);

impl Mentions {
    pub(super) fn new(plan: &Plan, shells: &[Option<Analysis>]) -> Self {
        let mut mentions = Self::default();
        for (index, (step, shell)) in plan.steps.iter().zip(shells).enumerate() {
            if let Some(contract) = &step.contract {
                mentions.add_text(&contract.command, index);
            }
            if let Work::Agent { task, .. } = &step.work {
                mentions.add_text(task, index);
            }
            for (file, _) in shell.iter().flat_map(|shell| &shell.files) {
                mentions.add(file, index);
            }
        }
        mentions
    }

    /// Adds every stretch of a text that could be a path.
    fn add_text(&mut self, text: &str, step: usize) {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@');
        for word in text.split(|c| !part(c)).filter(|word| !word.is_empty()) {
            // A full stop may end the sentence.
            self.add(word.trim_end_matches('.'), step);
        }
    }

    fn add(&mut self, path: &str, step: usize) {
        self.0
            .entry(plain(path).to_owned())
            .or_default()
            .insert(step);
    }

    fn of(&self, path: &str) -> impl Iterator<Item = usize> {
        self.0.get(plain(path)).into_iter().flatten().copied()
    }
}

/// A path without what makes no difference.
fn plain(path: &str) -> &str {
    path.strip_prefix("./")
        .unwrap_or(path)
        .trim_end_matches('/')
}

/// Whether a file is absent when a step starts, and why.
///
/// It counts as there if it is on disk, or if a step that is waited for produces it or names it in
/// its task or contract.
pub(super) fn absence(context: &Context<'_>, step: StepView<'_>, path: &str) -> Option<Absence> {
    // Behind a cycle nothing can be said of before and after.
    if context.graph.is_stuck(step.index) || context.workspace.path_exists(path) {
        return None;
    }
    let mut sources = sources(context, path);
    sources.remove(&step.index);
    if sources
        .keys()
        .any(|source| context.graph.waits_for(step.index, *source))
    {
        return None;
    }
    // A step that asks for the file itself is no likely source of it.
    let likely = |(index, way): &(usize, Way)| {
        *way == Way::Produces
            || !context
                .plan
                .steps
                .get(*index)
                .is_some_and(|s| subscribes(s, path))
    };
    Some(match sources.into_iter().find(likely) {
        Some((index, way)) => Absence::NotWaitedFor(index, way),
        None => Absence::Nobody,
    })
}

/// The steps that may bring a file about, by position.
fn sources(context: &Context<'_>, path: &str) -> BTreeMap<usize, Way> {
    let mut sources: BTreeMap<usize, Way> = BTreeMap::new();
    for index in context.mentions.of(path) {
        sources.insert(index, Way::Names);
    }
    for (index, step) in context.plan.steps.iter().enumerate() {
        if step
            .produces
            .iter()
            .any(|pattern| glob::matches(pattern, path))
        {
            sources.insert(index, Way::Produces);
        }
    }
    sources
}

fn subscribes(step: &crate::model::Step, wanted: &str) -> bool {
    step.subscriptions
        .iter()
        .any(|subscription| match subscription {
            Subscription::File { path, .. } => path == wanted,
            Subscription::Topic(_) => false,
        })
}

#[cfg(test)]
mod tests {
    use super::Mentions;

    #[track_caller]
    fn check(text: &str, path: &str, expected: bool) {
        let mut mentions = Mentions::default();
        mentions.add_text(text, 0);
        assert_eq!(mentions.of(path).next().is_some(), expected, "{text}");
    }

    #[test]
    fn only_the_whole_path_counts() {
        for text in [
            "docs/a.md",
            "see `docs/a.md`.",
            "(./docs/a.md)",
            "to docs/a.md.\nNext",
            "docs/a.md:3",
        ] {
            check(text, "docs/a.md", true);
        }
        for text in [
            "old/docs/a.md",
            "docs/a.md.bak",
            "docs/a.mdx",
            "xdocs/a.md",
            "docs/a",
        ] {
            check(text, "docs/a.md", false);
        }
        check("into docs/", "docs", true);
    }
}
