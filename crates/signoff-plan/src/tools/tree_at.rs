//! Which files will be there when a step starts, as far as the plan tells.

use std::collections::BTreeMap;

use super::stops::{is_open, text};
use super::{Tool, built_in};
use crate::Workspace;
use crate::graph::Graph;
use crate::model::{Plan, Step, Work};

/// The files that the steps before a step leave.
pub(super) struct FilesBefore<'a> {
    workspace: &'a dyn Workspace,
    graph: Graph<'a>,
    /// By path: the steps that create or remove it, the later ones first.
    changes: BTreeMap<&'a str, Vec<Change>>,
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
        let mut changes: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
        for (step, definition) in plan.steps.iter().enumerate() {
            let created = files(definition, Tool::created_files).chain(produced(definition));
            let created = created.map(|path| (path, ChangeKind::Created));
            // A step that may be skipped, or given up, may leave the file where it is.
            let certain = definition.when.is_none() && definition.critical;
            let removed = files(definition, Tool::removed_files).filter(|_| certain);
            let removed = removed.map(|path| (path, ChangeKind::Removed));
            for (path, kind) in created.chain(removed) {
                let change = Change { step, kind };
                changes.entry(short(path)).or_default().push(change);
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
        let changes = self.changes.get(short(path)).map(Vec::as_slice);
        let mut before = changes.unwrap_or_default().iter();
        let is_before = |change: &&Change| self.graph.waits_for(step, change.step);
        let Some(last) = before.find(is_before) else {
            return self.workspace.path_exists(path);
        };
        // Beside the removal, and not before it, another step may have created the file.
        let is_beside = |change: &Change| {
            change.kind == ChangeKind::Created && !self.graph.waits_for(last.step, change.step)
        };
        last.kind == ChangeKind::Created || before.filter(is_before).any(is_beside)
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
fn produced(step: &Step) -> impl Iterator<Item = &str> {
    let paths = step.produces.iter().map(String::as_str);
    paths.filter(|path| !path.contains(['*', '?', '[', '{']) && !path.ends_with('/'))
}

fn short(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
