//! What will be there when a step starts: files and commands that exist, and those that earlier
//! steps make.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::{Context, StepView};
use crate::model::{Plan, Step, Subscription, Work};
use crate::shell::Analysis;
use crate::source::{Spanned, text_up_to};
use crate::{ShadowedCommand, Workspace, glob};

/// How a step may provide a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProvidedBy {
    /// It says so.
    Produces,
    /// Its task or contract names the file.
    Names,
}

/// Why a file is not there when a step starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AbsenceReason {
    /// No step makes it.
    Nobody,
    /// The step at this position makes it, and is not waited for.
    NotWaitedFor(usize, ProvidedBy),
}

/// Which of the files and commands that a plan needs exist, and which steps may provide the others. The
/// workspace is asked once about each.
#[derive(Debug, Default)]
pub(super) struct Availability<'a> {
    paths: BTreeMap<&'a str, bool>,
    commands: BTreeMap<&'a str, bool>,
    /// Commands that only a PATH entry inside the workspace has, and where they lie.
    inside: BTreeMap<&'a str, String>,
    /// Commands of which contracts find another program than the person.
    shadowed: BTreeMap<&'a str, ShadowedCommand>,
    /// Steps that name what is missing in their tasks and contracts, in plan order.
    named: BTreeMap<&'a str, Vec<usize>>,
    produced: ProducedFiles<'a>,
}

impl<'a> Availability<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        shells: &'a [Option<Arc<Analysis>>],
        workspace: &dyn Workspace,
    ) -> Self {
        let mut available = Self::default();
        for path in plan.steps.iter().flat_map(files) {
            let exists = || workspace.path_exists(path);
            available.paths.entry(path).or_insert_with(exists);
        }
        for Spanned { value: name, .. } in shells.iter().flatten().flat_map(|shell| &shell.commands)
        {
            // A path may lead to what the step itself is to make.
            let exists = || name.contains('/') || workspace.command_exists(name);
            available.commands.entry(name).or_insert_with(exists);
        }
        let missing = available.commands.iter().filter(|(_, exists)| !**exists);
        let inside = missing.filter_map(|(name, _)| Some((*name, workspace.command_inside(name)?)));
        available.inside = inside.collect();
        let found = available.commands.iter().filter(|(_, exists)| **exists);
        let shadowed =
            found.filter_map(|(name, _)| Some((*name, workspace.command_shadowed(name)?)));
        available.shadowed = shadowed.collect();
        let missing = available.paths.iter().chain(&available.commands);
        let missing = missing.filter(|(_, exists)| !**exists);
        available.named = missing
            .map(|(name, _)| (plain_path(name), Vec::new()))
            .collect();
        if !available.named.is_empty() {
            available.find(plan, shells);
        }
        available
    }

    /// Finds who names or produces what is missing.
    fn find(&mut self, plan: &'a Plan, shells: &[Option<Arc<Analysis>>]) {
        self.produced = ProducedFiles::new(plan);
        for (index, (step, shell)) in plan.steps.iter().zip(shells).enumerate() {
            if let Some(contract) = &step.contract {
                self.note_words(&contract.command, index);
            }
            if let Work::Agent { task, .. } = &step.work {
                self.note_words(task, index);
            }
            for Spanned { value: file, .. } in shell.iter().flat_map(|shell| &shell.files) {
                self.note(file, index);
            }
            // A command is known by its name, wherever it is put.
            for pattern in &step.produces {
                self.note(pattern.rsplit('/').next().unwrap_or_default(), index);
            }
        }
    }

    /// Notes every stretch of a text that could be a path or a command.
    fn note_words(&mut self, text: &str, step: usize) {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@');
        for word in text.split(|c| !part(c)).filter(|word| !word.is_empty()) {
            // A full stop may end the sentence.
            self.note(word.trim_end_matches('.'), step);
        }
    }

    fn note(&mut self, name: &str, step: usize) {
        if let Some(steps) = self.named.get_mut(plain_path(name))
            && steps.last() != Some(&step)
        {
            steps.push(step);
        }
    }

    /// Whether a file that some step subscribes to exists.
    fn path_exists(&self, path: &str) -> bool {
        self.paths.get(path).copied().unwrap_or(false)
    }

    /// Whether a command that some contract calls by its name exists.
    pub(super) fn command_exists(&self, name: &str) -> bool {
        self.commands.get(name).copied().unwrap_or(true)
    }

    /// Where a missing command lies in the workspace, if PATH has an entry there.
    pub(super) fn command_inside(&self, name: &str) -> Option<&str> {
        self.inside.get(name).map(String::as_str)
    }

    /// The two programs of a command of which contracts find another one than the person.
    pub(super) fn command_shadowed(&self, name: &str) -> Option<&ShadowedCommand> {
        self.shadowed.get(name)
    }

    /// Whether a file was not looked for because there were too many patterns.
    pub(super) fn is_exhausted(&self) -> bool {
        self.produced.compared.get() > COMPARISONS
    }

    /// The steps that name what is missing, in plan order.
    pub(super) fn named_by(&self, name: &str) -> &[usize] {
        self.named.get(plain_path(name)).map_or(&[], Vec::as_slice)
    }
}

fn files(step: &Step) -> impl Iterator<Item = &str> {
    let files = step.subscriptions.iter();
    files.filter_map(|subscription| match subscription {
        Subscription::File { path, .. } => Some(path.as_str()),
        Subscription::Topic(_) => None,
    })
}

/// A path without what makes no difference.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./")
        .unwrap_or(path)
        .trim_end_matches('/')
}

/// Who produces what: paths by their name, patterns by the folder they begin with.
#[derive(Debug, Default)]
struct ProducedFiles<'a> {
    paths: BTreeMap<&'a str, Vec<usize>>,
    patterns: BTreeMap<&'a str, Vec<(usize, &'a str)>>,
    /// How many patterns have been compared; beyond [`COMPARISONS`] nothing is said to be missing.
    compared: Cell<usize>,
}

/// How many patterns may be compared over all questions together.
const COMPARISONS: usize = 2_000_000;

impl<'a> ProducedFiles<'a> {
    fn new(plan: &'a Plan) -> Self {
        let mut produced = Self::default();
        for (index, step) in plan.steps.iter().enumerate() {
            for pattern in &step.produces {
                let short = pattern.strip_prefix("./").unwrap_or(pattern);
                if short.contains(['*', '?']) || short.ends_with('/') {
                    let list = produced.patterns.entry(folder(short)).or_default();
                    list.push((index, pattern));
                } else {
                    produced.paths.entry(short).or_default().push(index);
                }
            }
        }
        produced
    }

    /// The steps that produce a path, in plan order; `None` = too many to tell.
    fn of(&self, path: &str) -> Option<Vec<usize>> {
        let mut steps = self.paths.get(path).cloned().unwrap_or_default();
        let ends = path.match_indices('/').map(|(at, _)| at + 1);
        for end in std::iter::once(0).chain(ends) {
            let folder = text_up_to(path, end);
            for (index, pattern) in self.patterns.get(folder).into_iter().flatten() {
                if self.compared.replace(self.compared.get() + 1) >= COMPARISONS {
                    return None;
                }
                if glob::matches(pattern, path) {
                    steps.push(*index);
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        Some(steps)
    }
}

/// The folder that everything a pattern covers lies in.
pub(super) fn folder(pattern: &str) -> &str {
    let plain = pattern.find(['*', '?', '{']).unwrap_or(pattern.len());
    let plain = text_up_to(pattern, plain);
    plain
        .rfind('/')
        .and_then(|at| plain.get(..=at))
        .unwrap_or_default()
}

/// Whether a file is absent when a step starts, and why.
///
/// It counts as there if it is on disk, or if a step that is waited for produces it or names it in
/// its task or contract.
pub(super) fn absence_reason(
    context: &Context<'_>,
    step: StepView<'_>,
    path: &str,
) -> Option<AbsenceReason> {
    let (graph, available) = (&context.graph, &context.available);
    // Behind a cycle nothing can be said of before and after.
    if graph.is_stuck(step.index) || available.path_exists(path) {
        return None;
    }
    let named = available.named_by(path);
    if graph.waits_for_any(step.index, named) {
        return None;
    }
    let produced = available.produced.of(path)?;
    if graph.waits_for_any(step.index, &produced) {
        return None;
    }
    let other = |index: &&usize| **index != step.index;
    if let Some(index) = produced.iter().find(other) {
        return Some(AbsenceReason::NotWaitedFor(*index, ProvidedBy::Produces));
    }
    // A step that needs the file itself is an unlikely source of it.
    let likely = |index: &&usize| {
        let step = context.plan.steps.get(**index);
        !step.is_some_and(|step| files(step).any(|wanted| wanted == path))
    };
    let mut first = named.iter().filter(other).take(64).filter(likely);
    Some(match first.next() {
        Some(index) => AbsenceReason::NotWaitedFor(*index, ProvidedBy::Names),
        None => AbsenceReason::Nobody,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, expected: bool) {
        let mut available = Availability::default();
        available.named.insert(plain_path(path), Vec::new());
        available.note_words(text, 0);
        assert_eq!(!available.named_by(path).is_empty(), expected, "{text}");
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

    #[test]
    fn a_file_that_is_not_looked_for_is_remembered() {
        let mut available = Availability::default();
        available.produced.compared.set(COMPARISONS - 2);
        for pattern in ["*.md", "*.rs"] {
            let patterns = available.produced.patterns.entry("").or_default();
            patterns.push((0, pattern));
        }
        assert_eq!(available.produced.of("a.md"), Some(vec![0]));
        assert!(!available.is_exhausted(), "that was just enough");
        assert_eq!(available.produced.of("b.md"), None);
        assert!(available.is_exhausted());
    }

    #[test]
    fn patterns_begin_with_a_folder() {
        for (pattern, expected) in [
            ("a/b*/c", "a/"),
            ("a/b/", "a/b/"),
            ("*.md", ""),
            ("a/b/**", "a/b/"),
            ("x?", ""),
        ] {
            assert_eq!(folder(pattern), expected, "{pattern}");
        }
    }
}
