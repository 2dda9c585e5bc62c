//! What an attempt changed, for a person to read.

use signoff_engine::Run;

use super::layers::work_name;
use super::repositories::{refs, repository_of};
use crate::project::Project;

/// What an attempt changed, as a patch. `None` if git has not recorded it, or cannot tell: the files are in the journal.
pub(crate) fn work_patch(project: &Project, run: &Run, step: &str, attempt: u32) -> Option<String> {
    let repository = repository_of(project, run).ok()??;
    let name = format!("{}{}", refs(run.id()), work_name(step, attempt));
    let commit = repository.read_ref(&name).ok()??;
    repository.patch(&commit).ok()
}
