//! Which files will be there when a step starts, as far as the plan tells.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::stops::{is_open, text};
use super::{Tool, built_in};
use crate::Workspace;
use crate::graph::Graph;
use crate::model::{Plan, Step, Work};
use crate::workspace::plain_path;

/// The files that the steps before a step leave.
pub(super) struct FilesBefore<'a> {
    workspace: &'a dyn Workspace,
    graph: Graph<'a>,
    /// By path: the steps that create or remove it, the later ones first.
    changes: BTreeMap<Cow<'a, str>, Vec<Change>>,
}

#[derive(Clone, Copy)]
struct Change {
    step: usize,
    kind: ChangeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Created,
    Removed,
}

impl<'a> FilesBefore<'a> {
    pub(super) fn new(plan: &'a Plan, workspace: &'a dyn Workspace) -> Self {
        let graph = Graph::new(plan);
        let mut changes: BTreeMap<Cow<'_, str>, Vec<Change>> = BTreeMap::new();
        for (step, definition) in plan.steps.iter().enumerate() {
            let created = files(definition, Tool::created_files).chain(produced_files(definition));
            let created = created.map(|path| (path, ChangeKind::Created));
            // A step that may be skipped, or given up, may leave the file where it is.
            let certain = definition.when.is_none() && definition.critical;
            let removed = files(definition, Tool::removed_files).filter(|_| certain);
            let removed = removed.map(|path| (path, ChangeKind::Removed));
            for (path, kind) in created.chain(removed) {
                let change = Change { step, kind };
                changes.entry(plain_path(path)).or_default().push(change);
            }
        }
        for changes in changes.values_mut() {
            changes.sort_by_key(|change| std::cmp::Reverse(graph.rank(change.step)));
        }
        Self {
            workspace,
            graph,
            changes,
        }
    }

    /// Whether a file is there when a step starts: because of the last step before it that creates or
    /// removes it, else because it is there now.
    pub(super) fn exists(&self, step: usize, path: &str) -> bool {
        let path = plain_path(path);
        let mut before = self.changes_of(&path).iter();
        let is_before = |change: &&Change| self.graph.waits_for(step, change.step);
        let Some(last) = before.find(is_before) else {
            return self.workspace.path_exists(&path);
        };
        // Beside the removal, and not before it, another step may have created the file.
        let is_beside = |change: &Change| {
            change.kind == ChangeKind::Created && !self.graph.waits_for(last.step, change.step)
        };
        last.kind == ChangeKind::Created || before.filter(is_before).any(is_beside)
    }

    /// The first step of the plan that creates this file and neither waits for this one nor is waited for, so that either
    /// may come first.
    pub(super) fn created_beside(&self, step: usize, path: &str) -> Option<usize> {
        let creates = |change: &&Change| change.kind == ChangeKind::Created && change.step != step;
        let is_ordered =
            |other: usize| self.graph.waits_for(step, other) || self.graph.waits_for(other, step);
        let changes = self.changes_of(&plain_path(path)).iter().filter(creates);
        let beside = changes.filter(|change| !is_ordered(change.step));
        beside.map(|change| change.step).min()
    }

    fn changes_of(&self, path: &str) -> &[Change] {
        self.changes
            .get(path)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// The files that the call of a step names with these arguments.
fn files(
    step: &Step,
    arguments: fn(&Tool) -> &'static [&'static str],
) -> impl Iterator<Item = &str> {
    let call = match &step.work {
        Work::Tool { tool, args } => built_in(tool).map(|tool| (tool, args)),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => None,
    };
    let named = call.into_iter().flat_map(move |(tool, args)| {
        let paths = arguments(tool).iter();
        paths.filter_map(move |name| text(args, name))
    });
    named.filter(|path| !is_open(path))
}

/// The files, not patterns, that a step says it produces.
fn produced_files(step: &Step) -> impl Iterator<Item = &str> {
    let paths = step.produces.iter().map(String::as_str);
    paths.filter(|path| !path.contains(['*', '?', '[', '{']) && !path.ends_with('/'))
}
