//! A change of `OpenSpec`: `proposal.md`, `design.md` and the deltas in `specs/` around `tasks.md`.

use super::context::{heading_text, title_line};
use super::imported::ImportedPlan;
use super::{ImportError, markdown, numbered_tasks, sections};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<ImportedPlan, ImportError> {
    let mut imported = sections::read(source, numbered_tasks::read)?;
    if source.parts().is_empty() {
        return Ok(imported);
    }
    // The tasks are called `Tasks`; the change has its name in the proposal, else in its directory.
    let files = sections::files(source);
    let proposal = files.iter().find(|(name, _)| name == "proposal.md");
    let proposed = proposal.and_then(|(_, text)| {
        let lines = markdown::lines(text);
        title_line(&lines).map(|at| heading_text(&lines, at).to_owned())
    });
    let general =
        |title: &String| ["proposal", "change proposal"].contains(&title.to_lowercase().as_str());
    let better = proposed.filter(|title| !general(title));
    let better = better.or_else(|| sections::name_as_title(source.name()));
    let unnamed = sections::name_as_title(source.name());
    if let Some(better) = better {
        let own = imported.title.replace(better);
        // What the tasks themselves are called is said all the same.
        if let Some(own) = own.filter(|own| Some(own) != unnamed.as_ref()) {
            imported.add_context(&format!("From `{}`: {own}", sections::TASKS));
        }
    }
    Ok(imported)
}
