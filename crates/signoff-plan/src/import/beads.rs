//! Issues of beads: one JSON object a line.
//!
//! `blocks` and `waits-for` mean waiting. An epic is done when its children are: it waits for them, and they wait for what it waits for.

use std::collections::BTreeMap;

use super::ImportError;
use super::imported::{ImportedDependencies, ImportedPlan, ImportedStep};
use super::json::{JsonFile, MemberReader, criteria, items, task, text, title_or_first_line};
use super::sections::name_as_title;
use super::status::UntouchedSteps;
use crate::node::{Entry, Node};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<ImportedPlan, ImportError> {
    let file = JsonFile::new(source)?;
    let mut reader = IssueReader {
        file,
        imported: ImportedPlan::default(),
        untouched: UntouchedSteps::default(),
        parents: BTreeMap::new(),
    };
    let (content, mut at) = file.text();
    for line in content.split_inclusive('\n') {
        if !line.trim().is_empty() {
            let node = file.value(line, at)?;
            let Some(entries) = node.entries() else {
                let message = "an issue of beads is an object".to_owned();
                return Err(file.error(Some(at), message));
            };
            reader.issue(&node, entries);
        }
        at += line.len();
    }
    reader.join_families();
    let IssueReader {
        mut imported,
        untouched,
        ..
    } = reader;
    untouched.note(&mut imported);
    imported.title = name_as_title(source.name());
    Ok(imported)
}

struct IssueReader<'s> {
    file: JsonFile<'s>,
    imported: ImportedPlan,
    untouched: UntouchedSteps,
    /// The epics of each issue, by position of the issue.
    parents: BTreeMap<usize, Vec<String>>,
}

/// What an issue waits for and belongs to.
#[derive(Default)]
struct Links {
    waits: Vec<String>,
    parents: Vec<String>,
}

impl IssueReader<'_> {
    fn issue(&mut self, node: &Node, entries: &[Entry]) {
        let mut members = MemberReader::new(entries);
        if members
            .take_member("status", text)
            .is_some_and(|status| status == "tombstone")
        {
            self.file
                .note_loss(&mut self.imported, "issue", node, "the issue is deleted");
            return;
        }
        let mut members = MemberReader::new(entries);
        let mut step = title_and_task(&mut members);
        let status = members.take_member("status", |node| text(node).map(|word| (word, node)));
        if let Some((word, node)) = status
            && !self.untouched.take_over(&mut step, &word)
        {
            let why = format!("a draft marks only what is done or skipped, not `{word}`");
            self.file
                .note_loss(&mut self.imported, "status", node, &why);
        }
        record(&mut members, &mut step);
        let links = self.links(&mut members);
        members.lose_rest(self.file, &mut self.imported);
        step.waits = ImportedDependencies::Names(links.waits);
        if !links.parents.is_empty() {
            self.parents
                .insert(self.imported.steps.len(), links.parents);
        }
        self.imported.steps.push(step);
    }

    fn links(&mut self, members: &mut MemberReader<'_>) -> Links {
        let mut links = Links::default();
        let nodes = members
            .take_member("dependencies", items)
            .unwrap_or_default();
        for node in nodes {
            let mut link = MemberReader::new(node.entries().unwrap_or_default());
            let kind = link
                .take_member("type", text)
                .unwrap_or_else(|| "blocks".to_owned());
            let wanted = link
                .take_member("depends_on_id", text)
                .or_else(|| text(node));
            match (kind.as_str(), wanted) {
                ("blocks" | "waits-for", Some(id)) => links.waits.push(id),
                ("parent-child", Some(id)) => links.parents.push(id),
                _ => {
                    let why =
                        "only `blocks`, `waits-for` and `parent-child` say what waits for what";
                    self.file
                        .note_loss(&mut self.imported, "dependencies", node, why);
                    continue;
                }
            }
            self.imported.note("`blocks` and `waits-for` mean that a step waits; with `parent-child` the parent waits for its children");
            // It is the issue itself.
            link.take_member("issue_id", text);
            let before = self.imported.losses.len();
            link.lose_rest(self.file, &mut self.imported);
            for loss in self.imported.losses.iter_mut().skip(before) {
                loss.field = format!("dependencies.{}", loss.field);
            }
        }
        links
    }

    /// Makes epics wait for their children, and children for what their epics wait for.
    fn join_families(&mut self) {
        let steps = &mut self.imported.steps;
        let position: BTreeMap<String, usize> = (steps.iter().enumerate().rev())
            .filter_map(|(at, step)| Some((step.name.clone()?, at)))
            .collect();
        let blockers: Vec<Vec<String>> = steps.iter().map(|step| names(&step.waits)).collect();
        for (child, parents) in &self.parents {
            let name = steps.get(*child).and_then(|step| step.name.clone());
            for parent in parents {
                let Some(epic) = position.get(parent).copied() else {
                    // An epic that is not here is an unknown dependency like any other.
                    add(steps.get_mut(*child), [parent.clone()]);
                    continue;
                };
                add(steps.get_mut(epic), name.clone());
                let inherited = blockers.get(epic).cloned().unwrap_or_default();
                add(steps.get_mut(*child), inherited);
            }
        }
    }
}

/// What is to be done, and how it is called.
fn title_and_task(members: &mut MemberReader<'_>) -> ImportedStep {
    let name = members.text("id");
    let description = members.text("description");
    let own = members.text("title").unwrap_or_default();
    let title = title_or_first_line(&own, description.as_deref());
    let wanted = members.text("acceptance_criteria");
    let acceptance = wanted.as_deref().and_then(criteria);
    let untold = wanted.filter(|_| acceptance.is_none());
    let parts = [
        ("", description),
        ("Design:", members.text("design")),
        ("Notes:", members.text("notes")),
        ("Acceptance criteria:", untold),
    ];
    ImportedStep {
        name,
        task: task(&own, &parts),
        title,
        acceptance: acceptance.unwrap_or_default(),
        ..ImportedStep::default()
    }
}

/// What is kept about a step and decides nothing.
fn record(members: &mut MemberReader<'_>, step: &mut ImportedStep) {
    let priority = members.text("priority");
    step.record
        .extend(priority.map(|priority| ("priority", priority.into())));
    let minutes = members.text("estimated_minutes");
    let effort = minutes.map(|minutes| format!("{minutes} minutes"));
    step.record
        .extend(effort.map(|effort| ("estimated_effort", effort.into())));
    let closed = members.text("closed_at");
    step.record
        .extend(closed.map(|closed| ("completed_at", closed.into())));
    let mut tags: Vec<String> = members.text("issue_type").into_iter().collect();
    let labels = members.take_member("labels", |node| {
        items(node)?
            .iter()
            .map(text)
            .collect::<Option<Vec<String>>>()
    });
    tags.extend(labels.unwrap_or_default());
    if !tags.is_empty() {
        step.record.push(("tags", tags.into()));
    }
}

fn names(waits: &ImportedDependencies) -> Vec<String> {
    match waits {
        ImportedDependencies::Names(names) => names.clone(),
        ImportedDependencies::AllBefore | ImportedDependencies::Positions(_) => Vec::new(),
    }
}

fn add(step: Option<&mut ImportedStep>, more: impl IntoIterator<Item = String>) {
    if let Some(ImportedStep {
        waits: ImportedDependencies::Names(names),
        ..
    }) = step
    {
        names.extend(more);
    }
}
