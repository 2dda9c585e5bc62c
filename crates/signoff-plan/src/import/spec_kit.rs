//! `tasks.md` of spec-kit: `- [ ] T001 [P] [US1] what to do`, in phases.
//!
//! Tasks are done one after the other; `[P]` marks those that may be done at the same time as their neighbours of the
//! same phase. So a group of `[P]` tasks waits for what is before the group, and what follows waits for all of it.

use super::context::{around, heading_text, title_line};
use super::lists::outermost;
use super::markdown::lines;
use super::material::{FoundStep, Material, Waits};
use super::plan_mode::add_part;
use super::status::marked;

pub(super) fn read(name: &str, text: &str) -> Material {
    let lines = lines(text);
    let title = title_line(&lines);
    let mut material = Material {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        ..Material::default()
    };
    let items = outermost(&lines, |_, item| item.mark.is_some());
    let ranges: Vec<_> = items.iter().map(|block| block.start..block.end).collect();
    let surroundings = around(&lines, &ranges, title);
    let mut order = PhaseOrder::default();
    for (at, (block, part)) in items.iter().zip(surroundings.parts).enumerate() {
        let tags = tags(block.item.text);
        let mut step = FoundStep {
            name: tags.id.map(str::to_owned),
            title: tags.text.to_owned(),
            task: block.text.replacen(block.item.text, tags.text, 1),
            waits: order.next(at, tags.parallel, part.as_deref()),
            ..FoundStep::default()
        };
        if !tags.labels.is_empty() {
            step.record.push(("tags", tags.labels.into()));
        }
        add_part(&mut step, part);
        let number = lines.get(block.start).map(|line| line.number);
        material
            .losses
            .extend(marked(&mut step, &block.item, name, number));
        material.steps.push(step);
    }
    material.add_context(&surroundings.text);
    if !material.steps.is_empty() {
        material.note("tasks wait for all before them; those marked `[P]` do not wait for their neighbours in the phase");
    }
    material
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
        text: if is_id { rest.trim_start() } else { text },
    };
    while let Some((label, rest)) = tags
        .text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
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

/// Whether a word is an id such as `T001` or `T-12a`.
pub(super) fn is_task_id(word: &str) -> bool {
    let rest = word.strip_prefix('T').unwrap_or_default();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
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
    fn next(&mut self, at: usize, parallel: bool, phase: Option<&str>) -> Waits {
        let same_phase = self.phase.as_deref() == phase;
        if !parallel || !same_phase {
            self.close();
        }
        self.phase = phase.map(str::to_owned);
        if parallel {
            self.group.push(at);
            return Waits::Positions(self.barrier.clone());
        }
        self.barrier = vec![at];
        Waits::AllBefore
    }

    /// What comes next waits for the group.
    fn close(&mut self) {
        if !self.group.is_empty() {
            self.barrier = std::mem::take(&mut self.group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_stand_before_the_text() {
        let found = tags("T012 [P] [US1] Create `User` in src/user.py");
        assert_eq!(found.id, Some("T012"));
        assert!(found.parallel);
        assert_eq!(found.labels, ["US1"]);
        assert_eq!(found.text, "Create `User` in src/user.py");
        let found = tags("**T1**: [link](x) Test it");
        assert_eq!((found.id, found.text), (Some("T1"), "[link](x) Test it"));
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
        let waits: Vec<Waits> = (tasks.iter().enumerate())
            .map(|(at, (parallel, phase))| order.next(at, *parallel, Some(phase)))
            .collect();
        let on = |positions: &[usize]| Waits::Positions(positions.to_vec());
        let expected = [
            on(&[]),
            on(&[]),
            on(&[0, 1]),
            Waits::AllBefore,
            on(&[3]),
            on(&[3]),
        ];
        assert_eq!(waits, expected);
    }
}
