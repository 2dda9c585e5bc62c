//! `tasks.json` of Task Master: `{"tasks": […]}`, or the same below a tag for each list.
//!
//! A task that has subtasks waits for them: each is a step of its own, with what the task waits for.

use std::collections::BTreeSet;

use super::ImportError;
use super::imported::{ImportedDependencies, ImportedPlan, ImportedStep};
use super::json::{JsonFile, MemberReader, criteria, items, task, text, title_or_first_line};
use super::sections::name_as_title;
use super::status::UntouchedSteps;
use crate::node::{Entry, Node};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<ImportedPlan, ImportError> {
    let file = JsonFile::new(source)?;
    let (content, start) = file.text();
    let root = file.value(content, start)?;
    let Some(entries) = root.entries() else {
        return Err(file.error(
            Some(root.span.start),
            "the tasks of Task Master are an object".to_owned(),
        ));
    };
    let mut reader = TaskReader {
        file,
        imported: ImportedPlan::default(),
        untouched: UntouchedSteps::default(),
        tag: String::new(),
    };
    let flat = entries.iter().any(is_list_of_tasks);
    let tags = entries.iter().filter(|entry| is_tag(entry)).count();
    if !flat && tags == 0 {
        let message = "there is no list `tasks` in it, neither at the top nor below a tag";
        return Err(file.error(Some(root.span.start), message.to_owned()));
    }
    if flat {
        reader.list(entries);
    } else {
        reader.tags(entries, tags);
    }
    let TaskReader {
        mut imported,
        untouched,
        ..
    } = reader;
    untouched.note(&mut imported);
    if imported.title.is_none() {
        imported.title = name_as_title(source.name());
    }
    Ok(imported)
}

fn is_list_of_tasks(entry: &Entry) -> bool {
    entry.key.value == "tasks" && items(&entry.value).is_some()
}

fn is_tag(entry: &Entry) -> bool {
    let members = entry.value.entries().unwrap_or_default();
    members.iter().any(is_list_of_tasks)
}

struct TaskReader<'s> {
    file: JsonFile<'s>,
    imported: ImportedPlan,
    untouched: UntouchedSteps,
    /// What the names of the present list begin with: nothing in the first one, else its tag and a dot.
    tag: String,
}

/// Where a task stands: below which tasks, and beside which.
struct TaskPlace<'a> {
    /// What the names of tasks here begin with.
    prefix: &'a str,
    /// What the tasks wait for that it is part of.
    inherited: &'a [String],
    /// The ids of the subtasks beside it; none at the top.
    siblings: &'a BTreeSet<String>,
}

impl<'a> TaskPlace<'a> {
    fn at_the_top(tag: &'a str) -> Self {
        const NONE: &BTreeSet<String> = &BTreeSet::new();
        Self {
            prefix: tag,
            inherited: &[],
            siblings: NONE,
        }
    }

    /// The name of what a task here waits for: a bare id means a sibling if there is one, else a task; `2.1` is whole.
    fn name_of(&self, id: &str, tag: &str) -> String {
        if self.siblings.contains(id) {
            format!("{}{id}", self.prefix)
        } else {
            format!("{tag}{id}")
        }
    }
}

impl TaskReader<'_> {
    fn tags(&mut self, entries: &[Entry], tags: usize) {
        let mut first = true;
        for entry in entries {
            let tag = &entry.key.value;
            if !is_tag(entry) {
                let why = "it is not a list of tasks";
                self.file
                    .note_loss(&mut self.imported, tag, &entry.value, why);
                continue;
            }
            self.tag = if first {
                String::new()
            } else {
                format!("{tag}.")
            };
            self.imported.note(match (tags, first) {
                (1, _) => format!("the only tag is `{tag}`"),
                (_, true) => format!("tag `{tag}`: the ids of its steps have no prefix"),
                (_, false) => format!("tag `{tag}`: the ids of its steps begin with it"),
            });
            self.list(entry.value.entries().unwrap_or_default());
            first = false;
        }
    }

    /// A list of tasks, and what is said about it.
    fn list(&mut self, entries: &[Entry]) {
        let mut members = MemberReader::new(entries);
        let tasks = members.take_member("tasks", items).unwrap_or_default();
        for name in ["metadata", "meta"] {
            if let Some(about) = members.take_member(name, Node::entries) {
                self.read_project(about);
            }
        }
        members.lose_rest(self.file, &mut self.imported);
        for node in tasks {
            match node.entries() {
                Some(entries) => {
                    let tag = self.tag.clone();
                    self.task(entries, &TaskPlace::at_the_top(&tag));
                }
                None => {
                    let why = "a task is an object";
                    self.file.note_loss(&mut self.imported, "tasks", node, why);
                }
            }
        }
    }

    fn read_project(&mut self, entries: &[Entry]) {
        let mut members = MemberReader::new(entries);
        let first = self.tag.is_empty();
        if first && self.imported.title.is_none() {
            let title = members.text("projectName").or_else(|| members.text("name"));
            self.imported.title = title;
        }
        if let Some(description) = members.text("description") {
            self.imported.add_context(&description);
        }
        if first {
            for (name, field) in [("created", "created_at"), ("updated", "updated_at")] {
                let value = members.text(name).map(|text| (field, text.into()));
                self.imported.record.extend(value);
            }
        }
        members.lose_rest(self.file, &mut self.imported);
    }

    fn task(&mut self, entries: &[Entry], place: &TaskPlace<'_>) {
        let mut members = MemberReader::new(entries);
        let id = members.text("id");
        let name = format!("{}{}", place.prefix, id.as_deref().unwrap_or_default());
        let mut step = title_and_task(&mut members);
        step.name = id.is_some().then(|| name.clone());
        if let Some(word) = members.text("status")
            && !self.untouched.take_over(&mut step, &word)
        {
            self.unknown_status(entries, &word);
        }
        let mut waits = place.inherited.to_vec();
        let wanted = dependencies(&mut members).into_iter();
        waits.extend(wanted.map(|id| place.name_of(&id, &self.tag)));
        let subtasks = members.take_member("subtasks", items).unwrap_or_default();
        members.lose_rest(self.file, &mut self.imported);
        let own = self.subtasks(subtasks, &name, &waits);
        if !own.is_empty() {
            self.imported
                .note("a task with subtasks waits for them, and they for what it waits for");
        }
        waits.extend(own);
        step.waits = ImportedDependencies::Names(waits);
        self.imported.steps.push(step);
    }

    fn unknown_status(&mut self, entries: &[Entry], word: &str) {
        let found = entries.iter().find(|entry| entry.key.value == "status");
        if let Some(entry) = found {
            let why = format!("a draft marks only what is done or skipped, not `{word}`");
            self.file
                .note_loss(&mut self.imported, "status", &entry.value, &why);
        }
    }

    /// Adds the subtasks of a task; returns their names.
    fn subtasks(&mut self, nodes: &[Node], parent: &str, waits: &[String]) -> Vec<String> {
        let ids: BTreeSet<String> = nodes
            .iter()
            .filter_map(|node| {
                let mut members = MemberReader::new(node.entries()?);
                members.text("id")
            })
            .collect();
        let mut names = Vec::new();
        for node in nodes {
            let Some(entries) = node.entries() else {
                self.file.note_loss(
                    &mut self.imported,
                    "subtasks",
                    node,
                    "a subtask is an object",
                );
                continue;
            };
            let before = self.imported.steps.len();
            let place = TaskPlace {
                prefix: &format!("{parent}."),
                inherited: waits,
                siblings: &ids,
            };
            self.task(entries, &place);
            // The last one is the subtask itself; those before it are its own subtasks.
            let Some(step) = self.imported.steps.last_mut() else {
                continue;
            };
            if let Some(name) = &step.name {
                names.push(name.clone());
            } else {
                // It has no id, so it is waited for by a name of its own.
                let name = format!("{parent}.{}", before + 1);
                step.name = Some(name.clone());
                names.push(name);
            }
        }
        names
    }
}

/// What is to be done, and how it is called.
fn title_and_task(members: &mut MemberReader<'_>) -> ImportedStep {
    let own = members.text("title").unwrap_or_default();
    let description = members.text("description");
    let title = title_or_first_line(&own, description.as_deref());
    let details = members.text("details");
    let strategy = members.text("testStrategy");
    let acceptance = strategy.as_deref().and_then(criteria);
    let untold = strategy.filter(|_| acceptance.is_none());
    let parts = [("", description), ("", details), ("Test strategy:", untold)];
    let priority = members.text("priority");
    ImportedStep {
        task: task(&own, &parts),
        title,
        acceptance: acceptance.unwrap_or_default(),
        record: priority
            .map(|priority| ("priority", priority.into()))
            .into_iter()
            .collect(),
        ..ImportedStep::default()
    }
}

/// The ids of what a task waits for: a list, or ids with commas between.
fn dependencies(members: &mut MemberReader<'_>) -> Vec<String> {
    let listed = members.take_member("dependencies", |node| match items(node) {
        Some(items) => items.iter().map(text).collect::<Option<Vec<String>>>(),
        None => {
            let whole = text(node)?;
            let ids = whole.split(',').map(|id| id.trim().to_owned());
            let ids: Vec<String> = ids.collect();
            // Ids have no blanks in them; anything else is one name, which may have a comma.
            let is_prose = ids.iter().any(|id| id.contains(char::is_whitespace));
            Some(if is_prose { vec![whole] } else { ids })
        }
    });
    listed.unwrap_or_default()
}
