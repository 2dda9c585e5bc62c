//! The text of a GitHub issue, or what `gh issue view --json title,body` prints.

use super::context::{context_around, heading_text, title_line};
use super::imported::ImportedPlan;
use super::json::{JsonFile, MemberReader};
use super::lists::outermost_items;
use super::markdown::lines;
use super::plan_mode::{add_items, add_part};
use super::{ImportError, sections};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<ImportedPlan, ImportError> {
    if !source.parts().is_empty()
        || !source
            .text()
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{')
    {
        return sections::read(source, read_text);
    }
    let file = JsonFile::new(source)?;
    let (content, start) = file.text();
    let root = file.value(content, start)?;
    let mut members = MemberReader::new(root.entries().unwrap_or_default());
    let title = members.text("title");
    let body = members.text("body").unwrap_or_default();
    let mut imported = read_text("the body", &sections::with_line_feeds(&body));
    if let (Some(own), true) = (&imported.title, title.is_some()) {
        let own = format!("# {own}");
        imported.context.insert(0, own);
    }
    imported.title = title.or(imported.title);
    members.lose_rest(file, &mut imported);
    Ok(imported)
}

/// What GitHub fenced lists of tasks with.
const TASK_FENCE: &str = "```[tasklist]";

/// The text with empty lines instead of the fences around lists of tasks, if it has any.
fn without_task_fences(text: &str) -> Option<String> {
    let mut is_inside = false;
    let mut found = false;
    let line = |line: &str| {
        let begins = !is_inside && line.trim() == TASK_FENCE;
        let ends = is_inside && line.trim() == "```";
        if begins || ends {
            is_inside = begins;
            found = true;
            return "\n".to_owned();
        }
        line.to_owned()
    };
    let opened: String = text.split_inclusive('\n').map(line).collect();
    found.then_some(opened)
}

/// Only check boxes are steps: issues have lists of anything.
fn read_text(name: &str, text: &str) -> ImportedPlan {
    let opened = without_task_fences(text);
    let lines = lines(opened.as_deref().unwrap_or(text));
    let title = title_line(&lines);
    let mut imported = ImportedPlan {
        title: title.map(|at| heading_text(&lines, at).to_owned()),
        ..ImportedPlan::default()
    };
    if opened.is_some() {
        imported.note(format!(
            "the fences `{TASK_FENCE}` and ```` ``` ```` around lists of tasks are left away"
        ));
    }
    let items = outermost_items(&lines, |_, item| item.mark.is_some());
    let ranges = add_items(&mut imported, name, &lines, &items, "check boxes");
    let surroundings = context_around(&lines, &ranges, title);
    imported.add_context(&surroundings.text);
    for (step, part) in imported.steps.iter_mut().zip(surroundings.parts) {
        add_part(step, part);
    }
    imported
}
