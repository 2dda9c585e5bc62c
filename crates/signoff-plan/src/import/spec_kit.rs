//! `tasks.md` of spec-kit: `- [ ] T001 [P] [US1] what to do`, in phases.
//!
//! Tasks are done one after the other; `[P]` marks those that may be done at the same time as their neighbours of the
//! same phase. So a group of `[P]` tasks waits for what is before the group, and what follows waits for all of it. What a
//! task says besides, as in `(depends on T012)`, is added to that.

use std::collections::BTreeMap;

use super::context::{context_around, heading_text, title_line};
use super::imported::{ImportedDependencies, ImportedPlan, ImportedStep};
use super::lists::{ItemBlock, outermost_items};
use super::markdown::lines;
use super::plan_mode::add_part;
use super::status::take_mark;
use super::step_headings::{is_no_work, lines_below};

pub(super) fn read(name: &str, text: &str) -> ImportedPlan {
    let lines = lines(text);
    let title = title_line(&lines);
    let mut imported = ImportedPlan {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        ..ImportedPlan::default()
    };
    // A check list about the tasks is none of tasks, unless these have ids.
    let listed = lines_below(&lines, |_, heading| is_no_work(heading));
    let is_task = |at: usize, text: &str| {
        tags(text).id.is_some() || !listed.get(at).copied().unwrap_or(false)
    };
    let items = outermost_items(&lines, |at, item| {
        item.mark.is_some() && is_task(at, item.text)
    });
    let ranges: Vec<_> = items.iter().map(|block| block.start..block.end).collect();
    let surroundings = context_around(&lines, &ranges, title);
    let mut order = PhaseOrder::default();
    let named = NamedTasks::new(&items);
    for (at, (block, part)) in items.iter().zip(surroundings.parts).enumerate() {
        let tags = tags(block.item.text);
        let waits = order.next_dependencies(at, tags.parallel, part.as_deref());
        let waits = named.add_to(waits, at, block.item.text, &mut imported);
        let mut step = ImportedStep {
            name: tags.id.map(str::to_owned),
            title: tags.text.to_owned(),
            task: block.text.replacen(block.item.text, tags.text, 1),
            waits,
            ..ImportedStep::default()
        };
        if !tags.labels.is_empty() {
            step.record.push(("tags", tags.labels.into()));
        }
        add_part(&mut step, part);
        let number = lines.get(block.start).map(|line| line.number);
        imported
            .losses
            .extend(take_mark(&mut step, &block.item, name, number));
        imported.steps.push(step);
    }
    imported.add_context(&surroundings.text);
    if !imported.steps.is_empty() {
        imported.note("tasks wait for all before them; those marked `[P]` do not wait for their neighbours in the phase");
    }
    imported
}

/// What stands before the text of a task.
struct TaskTags<'s> {
    id: Option<&'s str>,
    parallel: bool,
    labels: Vec<&'s str>,
    text: &'s str,
}

fn tags(text: &str) -> TaskTags<'_> {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let id = first.trim_matches(['*', '`', ':']);
    let is_id = is_task_id(id);
    let mut tags = TaskTags {
        id: is_id.then_some(id),
        parallel: false,
        labels: Vec::new(),
        text: if is_id { without_dash(rest) } else { text },
    };
    while let Some((label, rest)) = first_label(tags.text) {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_link = rest.starts_with(['(', '[']);
        if label.is_empty() || is_link || !label.chars().all(word) {
            break;
        }
        if label == "P" {
            tags.parallel = true;
        } else {
            tags.labels.push(label);
        }
        tags.text = rest.trim_start();
    }
    if tags.text.is_empty() {
        // A task that is nothing but its tags is called by them.
        tags.text = text;
    }
    tags
}

/// `T001 - what to do` has its text behind the dash.
fn without_dash(text: &str) -> &str {
    let text = text.trim_start();
    let rest = ["- ", "– ", "— ", ": "]
        .iter()
        .find_map(|dash| text.strip_prefix(dash));
    rest.unwrap_or(text).trim_start()
}

/// The label that a text begins with, as in `[P]` or `` `[P]` ``, and the text behind it.
fn first_label(text: &str) -> Option<(&str, &str)> {
    let quoted = text.strip_prefix('`');
    let (label, rest) = quoted.unwrap_or(text).strip_prefix('[')?.split_once(']')?;
    match quoted {
        Some(_) => Some((label, rest.strip_prefix('`')?)),
        None => Some((label, rest)),
    }
}

/// Whether a word is an id such as `T001` or `T-12a`, or stands for one as `TXXX` does.
pub(super) fn is_task_id(word: &str) -> bool {
    let rest = word.strip_prefix('T').unwrap_or_default();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    if rest.len() > 1 && rest.chars().all(|c| c == 'X') {
        return true;
    }
    rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.chars().all(|c| c.is_ascii_alphanumeric())
}

/// What the next task waits for.
#[derive(Debug, Default)]
struct PhaseOrder {
    /// The tasks that everything from now on waits for.
    barrier: Vec<usize>,
    /// The present group of parallel tasks, and its phase.
    group: Vec<usize>,
    phase: Option<String>,
}

impl PhaseOrder {
    fn next_dependencies(
        &mut self,
        at: usize,
        parallel: bool,
        phase: Option<&str>,
    ) -> ImportedDependencies {
        let same_phase = self.phase.as_deref() == phase;
        if !parallel || !same_phase {
            self.close();
        }
        self.phase = phase.map(str::to_owned);
        if parallel {
            self.group.push(at);
            return ImportedDependencies::Positions(self.barrier.clone());
        }
        self.barrier = vec![at];
        ImportedDependencies::AllBefore
    }

    /// What comes next waits for the group.
    fn close(&mut self) {
        if !self.group.is_empty() {
            self.barrier = std::mem::take(&mut self.group);
        }
    }
}

/// The positions of tasks by their ids, for those that say `(depends on T001, T004-T006)`.
struct NamedTasks<'s>(BTreeMap<&'s str, usize>);

impl<'s> NamedTasks<'s> {
    fn new(items: &[ItemBlock<'s>]) -> Self {
        let ids = items.iter().enumerate().rev();
        let ids = ids.filter_map(|(at, block)| Some((tags(block.item.text).id?, at)));
        Self(ids.collect())
    }

    /// Adds what the text of a task says that it depends on; what no task is called is said in a note.
    fn add_to(
        &self,
        waits: ImportedDependencies,
        at: usize,
        text: &str,
        imported: &mut ImportedPlan,
    ) -> ImportedDependencies {
        let mut said = Vec::new();
        for name in dependencies(text) {
            match self.find(name) {
                Some(positions) => said.extend(positions.filter(|other| *other != at)),
                None => imported.note(format!(
                    "line \"{text}\": no task is called `{name}`, so nothing waits for it"
                )),
            }
        }
        let before = match &waits {
            ImportedDependencies::AllBefore if said.iter().all(|other| *other < at) => {
                return waits;
            }
            ImportedDependencies::AllBefore => (0..at).collect(),
            ImportedDependencies::Positions(positions) => positions.clone(),
            ImportedDependencies::Names(_) => return waits,
        };
        let mut all: Vec<usize> = before.into_iter().chain(said).collect();
        all.sort_unstable();
        all.dedup();
        ImportedDependencies::Positions(all)
    }

    /// The task with this id, or those from one to another.
    fn find(&self, name: &str) -> Option<std::ops::RangeInclusive<usize>> {
        if let Some(at) = self.0.get(name) {
            return Some(*at..=*at);
        }
        let (first, last) = name.split_once(['-', '–'])?;
        let (first, last) = (self.0.get(first)?, self.0.get(last)?);
        (first <= last).then_some(*first..=*last)
    }
}

/// The ids behind `(depends on `.
fn dependencies(text: &str) -> impl Iterator<Item = &str> {
    let start = "(depends on ";
    // Only ASCII letters change, so that positions stay.
    let found = text.to_ascii_lowercase().find(start);
    let listed = found.and_then(|at| text.get(at + start.len()..)?.split_once(')'));
    let listed = listed.map_or("", |(listed, _)| listed);
    let words = listed.split([',', ' ', '&']);
    let words = words.map(|word| word.trim_matches(['`', '*', '.', ';']));
    words.filter(|word| word.split(['-', '–']).next().is_some_and(is_task_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_says_that_it_depends_on_is_found() {
        let found = |text| dependencies(text).collect::<Vec<_>>();
        assert_eq!(
            found("a (Depends on T001, `T002` and T004-T006)"),
            ["T001", "T002", "T004-T006"]
        );
        assert_eq!(found("a (depends on the weather)"), Vec::<&str>::new());
        assert_eq!(found("depends on T001 (in part"), Vec::<&str>::new());
    }

    #[test]
    fn tags_stand_before_the_text() {
        let found = tags("T012 [P] [US1] Create `User` in src/user.py");
        assert_eq!(found.id, Some("T012"));
        assert!(found.parallel);
        assert_eq!(found.labels, ["US1"]);
        assert_eq!(found.text, "Create `User` in src/user.py");
        let found = tags("**T1**: [link](x) Test it");
        assert_eq!((found.id, found.text), (Some("T1"), "[link](x) Test it"));
        let found = tags("**T004** - `[P]` Lint");
        assert_eq!((found.parallel, found.text), (true, "Lint"));
        assert_eq!(tags("TXXX [P] Docs").id, Some("TXXX"));
        assert_eq!(tags("TX Docs").id, None);
        assert_eq!(tags("Tests [P]").text, "Tests [P]");
        assert_eq!(tags("T001 [P]").text, "T001 [P]");
    }

    #[test]
    fn a_group_waits_for_what_is_before_it() {
        let mut order = PhaseOrder::default();
        let tasks = [
            (true, "a"),
            (true, "a"),
            (true, "b"),
            (false, "b"),
            (true, "b"),
            (true, "b"),
        ];
        let waits: Vec<ImportedDependencies> = (tasks.iter().enumerate())
            .map(|(at, (parallel, phase))| order.next_dependencies(at, *parallel, Some(phase)))
            .collect();
        let on = |positions: &[usize]| ImportedDependencies::Positions(positions.to_vec());
        let expected = [
            on(&[]),
            on(&[]),
            on(&[0, 1]),
            ImportedDependencies::AllBefore,
            on(&[3]),
            on(&[3]),
        ];
        assert_eq!(waits, expected);
    }
}
