//! Which files will exist when a step starts.

use super::context::{Context, StepView};
use crate::glob;
use crate::model::{Subscription, Work};

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

/// Whether a file is absent when a step starts, and why.
///
/// It counts as there if it is on disk, or if a step that is waited for produces it or names it in
/// its task or contract.
pub(super) fn absence(context: &Context<'_>, step: StepView<'_>, path: &str) -> Option<Absence> {
    // Behind a cycle nothing can be said of before and after.
    if context.graph.is_stuck(step.index) || context.workspace.path_exists(path) {
        return None;
    }
    let mut other = None;
    for candidate in context
        .steps()
        .filter(|candidate| candidate.index != step.index)
    {
        let Some(way) = way(candidate, path) else {
            continue;
        };
        if context.graph.waits_for(step.index, candidate.index) {
            return None;
        }
        // A step that asks for the file itself is no likely source of it.
        if way == Way::Produces || !subscribes(candidate, path) {
            other.get_or_insert((candidate.index, way));
        }
    }
    Some(match other {
        Some((index, way)) => Absence::NotWaitedFor(index, way),
        None => Absence::Nobody,
    })
}

fn way(step: StepView<'_>, path: &str) -> Option<Way> {
    if step
        .resolved
        .produces
        .iter()
        .any(|pattern| glob::matches(pattern, path))
    {
        return Some(Way::Produces);
    }
    let contract = step
        .resolved
        .contract
        .as_ref()
        .map(|contract| contract.command.as_str());
    let task = match &step.resolved.work {
        Work::Agent { task, .. } => Some(task.as_str()),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
    };
    let files = step.shell.into_iter().flat_map(|shell| &shell.files);
    let tested = files
        .into_iter()
        .any(|(file, _)| file.strip_prefix("./").unwrap_or(file) == path);
    let named = [contract, task]
        .into_iter()
        .flatten()
        .any(|text| mentions(text, path));
    (tested || named).then_some(Way::Names)
}

fn subscribes(step: StepView<'_>, path: &str) -> bool {
    let wanted = path;
    step.resolved
        .subscriptions
        .iter()
        .any(|subscription| match subscription {
            Subscription::File { path, .. } => path == wanted,
            Subscription::Topic(_) => false,
        })
}

/// Whether a text names a path, and not merely a longer one that contains it.
fn mentions(text: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    text.match_indices(path).any(|(start, _)| {
        let before = text.get(..start).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let mut after = text.get(start + path.len()..).unwrap_or_default().chars();
        let begins = !before.ends_with(|c| part(c) || c == '.');
        let ends = match after.next() {
            // A full stop may end the sentence or begin an extension.
            Some('.') => !after.next().is_some_and(part),
            Some(c) => !part(c),
            None => true,
        };
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn only_the_whole_path_counts() {
        for text in [
            "docs/a.md",
            "see `docs/a.md`.",
            "(./docs/a.md)",
            "to docs/a.md.\nNext",
        ] {
            assert!(mentions(text, "docs/a.md"), "{text}");
        }
        for text in [
            "old/docs/a.md",
            "docs/a.md.bak",
            "docs/a.mdx",
            "xdocs/a.md",
            "docs/a",
        ] {
            assert!(!mentions(text, "docs/a.md"), "{text}");
        }
    }
}
